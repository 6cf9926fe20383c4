import type { Message, ToolCall, ToolResult } from "#src/domain/message";
import { GUARD_MARK, type PastCall, pastCall, pastCalls, signatureOf } from "./past-calls";

/** From how many on a repetition is warned of, or ended. */
export interface RepetitionLimits {
  /** The same call with the same arguments failed. */
  readonly exactFailure: number;
  /** The same tool failed with any arguments, and nothing of it succeeded between. */
  readonly sameToolFailure: number;
  /** A call that changes nothing gave the same result again. */
  readonly noProgress: number;
}

export interface LoopGuardLimits {
  readonly warnAfter: RepetitionLimits;
  readonly stopAfter: RepetitionLimits;
  /** Whether repetition is ended at all, or only warned of. */
  readonly hardStop: boolean;
  /** Calls of one turn, by tool. */
  readonly caps: Readonly<Record<string, number>>;
}

export const LOOP_GUARD_DEFAULTS: LoopGuardLimits = {
  warnAfter: { exactFailure: 2, sameToolFailure: 3, noProgress: 2 },
  stopAfter: { exactFailure: 5, sameToolFailure: 8, noProgress: 5 },
  // nobody watches a messenger's turn: it has to end by itself
  hardStop: true,
  caps: { web_search: 50, delegate_task: 50 },
};

/** Calls that a guard refused in a row after which the turn gets no more tools. */
const MAX_BLOCKED = 3;

export interface LoopGuardInput {
  readonly rows: readonly Message[];
  readonly turnId: number;
  readonly limits: LoopGuardLimits;
  /** Whether calls of a tool change nothing: only of those a result that comes again means that nothing moves. */
  readonly isReadOnly: (name: string) => boolean;
  /** For how many calls of its cap a call counts, e.g. the subagents of a batch; 1 when absent. */
  readonly weightOf?: (name: string, args: string) => number;
}

/** Watches one turn for calls that repeat themselves. Made from the turn's rows, it is the same after a restart. */
export interface LoopGuard {
  /** Why a call must not run, for the model; undefined when it may. */
  refuse(name: string, args: string): string | undefined;
  /** Counts a settled call, and gives its result back with what the model is warned of. */
  conclude(call: ToolCall, result: ToolResult): ToolResult;
  /** Why the turn must go on without tools, for the model and the person; undefined when it need not. */
  halted(): string | undefined;
}

/** How often things happened in a turn. */
interface Tally {
  /** Failures in a row, by signature. */
  readonly failures: Map<string, number>;
  /** Failures in a row, by tool. */
  readonly toolFailures: Map<string, Streak>;
  /** Equal results in a row, by signature. */
  readonly same: Map<string, { readonly outcome: string; readonly count: number }>;
  /** What was used of the caps, by tool. */
  readonly used: Map<string, number>;
  /** Calls in a row that were refused. */
  blocked: Streak | undefined;
}

/** What happened several times in a row. */
interface Streak {
  readonly count: number;
  /** Since which answer. */
  readonly since: number;
  /** Over several answers: the model has read of it, and gone on. */
  readonly isKnown: boolean;
}

export function openLoopGuard(input: LoopGuardInput): LoopGuard {
  const { limits } = input;
  const tally: Tally = {
    failures: new Map(),
    toolFailures: new Map(),
    same: new Map(),
    used: new Map(),
    blocked: undefined,
  };
  const count = (past: PastCall): void => countCall(tally, past, input);
  for (const past of pastCalls(input.rows, input.turnId)) count(past);
  return {
    refuse(name, args) {
      const cap = Object.hasOwn(limits.caps, name) ? limits.caps[name] : undefined;
      const weight = input.weightOf?.(name, args) ?? 1;
      if (cap !== undefined && (tally.used.get(name) ?? 0) + weight > cap) {
        return `${GUARD_MARK} Not run: one turn may use ${name} ${cap} times. Go on with what you have.`;
      }
      return limits.hardStop ? refuseRepetition(tally, signatureOf(name, args), limits.stopAfter) : undefined;
    },
    conclude(call, result) {
      const past = pastCall(call, result, input.rows.findLast((row) => row.toolCalls !== undefined)?.id ?? -1);
      count(past);
      const warning = past.isBlocked ? undefined : warningOf(tally, past, limits.warnAfter);
      return warning === undefined ? result : { ...result, content: `${result.content}\n\n${GUARD_MARK} ${warning}` };
    },
    halted: () => (limits.hardStop ? haltOf(tally, limits.stopAfter) : undefined),
  };
}

