/**
 * What the outside can do to us, one word each. A caller switches on the code, never on the text.
 * Adding a word makes `tsc` ask for its HTTP status in `workers/problem.ts`.
 */
export type ErrorCode =
  /** The request is not in the shape that its platform or route promises. */
  | "bad_request"
  /** A signature, secret or bearer token is missing or wrong. */
  | "signature_invalid"
  /** Known, but may not do this. */
  | "forbidden"
  | "not_found"
  /** The state has moved on: a digest, version or code no longer matches. */
  | "conflict"
  | "too_large"
  /** Too many requests, by our limit or by the outside's; `retryAfterMs` says how long to wait. */
  | "rate_limited"
  /** A setting is missing: the sentence says which. */
  | "not_configured"
  /** The outside answered that it cannot now, and did not accept: trying again is safe. */
  | "unavailable"
  /** No answer, or one that leaves open whether the request was accepted: trying again may double. */
  | "unconfirmed"
  /** The outside answered no, for good: trying again is useless. */
  | "refused"
  /** Ended by the user, the deadline or the turn itself. */
  | "aborted";

export interface GatewayErrorOptions {
  readonly cause?: unknown;
  /** Milliseconds after which trying again helps; absent when the outside did not say. */
  readonly retryAfterMs?: number;
  /** HTTP status the outside answered with, when there was one. */
  readonly status?: number;
}

/** The outside refused or failed, or a request to us was at fault. Its message is one sentence without secrets. */
export class GatewayError extends Error {
  readonly code: ErrorCode;
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(code: ErrorCode, message: string, options: GatewayErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "GatewayError";
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }
}
