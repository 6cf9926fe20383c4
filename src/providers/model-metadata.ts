import type { ModelRequest } from "#src/domain/provider";

/** How long a model is asked to think. */
export type Effort = NonNullable<ModelRequest["reasoningEffort"]>;

/**
 * How a Claude model is told to think, oldest first.
 * - `budget`: by a number of tokens; off unless asked for.
 * - `adaptive`: by effort; off unless asked for.
 * - `adaptive_on`: by effort; on unless it is switched off.
 * - `adaptive_between`: the same, but its lowest setting thinks between tool calls.
 * - `adaptive_always`: by effort; cannot be switched off.
 * Source: https://platform.claude.com/docs/en/build-with-claude/thinking-troubleshooting (2026-11)
 */
export type ClaudeThinking = "budget" | "adaptive" | "adaptive_on" | "adaptive_between" | "adaptive_always";

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Input that the vendor's cache had; the price of other input when absent. */
  readonly cachedInput?: number;
  /** Input that was written into the cache; the price of other input when absent. */
  readonly cacheWrite?: number;
  /** Long requests cost more, all of their tokens; ascending. */
  readonly tiers?: readonly PriceTier[];
}

/** By what the prices of a request with more input than this are multiplied. */
export interface PriceTier {
  readonly aboveInputTokens: number;
  readonly inputTimes: number;
  readonly outputTimes: number;
}

/** What is known of a model. */
export interface ModelMetadata {
  /** Tokens of input and output together. */
  readonly contextTokens: number;
  readonly maxOutputTokens: number;
  /** It reads pictures. */
  readonly vision: boolean;
  readonly tools: boolean;
  /** It thinks before it answers, or can. */
  readonly reasoning: boolean;
  /** Efforts that it takes, ascending; none when it cannot be told. */
  readonly efforts: readonly Effort[];
  readonly thinking?: ClaudeThinking;
  /** Absent when it is not known; that is not the same as free. */
  readonly price?: ModelPrice;
}
