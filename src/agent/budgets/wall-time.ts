import { sumUpRequest } from "./step-budget";

export interface WallTime {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly now: number;
  /** Milliseconds of it that a person was waited for: those are free. */
  readonly waitedMs: number;
  /** Milliseconds of one turn; 0 is no limit. */
  readonly limitMs: number;
}

export type WallTimeVerdict =
  | { readonly type: "go_on"; readonly leftMs: number }
  /** One answer without tools is left; `request` asks the model for it. */
  | { readonly type: "sum_up"; readonly request: string }
  | { readonly type: "over"; readonly sentence: string };

/** Share of the time after which the model has to come to an end. */
const WRAP_UP_SHARE = 0.8;

/** Judges before a model call how much of a turn's time is left. */
export function judgeWallTime({ startedAt, now, waitedMs, limitMs }: WallTime): WallTimeVerdict {
  if (limitMs === 0) return { type: "go_on", leftMs: Number.POSITIVE_INFINITY };
  // a clock that was put back must not give a turn time without end, nor take any from it
  const usedMs = Math.max(0, now - startedAt - Math.max(0, waitedMs));
  const allowed = duration(limitMs);
  if (usedMs >= limitMs) {
    return {
      type: "over",
      sentence: `⚠️ I stopped here: a turn may take ${allowed}, and this one has. Ask me to go on.`,
    };
  }
  if (usedMs >= limitMs * WRAP_UP_SHARE) {
    return { type: "sum_up", request: sumUpRequest(`most of the ${allowed} that a turn may take are over`) };
  }
  return { type: "go_on", leftMs: limitMs - usedMs };
}

function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 120) return count(seconds, "second");
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? count(minutes, "minute") : count(Math.round(minutes / 60), "hour");
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? "" : "s"}`;
}
