import type { ModelFailure } from "#src/domain/provider";
import { CODES, SAYS, THINKS_LONG } from "./failure-patterns";
import { readErrorBody } from "./read-error-body";

/** Everything that is known of a failed model call. Nothing is required. */
export interface ErrorFacts {
  /** HTTP status of the answer; absent when there was none. */
  readonly status?: number | undefined;
  /** The error body: parsed JSON, or its text. */
  readonly body?: unknown;
  /** Text of the raised error. */
  readonly message?: string | undefined;
  /** Class or kind of the raised error, e.g. `APIConnectionError`. */
  readonly errorType?: string | undefined;
  /** Vendor's name or host. */
  readonly provider?: string | undefined;
  readonly model?: string | undefined;
  readonly approxTokens?: number | undefined;
  /** Tokens that the model's window holds; 200,000 when absent. */
  readonly contextLength?: number | undefined;
  readonly messageCount?: number | undefined;
}

/** The reasons that an error itself can tell; the rest of them is known only to whoever made the call. */
export type ErrorReason = Exclude<ModelFailure["reason"], "network" | "invalid_response" | "aborted">;

/** What a failed model call means for the next one. */
export interface Classification {
  readonly reason: ErrorReason;
  readonly retryable: boolean;
  readonly shouldCompress: boolean;
  readonly shouldRotateCredential: boolean;
  readonly shouldFallback: boolean;
}

interface Evidence {
  readonly status: number | undefined;
  /** Everything that was said, in lower case. */
  readonly text: string;
  /** The sentence a person would read first. */
  readonly headline: string;
  readonly codes: readonly string[];
  readonly namesUpstream: boolean;
  readonly facts: ErrorFacts;
}

/**
 * Tells what a failed model call means. The order is by trust: what only one vendor says in one way, then the status,
 * then the body's code, then wording, then how the connection ended.
 */
export function classifyError(facts: ErrorFacts): Classification {
  const evidence = gather(facts);
  return (
    bySpecialCase(evidence) ??
    byStatus(evidence) ??
    byCode(evidence) ??
    byWording(evidence) ??
    (names(evidence, "badRequest") ? BAD_REQUEST : undefined) ??
    byTransport(evidence) ??
    result("unknown", "R")
  );
}

/** Characters of an error that are looked at: causes come first, and bodies are whatever a stranger sends. */
const MAX_TEXT_CHARS = 16_000;

function gather(facts: ErrorFacts): Evidence {
  const body = readErrorBody(facts.body);
  const message = facts.message ?? "";
  const nested = message.trimStart().startsWith("{") ? readErrorBody(message) : undefined;
  const codes = [...body.codes, ...(nested?.codes ?? [])];
  return {
    status: statusOf(facts, codes),
    text: [message, ...body.texts, ...body.codes].join("\n").slice(0, MAX_TEXT_CHARS).toLowerCase(),
    headline: (body.texts[0] ?? message).trim(),
    codes,
    namesUpstream: body.namesUpstream,
    facts,
  };
}

/** A router may put the vendor's status into the body of a 200, or into an event of a stream that had begun. */
function statusOf(facts: ErrorFacts, codes: readonly string[]): number | undefined {
  if (facts.status !== undefined && facts.status >= 300) return facts.status;
  if (/rate_?limit/i.test(facts.errorType ?? "")) return 429;
  const inBody = codes.map(Number).find((code) => code >= 400 && code <= 599);
  return inBody ?? facts.status;
}

/** Flags by letter: R may be retried, C compress first, K another key, F another model or provider. */
function result(reason: ErrorReason, flags: string): Classification {
  return {
    reason,
    retryable: flags.includes("R"),
    shouldCompress: flags.includes("C"),
    shouldRotateCredential: flags.includes("K"),
    shouldFallback: flags.includes("F"),
  };
}

const OVERFLOW = result("context_overflow", "RC");
const BILLING = result("billing", "KF");
const AUTH = result("auth", "KF");
const RATE_LIMIT = result("rate_limit", "RKF");
const OVERLOADED = result("overloaded", "R");
const SERVER_ERROR = result("server_error", "R");
const TIMEOUT = result("timeout", "R");
const NO_MODEL = result("model_not_found", "F");
const BAD_REQUEST = result("format_error", "F");
const PROVIDER_POLICY = result("provider_policy_blocked", "");

/** Whether an error says something, by wording or by code. */
function says(evidence: Evidence, what: keyof typeof SAYS): boolean {
  return SAYS[what].test(evidence.text) || (what in CODES && names(evidence, what as keyof typeof CODES)); // `in` proves it
}

