import type { Message } from "#src/domain/message";
import { type CompactionRange, chooseRange } from "./choose-range";
import { clearOldResults } from "./clear-results";
import type { CompactionLimits } from "./compaction-limits";
import type { CompactionState } from "./compaction-state";
import { isShown, shownTokens, sumTokens } from "./shown-tokens";
import { neededRows } from "./view-compacted";

export interface CompactionRequest {
  /** Rows that the model reads, oldest first. */
  readonly rows: readonly Message[];
  readonly state: CompactionState;
  readonly limits: CompactionLimits;
  /** Tokens of the prompt and the tools. */
  readonly overheadTokens: number;
  /** Turns that stay as they are, as `/compress here N` asks; the limits decide when absent. */
  readonly keepTurns?: number;
  /** Tokens of a row; the usual estimate when absent. */
  readonly tokensOf?: (row: Message) => number;
}

/** What a compaction would do, before anything is asked or changed. */
export interface CompactionPlan extends CompactionRange {
  /** Tokens of the next request as it stands. */
  readonly beforeTokens: number;
  /** Tokens of what the summary will stand for, the earlier summary not counted. */
  readonly middleTokens: number;
  /** Rows up to this one lose their tool results in the model's view, because the end alone is too large. */
  readonly clearedTo?: number;
}

/** Share of the threshold below which a middle is not worth a summary when the last compaction gained nothing. */
const MIN_MIDDLE_SHARE = 0.1;
/** Rows at the very end whose tool results are never cleared. */
const UNCLEARED_ROWS = 4;
/** Times the room of the end from which on tool results in it are cleared. */
const CLEAR_SLACK = 2;

/** Plans a compaction; undefined when nothing is left to be summarised, or it would not be worth it. */
export function planCompaction(request: CompactionRequest): CompactionPlan | undefined {
  const { state, limits, keepTurns, tokensOf = shownTokens } = request;
  const { summary } = state;
  const rows = request.rows.filter(isShown);
  const range = chooseRange({
    rows,
    limits,
    tokensOf,
    ...(summary === undefined ? {} : { earlier: summary }),
    ...(keepTurns === undefined ? {} : { keepTurns }),
  });
  if (range === undefined) return undefined;
  const middleTokens = sumTokens(range.middle, tokensOf);
  const isTooSmall = state.gainless > 0 && middleTokens < limits.thresholdTokens * MIN_MIDDLE_SHARE;
  if (isTooSmall && keepTurns === undefined) return undefined;
  const tailTokens = sumTokens(range.tail, tokensOf);
  const clearedTo = tailTokens > limits.tailTokens * CLEAR_SLACK ? range.tail.at(-UNCLEARED_ROWS - 1)?.id : undefined;
  return {
    ...range,
    middleTokens,
    beforeTokens: request.overheadTokens + sumTokens(neededRows(rows, state), tokensOf) + summaryTokensOf(state),
    ...(clearedTo === undefined ? {} : { clearedTo }),
  };
}

/** Tokens of a conversation's rows once it is compacted as planned, its summary not counted. */
export function remainingTokens(
  plan: CompactionPlan,
  overheadTokens: number,
  tokensOf: (row: Message) => number = shownTokens,
): number {
  const rows = [...plan.head, ...plan.shown, ...plan.tail];
  return overheadTokens + sumTokens(clearOldResults(rows, plan.clearedTo ?? 0), tokensOf);
}

/** Characters over four: what a summary costs. */
export function summaryTokensOf({ summary }: Pick<CompactionState, "summary">): number {
  if (summary === undefined) return 0;
  return Math.ceil((summary.body.length + summary.kept.join("").length) / 4);
}

/** A plan in one sentence, as `/compress --preview` shows it. */
export function describePlan(plan: CompactionPlan, limits: CompactionLimits): string {
  const { head, middle, tail } = plan;
  const percent = Math.round((plan.beforeTokens / limits.contextTokens) * 100);
  return `About ${plan.beforeTokens} tokens (${percent} % of the model's window). ${middle.length} messages (about ${plan.middleTokens} tokens) would become a summary; ${head.length} at the beginning and ${tail.length} at the end would stay as they are.`;
}
