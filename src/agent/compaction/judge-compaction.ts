import { type CompactionLimits, MAX_ROWS, MIN_ROWS } from "./compaction-limits";
import type { CompactionState } from "./compaction-state";

export interface CompactionQuestion {
  /** Tokens of the next request. */
  readonly tokens: number;
  /** Rows that the model would be shown. */
  readonly rowCount: number;
  readonly limits: CompactionLimits;
  readonly state: CompactionState;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Whether a conversation is to be compacted by itself. `isUrgent`: it must become shorter, whoever summarises it. */
export type CompactionVerdict =
  | { readonly type: "compact"; readonly reason: "threshold" | "rows"; readonly isUrgent: boolean }
  | { readonly type: "leave"; readonly why: "short" | "waiting" | "gainless" | "vetoed" };

/** Milliseconds that a summariser is left alone after it failed. */
const FAILURE_WAIT_MS = 600_000;
/** Share by which a compaction has to make a conversation shorter to count. */
const MIN_GAIN = 0.1;
/** Compactions in a row that gained nothing before it is given up. */
const MAX_GAINLESS = 2;
/** Share of the threshold by which a conversation has to grow until it is tried again. */
const GROWTH_SHARE = 0.1;

/** Judges before a request whether the conversation has to be compacted first. */
export function judgeCompaction({ tokens, rowCount, limits, state, now }: CompactionQuestion): CompactionVerdict {
  const hasManyRows = rowCount >= MAX_ROWS;
  if (rowCount < MIN_ROWS || (tokens < limits.thresholdTokens && !hasManyRows)) return { type: "leave", why: "short" };
  const isUrgent = tokens >= limits.urgentTokens || hasManyRows;
  const hasGrown = tokens >= (state.restingTokens ?? 0) + limits.thresholdTokens * GROWTH_SHARE;
  if (state.isVetoed === true && !hasGrown) return { type: "leave", why: "vetoed" };
  const isGainless = state.gainless >= MAX_GAINLESS || state.dropped >= MAX_GAINLESS;
  if (isGainless && !hasGrown) return { type: "leave", why: "gainless" };
  if (now < (state.waitUntil ?? 0) && !isUrgent) return { type: "leave", why: "waiting" };
  return { type: "compact", reason: tokens < limits.thresholdTokens ? "rows" : "threshold", isUrgent };
}

/** The state after a compaction that was committed. */
export function afterCompaction(
  before: CompactionState,
  done: Pick<CompactionState, "summary" | "clearedTo"> & {
    readonly beforeTokens: number;
    readonly afterTokens: number;
    readonly isDropped: boolean;
    /** The summariser failed before all was covered. */
    readonly hasProblem: boolean;
  },
): CompactionState {
  const { beforeTokens, afterTokens, isDropped, hasProblem, summary, clearedTo } = done;
  const isGain = afterTokens <= beforeTokens * (1 - MIN_GAIN);
  return {
    ...(summary === undefined ? {} : { summary }),
    ...(clearedTo === undefined ? {} : { clearedTo }),
    gainless: isGain ? 0 : before.gainless + 1,
    dropped: isDropped ? before.dropped + 1 : 0,
    restingTokens: afterTokens,
    ...(hasProblem && before.waitUntil !== undefined ? { waitUntil: before.waitUntil } : {}),
  };
}

/** The state after the summariser failed and nothing was changed. */
export function afterFailure(before: CompactionState, now: number): CompactionState {
  return { ...before, waitUntil: now + FAILURE_WAIT_MS };
}

/** The state after a hook refused, or there was nothing to gain: it is tried again when the conversation has grown. */
export function afterRefusal(before: CompactionState, tokens: number, by: "hook" | "size"): CompactionState {
  const refused = { ...before, restingTokens: tokens };
  return by === "hook" ? { ...refused, isVetoed: true } : { ...refused, gainless: MAX_GAINLESS };
}