function names(evidence: Evidence, what: keyof typeof CODES): boolean {
  const codes: readonly string[] = CODES[what];
  return evidence.codes.some((code) => codes.includes(code));
}

function bySpecialCase(evidence: Evidence): Classification | undefined {
  const { status, text } = evidence;
  if (says(evidence, "contentPolicy")) return result("content_policy", "F");
  if (status === 400 && says(evidence, "thinkingSignature")) return result("thinking_signature", "R");
  if (status === 429 && text.includes("extra usage") && text.includes("long context"))
    return result("long_context_tier", "RC");
  if (status === 400 && text.includes("long context beta") && text.includes("not yet available")) {
    return result("oauth_long_context_beta_forbidden", "R");
  }
  if (status === 400 && says(evidence, "grammar")) return result("llama_cpp_grammar_pattern", "R");
  if (says(evidence, "noSubscription")) return result("auth", "F");
  return undefined;
}

const STATUS_RULES: Readonly<Record<number, (evidence: Evidence) => Classification>> = {
  400: badRequest,
  401: () => AUTH,
  402: (evidence) => (says(evidence, "usageLimit") && says(evidence, "passes") ? RATE_LIMIT : BILLING),
  403: (evidence) => (says(evidence, "spendingLimit") || says(evidence, "billing") ? BILLING : result("auth", "F")),
  404: notFound,
  408: () => TIMEOUT,
  409: () => SERVER_ERROR,
  410: (evidence) => (evidence.text.includes("model") ? NO_MODEL : BAD_REQUEST),
  413: () => result("payload_too_large", "RC"),
  422: (evidence) => (isOverflow(evidence) ? OVERFLOW : BAD_REQUEST),
  425: () => SERVER_ERROR,
  429: tooMany,
  // Groq: the capacity of its flex tier. https://console.groq.com/docs/errors
  498: () => OVERLOADED,
  503: (evidence) => serverSide(evidence, OVERLOADED),
  504: (evidence) => serverSide(evidence, TIMEOUT),
  // Cloudflare before an origin: https://developers.cloudflare.com/support/troubleshooting/http-status-codes/cloudflare-5xx-errors/
  524: (evidence) => serverSide(evidence, TIMEOUT),
  526: () => result("ssl_cert_verification", ""),
  529: (evidence) => serverSide(evidence, OVERLOADED),
};

function byStatus(evidence: Evidence): Classification | undefined {
  const { status } = evidence;
  if (status === undefined || status < 400) return undefined;
  const rule = STATUS_RULES[status];
  if (rule !== undefined) return rule(evidence);
  return status < 500 ? BAD_REQUEST : serverSide(evidence, says(evidence, "timeout") ? TIMEOUT : SERVER_ERROR);
}

function badRequest(evidence: Evidence): Classification {
  if (says(evidence, "toolContent")) return result("multimodal_tool_content_unsupported", "R");
  if (says(evidence, "image")) return result("image_too_large", "R");
  if (says(evidence, "encrypted")) return result("invalid_encrypted_content", "R");
  if (says(evidence, "badParameter") || says(evidence, "badBody")) return BAD_REQUEST;
  if (says(evidence, "empty")) return SERVER_ERROR;
  // Bedrock speaks of tokens per minute in the words of an overflow
  if (names(evidence, "rate") || evidence.text.includes("throttlingexception")) return RATE_LIMIT;
  if (isAnswerTooLong(evidence)) return result("format_error", "R");
  if (isOverflow(evidence)) return OVERFLOW;
  if (says(evidence, "providerPolicy")) return PROVIDER_POLICY;
  if (says(evidence, "model")) return NO_MODEL;
  if (says(evidence, "badKey")) return AUTH;
  if (SAYS.rate.test(evidence.text)) return RATE_LIMIT;
  if (says(evidence, "billing")) return BILLING;
  const isVague = evidence.headline.length < 30;
  return isVague && isLarge(evidence, 0.4, 80_000, 80) ? OVERFLOW : BAD_REQUEST;
}

function notFound(evidence: Evidence): Classification {
  if (says(evidence, "billing")) return BILLING;
  if (says(evidence, "providerPolicy")) return PROVIDER_POLICY;
  if (says(evidence, "model")) return NO_MODEL;
  const { provider = "", model = "" } = evidence.facts;
  // NVIDIA answers its own models with the web server's page when an account cannot reach them
  if (provider.includes("nvidia") && /^(?:nvidia\/)?nemotron/.test(model) && evidence.text.includes("page not found"))
    return NO_MODEL;
  return result("unknown", "R");
}

