import type { ModelFailure } from "#src/domain/provider";
import { retryAfterMs } from "#src/lib/retry-after";
import { type ErrorFacts, classifyError } from "./classify-error";
import { SAYS } from "./failure-patterns";
import { field } from "./json";

/** Where a failed call went, and what came back. */
export interface FailedCall extends ErrorFacts {
  /** The vendor as a person knows it: a name or a host. */
  readonly provider: string;
  readonly headers?: Headers | undefined;
}

/** A failed call as the turn sees it: what it means, how long to wait, and one sentence for the person. */
export function toModelFailure(call: FailedCall, now: number): ModelFailure {
  const found = classifyError(call);
  const isCutOff = found.reason === "timeout" && call.status === undefined && !isTimeout(call);
  const reason = isCutOff ? "network" : found.reason;
  const waitMs = askedWaitMs(call, now);
  return {
    reason,
    ...(call.status === undefined ? {} : { status: call.status }),
    retryable: found.retryable,
    ...(found.shouldCompress ? { shouldCompress: true } : {}),
    ...(found.shouldRotateCredential ? { shouldRotateCredential: true } : {}),
    ...(found.shouldFallback ? { shouldFallback: true } : {}),
    ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    message: failureSentence(reason, call),
  };
}

/** The sentence that a person reads for a reason. It quotes nothing that the vendor said: keys may stand in it. */
export function failureSentence(
  reason: ModelFailure["reason"],
  call: Pick<FailedCall, "provider" | "status" | "model">,
): string {
  const code = call.status === undefined ? "" : ` (${call.status})`;
  return SENTENCES[reason](call.provider, code, call.model ?? "that is configured");
}

/** The failure of a vendor whose answer is none: a page, broken JSON, nothing. */
export function invalidResponse(who: string): ModelFailure {
  const message = failureSentence("invalid_response", { provider: who });
  return { reason: "invalid_response", retryable: true, message };
}

/** The call was ended from our side. */
export const ABORTED: ModelFailure = {
  reason: "aborted",
  retryable: false,
  message: "The call to the model was ended.",
};

const SENTENCES: Record<ModelFailure["reason"], (who: string, code: string, model: string) => string> = {
  auth: (who, code) => `${who} did not accept the API key${code}; please check the key and what it may use.`,
  auth_permanent: (who, code) => `${who} has shut this account out${code}; the key has to be replaced.`,
  billing: (who, code) => `The account at ${who} has no credit or allowance left${code}.`,
  rate_limit: (who, code) => `${who} asks for fewer requests${code}; please try again a little later.`,
  upstream_rate_limit: (who, code) =>
    `The vendor behind ${who} is limiting requests${code}; please try again a little later.`,
  overloaded: (who, code) => `${who} is overloaded at the moment${code}; please try again soon.`,
  server_error: (who, code) => `${who} had an internal error${code}.`,
  timeout: (who, code) => `${who} took too long to answer${code}.`,
  network: (who) => `The connection to ${who} failed or broke off.`,
  ssl_cert_verification: (who, code) => `The TLS certificate of ${who} could not be verified${code}.`,
  context_overflow: (who) => `The conversation is too long for the model at ${who}.`,
  long_context_tier: (who) => `The plan at ${who} does not cover conversations of this length.`,
  oauth_long_context_beta_forbidden: (who) => `The subscription at ${who} does not include the long context window.`,
  payload_too_large: (who, code) => `The request was too large for ${who}${code}.`,
  image_too_large: (who) => `A picture in the conversation is larger than ${who} accepts.`,
  model_not_found: (who, code, model) => `${who} does not have the model ${model}, or not for this account${code}.`,
  provider_policy_blocked: (who) => `The data policy of the account at ${who} leaves no vendor for this model.`,
  content_policy: (who) => `${who} declined to answer this because of its content policy.`,
  format_error: (who, code) => `${who} did not understand the request${code}.`,
  invalid_encrypted_content: (who) => `${who} could not read back the reasoning that it had encrypted earlier.`,
  multimodal_tool_content_unsupported: (who) => `The model at ${who} cannot read pictures in tool results.`,
  thinking_signature: (who) => `${who} no longer accepts the reasoning of an earlier answer.`,
  llama_cpp_grammar_pattern: (who) => `${who} cannot work with the description of one of the tools.`,
  invalid_response: (who) => `${who} answered with something that is no answer of a model.`,
  aborted: () => "The call to the model was ended.",
  unknown: (who, code) => `The call to ${who} failed for a reason it did not name${code}.`,
};

function isTimeout(call: ErrorFacts): boolean {
  const said = `${call.errorType ?? ""} ${call.message ?? ""}`.toLowerCase();
  return SAYS.timeout.test(said) || SAYS.stale.test(said);
}

/**
 * When a limit begins anew, as routers say it: in epoch seconds or milliseconds, in a header or in the body's copy of
 * one. Source: https://openrouter.ai/docs/api/reference/limits
 */
function resetMs({ status, headers, body }: FailedCall, now: number): number | undefined {
  if (status !== 429) return undefined;
  const copied = field(field(field(body, "error"), "metadata"), "headers");
  const said = headers?.get("x-ratelimit-reset") ?? field(copied, "X-RateLimit-Reset");
  const at = Number(said ?? Number.NaN);
  if (!Number.isFinite(at) || at <= 0) return undefined;
  const isEpochMs = at > 1e12;
  const isEpoch = at > 1e9;
  const waitMs = isEpochMs ? at - now : isEpoch ? at * 1000 - now : at * 1000;
  return waitMs > 0 ? waitMs : undefined;
}

/** Vendors say how long to wait in a header, or only in the sentence: "try again in 1m30.5s". */
function askedWaitMs(call: FailedCall, now: number): number | undefined {
  const inMs = Number(call.headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(inMs)) return Math.max(0, inMs);
  const inHeader = retryAfterMs(call.headers?.get("retry-after") ?? null, now) ?? resetMs(call, now);
  if (inHeader !== undefined) return inHeader;
  const said = /(?:try again|retry) in (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)(ms|s))?/i.exec(call.message ?? "");
  if (said === null) return undefined;
  const [, hours = "0", minutes = "0", rest = "0", unit] = said;
  const ms = Number(hours) * 3_600_000 + Number(minutes) * 60_000 + Number(rest) * (unit === "ms" ? 1 : 1000);
  return ms > 0 ? Math.ceil(ms) : undefined;
}