function countCall(tally: Tally, past: PastCall, input: Pick<LoopGuardInput, "isReadOnly" | "weightOf">): void {
  const { name, signature, isError, outcome } = past;
  if (past.isBlocked) {
    tally.blocked = longer(tally.blocked, past);
    return;
  }
  tally.blocked = undefined;
  const weight = input.weightOf?.(name, signature.slice(name.length + 1)) ?? 1;
  tally.used.set(name, (tally.used.get(name) ?? 0) + weight);
  tally.failures.set(signature, isError ? (tally.failures.get(signature) ?? 0) + 1 : 0);
  if (isError) tally.toolFailures.set(name, longer(tally.toolFailures.get(name), past));
  else tally.toolFailures.delete(name);
  if (!input.isReadOnly(name)) {
    // what a tool changed, another may now see: the same reading need not give the same again
    if (!isError) tally.same.clear();
    return;
  }
  const before = tally.same.get(signature);
  tally.same.set(signature, { outcome, count: before?.outcome === outcome ? before.count + 1 : 1 });
}

function longer(streak: Streak | undefined, { answer }: PastCall): Streak {
  if (streak === undefined) return { count: 1, since: answer, isKnown: false };
  return { ...streak, count: streak.count + 1, isKnown: streak.isKnown || answer !== streak.since };
}

function refuseRepetition(tally: Tally, signature: string, stop: RepetitionLimits): string | undefined {
  const failures = tally.failures.get(signature) ?? 0;
  if (failures >= stop.exactFailure) {
    return `${GUARD_MARK} Not run: this very call has failed ${failures} times. Change it, try another way, or say what stands in the way.`;
  }
  const same = tally.same.get(signature)?.count ?? 0;
  if (same >= stop.noProgress) {
    return `${GUARD_MARK} Not run: this very call has given the same result ${same} times. Use the result that you have.`;
  }
  return undefined;
}

function warningOf(tally: Tally, past: PastCall, warn: RepetitionLimits): string | undefined {
  const failures = tally.failures.get(past.signature) ?? 0;
  if (failures >= warn.exactFailure) {
    return `This very call has now failed ${failures} times. Do not repeat it as it is: read the error, and change the arguments or the way.`;
  }
  const ofTool = tally.toolFailures.get(past.name)?.count ?? 0;
  if (ofTool >= warn.sameToolFailure) {
    return `${past.name} has now failed ${ofTool} times in a row. Look for the cause before you call it again.`;
  }
  const same = tally.same.get(past.signature)?.count ?? 0;
  if (!past.isError && same >= warn.noProgress) {
    return `This very call has now given the same result ${same} times. Use it, or ask for something else.`;
  }
  return undefined;
}

function haltOf(tally: Tally, stop: RepetitionLimits): string | undefined {
  // what failed within one answer, the model has not read of yet
  for (const [name, { count, isKnown }] of tally.toolFailures) {
    if (isKnown && count >= stop.sameToolFailure) return `${name} failed ${count} times in a row`;
  }
  const { blocked } = tally;
  const isCircle = blocked?.isKnown === true && blocked.count >= MAX_BLOCKED;
  return isCircle ? "the same calls were repeated without getting anywhere" : undefined;
}

/** What the model is asked when a turn goes on without tools because it went in circles. */
export function haltRequest(reason: string): string {
  return `${GUARD_MARK} There are no more tools in this turn: ${reason}. Answer now: say what was done, what did not work and what would help.`;
}
