/**
 * The summary that stands for a part of a conversation. The rows it covers stay where they are, to be read and
 * searched; the model is shown the summary in their place.
 */
export interface ConversationSummary {
  /** First and last row that it covers. */
  readonly fromId: number;
  readonly toId: number;
  /** Rows among the covered ones that the model is shown all the same: the person's latest words. */
  readonly shownIds: readonly number[];
  /** Markdown under the headings of the template. */
  readonly body: string;
  /** Texts that hooks want kept, word for word. */
  readonly kept: readonly string[];
  /** Who wrote it: a model, or nobody, and then it says what was dropped. */
  readonly by: "model" | "nobody";
}

/** What a conversation has to know of its compactions. Plain JSON, committed with the summary. */
export interface CompactionState {
  readonly summary?: ConversationSummary;
  /** Rows up to this one are shown with their tool results cleared. */
  readonly clearedTo?: number;
  /** Compactions in a row that hardly made it shorter. */
  readonly gainless: number;
  /** Compactions in a row that had to drop what no model would summarise. */
  readonly dropped: number;
  /** Tokens after the last compaction, or when one was refused. */
  readonly restingTokens?: number;
  /** A hook refused the last one. */
  readonly isVetoed?: true;
  /** Epoch milliseconds until which the summariser is left alone. */
  readonly waitUntil?: number;
}

/** The state of a conversation that was never compacted. */
export const NEVER_COMPACTED: CompactionState = { gainless: 0, dropped: 0 };
