import type { Message } from "#src/domain/message";
import type { TurnRecord } from "#src/domain/turn";
import { type Money, judgeMoney } from "./budgets/money-budget";
import { REFUNDED_TOOLS, judgeSteps } from "./budgets/step-budget";
import { judgeWallTime } from "./budgets/wall-time";
import { type LoopGuardLimits, haltRequest, openLoopGuard } from "./guardrails/loop-guard";

/** What one turn may take. */
export interface TurnLimits {
  /** Steps with tools before it has to sum up; 0 is no limit. */
  readonly maxSteps: number;
  /** Milliseconds of one turn, waits for a person not counted; 0 is no limit. */
  readonly wallTimeMs: number;
  /** US dollars; 0 is no limit. */
  readonly money: Money;
  readonly loops: LoopGuardLimits;
}

export interface BoundsQuestion {
  readonly turn: TurnRecord;
  readonly rows: readonly Message[];
  readonly limits: TurnLimits;
  readonly spent: Money;
  /** Epoch milliseconds. */
  readonly now: number;
  /** Milliseconds that a person was waited for. */
  readonly waitedMs: number;
  readonly isReadOnly: (name: string) => boolean;
}

/** Whether a turn may go on with tools, has one answer without them left, or is over. */
export type Bounds =
  | { readonly type: "go_on" }
  | { readonly type: "sum_up"; readonly request: string }
  | { readonly type: "over"; readonly sentence: string };

/** Judges before a request how a turn may go on. Follows from its rows and the clock, so a restart changes nothing. */
export function judgeBounds({ turn, rows, limits, spent, now, waitedMs, isReadOnly }: BoundsQuestion): Bounds {
  const money = judgeMoney(spent, limits.money);
  if (money !== undefined) return { type: "over", sentence: money.sentence };
  const time = judgeWallTime({ startedAt: turn.startedAt, now, waitedMs, limitMs: limits.wallTimeMs });
  if (time.type === "over") return time;
  const steps = judgeSteps(rows, turn.id, { maxSteps: limits.maxSteps, refundedTools: REFUNDED_TOOLS });
  if (steps.type === "sum_up") return steps;
  if (time.type === "sum_up") return time;
  const halted = openLoopGuard({ rows, turnId: turn.id, limits: limits.loops, isReadOnly }).halted();
  return halted === undefined ? { type: "go_on" } : { type: "sum_up", request: haltRequest(halted) };
}
