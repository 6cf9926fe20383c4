/** What an operator says of compaction. */
export interface CompactionSettings {
  /** Share of the model's window at which a conversation is compacted. Default: 0.5. */
  readonly threshold: number;
  /** The same for models whose name contains the key; the longest key wins. */
  readonly modelThresholds: Readonly<Record<string, number>>;
  /** Tokens at which it is compacted in any case; 0 is no such limit. */
  readonly thresholdTokens: number;
  /** Share of the threshold that the latest messages keep. Default: 0.2. */
  readonly targetRatio: number;
  /** Messages at the beginning that stay as they are. Default: 3. */
  readonly protectFirst: number;
  /** Messages at the end that stay as they are. Default: 20. */
  readonly protectLast: number;
}

export const COMPACTION_DEFAULTS: CompactionSettings = {
  threshold: 0.5,
  modelThresholds: {},
  thresholdTokens: 0,
  targetRatio: 0.2,
  protectFirst: 3,
  protectLast: 20,
};

/** The model whose window is to be kept. */
export interface CompactionModel {
  readonly name: string;
  readonly contextTokens: number;
  readonly maxOutputTokens?: number;
  /** Window of the model that writes the summaries; the same one's when absent. */
  readonly summariserContextTokens?: number;
}

/** The numbers that one model's conversations are compacted by. */
export interface CompactionLimits {
  readonly contextTokens: number;
  /** Tokens of a whole request from which on it is compacted. */
  readonly thresholdTokens: number;
  /** Tokens from which on it must become shorter, whatever else speaks against it. */
  readonly urgentTokens: number;
  /** Tokens that the latest messages keep. */
  readonly tailTokens: number;
  readonly protectFirst: number;
  readonly protectLast: number;
  /** Longest summary in tokens. */
  readonly maxSummaryTokens: number;
  /** Characters of conversation that one request to the summariser holds. */
  readonly maxInputChars: number;
}

/** Windows below this fill up with a few tool results: half of one would be compacted all the time. */
const SMALL_WINDOW_TOKENS = 512_000;
const SMALL_WINDOW_THRESHOLD = 0.75;
/** Share of the window at which waiting is no choice any more. */
const URGENT_SHARE = 0.85;
/** Share of the window that an answer may claim for itself. */
const MAX_ANSWER_SHARE = 0.4;

const MIN_SUMMARY_TOKENS = 2000;
const MAX_SUMMARY_TOKENS = 10_000;
const SUMMARY_WINDOW_SHARE = 0.05;
const SUMMARY_SHARE = 0.2;

const MAX_INPUT_CHARS = 160_000;
const CHARS_PER_TOKEN = 4;
/** Share of the summariser's window that the conversation may fill: the old summary and the new one need room too. */
const INPUT_SHARE = 0.5;

/** Rows of one conversation from which on it is compacted, however short they are. */
export const MAX_ROWS = 5000;
/** Rows below which there is nothing worth compacting. */
export const MIN_ROWS = 4;

/** Works out what a model's conversations are compacted by. */
export function compactionLimits(settings: CompactionSettings, model: CompactionModel): CompactionLimits {
  const { contextTokens } = model;
  const answerTokens = Math.min(model.maxOutputTokens ?? 0, contextTokens * MAX_ANSWER_SHARE);
  const limit = settings.thresholdTokens > 0 ? settings.thresholdTokens : Number.POSITIVE_INFINITY;
  const thresholdTokens = Math.floor(
    Math.min(contextTokens * thresholdShare(settings, model), contextTokens - answerTokens, limit),
  );
  const readable = (model.summariserContextTokens ?? contextTokens) * CHARS_PER_TOKEN * INPUT_SHARE;
  return {
    contextTokens,
    thresholdTokens,
    // what is compacted late by an operator's wish is still compacted before it overflows
    urgentTokens: Math.max(thresholdTokens, Math.floor(contextTokens * URGENT_SHARE)),
    tailTokens: Math.floor(thresholdTokens * settings.targetRatio),
    protectFirst: settings.protectFirst,
    protectLast: settings.protectLast,
    maxSummaryTokens: Math.floor(
      Math.min(MAX_SUMMARY_TOKENS, Math.max(contextTokens * SUMMARY_WINDOW_SHARE, MIN_SUMMARY_TOKENS)),
    ),
    maxInputChars: Math.floor(Math.min(MAX_INPUT_CHARS, readable)),
  };
}

/** Tokens that the summary of so much conversation may have. */
export function summaryTokens(coveredTokens: number, limits: Pick<CompactionLimits, "maxSummaryTokens">): number {
  return Math.min(limits.maxSummaryTokens, Math.max(MIN_SUMMARY_TOKENS, Math.ceil(coveredTokens * SUMMARY_SHARE)));
}

function thresholdShare(settings: CompactionSettings, model: CompactionModel): number {
  const name = model.name.toLowerCase();
  const [ofModel] = Object.entries(settings.modelThresholds)
    .filter(([part]) => part !== "" && name.includes(part.toLowerCase()))
    .toSorted(([a], [b]) => b.length - a.length);
  // what was said of this very model is meant as it was said
  if (ofModel !== undefined) return ofModel[1];
  if (model.contextTokens < SMALL_WINDOW_TOKENS) return Math.max(settings.threshold, SMALL_WINDOW_THRESHOLD);
  return settings.threshold;
}
