import type { ModelFailure } from "#src/domain/provider";

/** The waits of one kind of failure, in milliseconds. */
interface Backoff {
  readonly firstMs: number;
  readonly longestMs: number;
}

const USUAL: Backoff = { firstMs: 2000, longestMs: 60_000 };
/** An answer that is none comes from a server that is not well: it is given more time. */
const INVALID: Backoff = { firstMs: 5000, longestMs: 120_000 };

export interface BackoffInput {
  /** How many tries have failed, from 1. */
  readonly attempt: number;
  readonly failure: Pick<ModelFailure, "reason" | "retryAfterMs">;
  /** From 0 to 1. */
  readonly random: () => number;
}

/**
 * Milliseconds to wait before a model is asked again: doubling up to a longest wait, with up to half as much again at
 * random so that many chats do not return at once. What the provider asked for wins.
 */
export function backoffMs({ attempt, failure, random }: BackoffInput): number {
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
  const { firstMs, longestMs } = failure.reason === "invalid_response" ? INVALID : USUAL;
  const delayMs = Math.min(firstMs * 2 ** (attempt - 1), longestMs);
  return delayMs + random() * 0.5 * delayMs;
}
