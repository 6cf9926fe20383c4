import type { ModelFailure } from "#src/domain/provider";

/** What has been tried for one model call so far. Plain data; {@link firstAttempt} begins it. */
export interface AttemptState {
  /** Who is asked: 0 is the model that was chosen, then the fallbacks in their order. */
  readonly route: number;
  /** Failed tries at this route in a row. */
  readonly tries: number;
  /** Failed tries with the key that is in use. */
  readonly keyTries: number;
  /** How often the history was made shorter for this call. */
  readonly compressions: number;
  /** Changes to the request that were made already. */
  readonly adapted: readonly Adaptation[];
}

/** A change to the request without which the same failure comes back. */
export type Adaptation =
  /** Leave out what providers had kept with earlier answers. */
  | "drop_state"
  /** Make pictures smaller, or leave them out. */
  | "shrink_images"
  /** Tool results as text alone. */
  | "text_results"
  /** Tool schemas without patterns and formats. */
  | "plain_schemas";

/** What there is to fall back on. */
export interface AttemptOptions {
  /** Tries of one route, the first included; 3 when absent. */
  readonly maxTries?: number;
  /** Keys of this route that have not failed and may be used. */
  readonly keysLeft: number;
  /** Models to fall back on, without the chosen one. */
  readonly fallbacks: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** The route's own waits when it is overloaded, in milliseconds. */
  readonly overloadWaitsMs?: readonly number[];
}

/** What to do next; the state belongs to the try that follows. */
export type NextAttempt =
  | { readonly type: "retry"; readonly waitMs: number; readonly state: AttemptState }
  /** Mark the key as failed and take another one of the same vendor. */
  | { readonly type: "rotate_key"; readonly state: AttemptState }
  | { readonly type: "compress"; readonly state: AttemptState }
  | { readonly type: "adapt"; readonly adaptation: Adaptation; readonly state: AttemptState }
  | { readonly type: "fall_back"; readonly route: number; readonly state: AttemptState }
  /** Nothing is left. After a chain of fallbacks was used up, nothing is asked for a moment. */
  | { readonly type: "give_up"; readonly cooldownMs: number };

const MAX_TRIES = 3;
const MAX_COMPRESSIONS = 3;
/** Milliseconds that nothing is asked after a whole chain has failed. */
const CHAIN_COOLDOWN_MS = 5000;
/** Milliseconds that a vendor may ask to be waited for; what asks for more is a plan's limit, and no hiccup. */
const LONGEST_WAIT_MS = 120_000;
/** A limit that lasts longer than this is the key's own: the next key is asked at once. */
const PLAN_LIMIT_MS = 60_000;

const ADAPTATIONS: Partial<Readonly<Record<ModelFailure["reason"], Adaptation>>> = {
  thinking_signature: "drop_state",
  invalid_encrypted_content: "drop_state",
  image_too_large: "shrink_images",
  multimodal_tool_content_unsupported: "text_results",
  llama_cpp_grammar_pattern: "plain_schemas",
};

/**
 * The state before the first try. `blockedUntil`: the chosen model's keys all rest until then, in epoch milliseconds; a
 * turn then begins with the first fallback.
 */
export function firstAttempt(options: {
  readonly blockedUntil?: number;
  readonly now: number;
  readonly fallbacks: number;
}): AttemptState {
  const isBlocked = options.blockedUntil !== undefined && options.blockedUntil > options.now;
  return fresh(isBlocked && options.fallbacks > 0 ? 1 : 0);
}

/**
 * Decides what follows a failed try, by what the failure says of itself: change the request, make it shorter, take
 * another key, try again, ask another model, or give up.
 */
export function nextAttempt(before: AttemptState, failure: ModelFailure, options: AttemptOptions): NextAttempt {
  const state = { ...before, tries: before.tries + 1, keyTries: before.keyTries + 1 };
  if (failure.reason === "aborted") return { type: "give_up", cooldownMs: 0 };
  return (
    adapt(before, failure) ??
    compress(before, failure) ??
    rotate(state, failure, options) ??
    retry(state, failure, options) ??
    fallBack(state, failure, options)
  );
}

/** Milliseconds until a model is asked again: what it asked for, else doubling, with up to half as much again at random. */
export function retryWaitMs(tries: number, failure: ModelFailure, options: AttemptOptions): number {
  if (failure.retryAfterMs !== undefined) return failure.retryAfterMs;
  const [firstMs, longestMs] = failure.reason === "invalid_response" ? [5000, 120_000] : [2000, 60_000];
  const long = failure.reason === "overloaded" ? options.overloadWaitsMs?.[tries - maxTries(options)] : undefined;
  const delayMs = long ?? Math.min(firstMs * 2 ** (tries - 1), longestMs);
  return delayMs + options.random() * 0.5 * delayMs;
}

function adapt(before: AttemptState, { reason }: ModelFailure): NextAttempt | undefined {
  const adaptation = ADAPTATIONS[reason];
  if (adaptation === undefined || before.adapted.includes(adaptation)) return undefined;
  return { type: "adapt", adaptation, state: { ...before, adapted: [...before.adapted, adaptation] } };
}

function compress(before: AttemptState, { shouldCompress }: ModelFailure): NextAttempt | undefined {
  if (shouldCompress !== true || before.compressions >= MAX_COMPRESSIONS) return undefined;
  return { type: "compress", state: { ...before, compressions: before.compressions + 1 } };
}

function rotate(state: AttemptState, failure: ModelFailure, { keysLeft }: AttemptOptions): NextAttempt | undefined {
  if (failure.shouldRotateCredential !== true || keysLeft === 0) return undefined;
  // a limit by the minute may have passed at once: the same key, with its warm cache, is asked once more
  const isHiccup =
    failure.reason === "rate_limit" && state.keyTries === 1 && (failure.retryAfterMs ?? 0) <= PLAN_LIMIT_MS;
  return isHiccup ? undefined : { type: "rotate_key", state: { ...state, keyTries: 0 } };
}

function retry(state: AttemptState, failure: ModelFailure, options: AttemptOptions): NextAttempt | undefined {
  // what had to be changed first, and could not be, fails again
  const isSame = ADAPTATIONS[failure.reason] !== undefined || failure.shouldCompress === true;
  const longTries = failure.reason === "overloaded" ? (options.overloadWaitsMs?.length ?? 0) : 0;
  if (!failure.retryable || isSame || state.tries >= maxTries(options) + longTries) return undefined;
  if ((failure.retryAfterMs ?? 0) > LONGEST_WAIT_MS) return undefined;
  return { type: "retry", waitMs: retryWaitMs(state.tries, failure, options), state };
}

function fallBack(state: AttemptState, failure: ModelFailure, { fallbacks }: AttemptOptions): NextAttempt {
  const mayHelp = failure.shouldFallback === true || failure.retryable;
  if (mayHelp && state.route < fallbacks) {
    const route = state.route + 1;
    return { type: "fall_back", route, state: fresh(route) };
  }
  return { type: "give_up", cooldownMs: state.route > 0 ? CHAIN_COOLDOWN_MS : 0 };
}

function fresh(route: number): AttemptState {
  return { route, tries: 0, keyTries: 0, compressions: 0, adapted: [] };
}

function maxTries({ maxTries: given = MAX_TRIES }: AttemptOptions): number {
  return given;
}