function tooMany(evidence: Evidence): Classification {
  if (says(evidence, "overloaded")) return OVERLOADED;
  const isRouter = evidence.namesUpstream || (evidence.facts.provider ?? "").includes("openrouter");
  if (isRouter && evidence.text.includes("provider returned error")) return result("upstream_rate_limit", "RF");
  if (names(evidence, "billing")) return BILLING;
  // a quota by the minute uses the same words as an empty account
  return SAYS.billing.test(evidence.text) && !says(evidence, "perTime") ? BILLING : RATE_LIMIT;
}

/** A server's own failure, unless its text names a cause that trying again does not cure. */
function serverSide(evidence: Evidence, otherwise: Classification): Classification {
  if (says(evidence, "badParameter") || says(evidence, "badBody")) return BAD_REQUEST;
  if (says(evidence, "empty")) return SERVER_ERROR;
  if (isOverflow(evidence)) return OVERFLOW;
  if (says(evidence, "billing")) return BILLING;
  return names(evidence, "badRequest") ? BAD_REQUEST : otherwise;
}

/** The same order as for statuses: what cannot be cured first. */
function byCode(evidence: Evidence): Classification | undefined {
  if (names(evidence, "encrypted")) return result("invalid_encrypted_content", "R");
  if (names(evidence, "billing")) return BILLING;
  if (names(evidence, "model")) return NO_MODEL;
  if (names(evidence, "context")) return OVERFLOW;
  if (names(evidence, "payload")) return result("payload_too_large", "RC");
  if (names(evidence, "auth")) return AUTH;
  if (names(evidence, "permission")) return result("auth", "F");
  if (names(evidence, "rate")) return result("rate_limit", "RK");
  if (names(evidence, "overloaded")) return OVERLOADED;
  if (names(evidence, "badParameter") || names(evidence, "badBody")) return BAD_REQUEST;
  if (names(evidence, "timeout")) return TIMEOUT;
  return names(evidence, "server") ? SERVER_ERROR : undefined;
}

function byWording(evidence: Evidence): Classification | undefined {
  if (says(evidence, "stale")) return result("timeout", "F");
  if (says(evidence, "payload")) return result("payload_too_large", "RC");
  if (says(evidence, "image")) return result("image_too_large", "R");
  if (SAYS.billing.test(evidence.text)) return says(evidence, "perTime") ? RATE_LIMIT : BILLING;
  if (SAYS.rate.test(evidence.text)) return RATE_LIMIT;
  if (says(evidence, "usageLimit")) return says(evidence, "passes") ? RATE_LIMIT : BILLING;
  if (says(evidence, "overloaded") || says(evidence, "busy")) return OVERLOADED;
  if (isAnswerTooLong(evidence)) return result("format_error", "R");
  if (isOverflow(evidence)) return OVERFLOW;
  if (says(evidence, "providerPolicy")) return PROVIDER_POLICY;
  if (says(evidence, "model")) return NO_MODEL;
  return says(evidence, "auth") ? AUTH : undefined;
}

function byTransport(evidence: Evidence): Classification | undefined {
  const { facts, text, status } = evidence;
  const kind = (facts.errorType ?? "").toLowerCase();
  if (SAYS.certificate.test(text) || kind.includes("cert")) return result("ssl_cert_verification", "");
  if (SAYS.tls.test(text)) return TIMEOUT;
  if (status === undefined && SAYS.disconnect.test(text)) {
    // servers drop what is too long for them without a word
    const isSilentOverflow =
      !THINKS_LONG.test((facts.model ?? "").toLowerCase()) && isLarge(evidence, 0.6, 120_000, 200);
    return isSilentOverflow ? OVERFLOW : TIMEOUT;
  }
  const isTransport =
    /time_?out|connect|network|socket|dns|ssl|tls|pipe|protocol|os_error|eof|read_error|write_error|proxy/.test(kind);
  return isTransport || SAYS.timeout.test(text) || SAYS.network.test(text) ? TIMEOUT : undefined;
}

function isOverflow(evidence: Evidence): boolean {
  return says(evidence, "context");
}

function isAnswerTooLong(evidence: Evidence): boolean {
  return says(evidence, "outputTooLong") && !/context[ _](?:length|limit|size)|context window/.test(evidence.text);
}

/** Whether the conversation fills so much of the window that an answer without a reason may mean "too long". */
function isLarge({ facts }: Evidence, share: number, tokens: number, messages: number): boolean {
  const { approxTokens = 0, contextLength = 200_000, messageCount = 0 } = facts;
  if (approxTokens > contextLength * share) return true;
  return contextLength <= 256_000 && (approxTokens > tokens || messageCount > messages);
}
