import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ErrorCode } from "#src/domain/errors";

/** HTTP status of each code: the one place that knows both. */
const STATUS: Readonly<Record<ErrorCode, ContentfulStatusCode>> = {
  bad_request: 400,
  signature_invalid: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  not_configured: 503,
  unavailable: 503,
  unconfirmed: 502,
  refused: 502,
  aborted: 499 as ContentfulStatusCode,
};

// the table has every word of the union, and no other
const CODES = Object.keys(STATUS) as readonly ErrorCode[];

/** Answers an error in the shape that the route's callers know: OpenAI's under `/v1`, RFC 9457 elsewhere. */
export function errorResponse(error: Error, c: Context): Response {
  const code = codeOf(error);
  if (code === undefined) {
    console.error(`${c.req.method} ${c.req.path} failed`, error);
    return isOpenAi(c)
      ? openAiError(c, 500, "server_error", null, "The server failed for a reason of its own.")
      : problemResponse(c, 500, "internal", "The server failed for a reason of its own.");
  }
  const status = STATUS[code];
  const wait = "retryAfterMs" in error && typeof error.retryAfterMs === "number" ? error.retryAfterMs : undefined;
  if (wait !== undefined) c.header("retry-after", String(Math.ceil(wait / 1000)));
  if (!isOpenAi(c)) return problemResponse(c, status, code, error.message);
  const type = status === 429 ? "rate_limit_error" : status >= 500 ? "server_error" : "invalid_request_error";
  return openAiError(c, status, type, code === "signature_invalid" ? "invalid_api_key" : null, error.message);
}

/** What the outside did; undefined for a mistake of our own. An error that crossed RPC keeps its fields, not its class. */
function codeOf(error: Error): ErrorCode | undefined {
  if (error.name !== "GatewayError" || !("code" in error)) return undefined;
  const { code } = error;
  return CODES.find((known) => known === code);
}

function isOpenAi(c: Context): boolean {
  return /^\/v1(?:\/|$)/.test(c.req.path);
}

/** What is wrong, as RFC 9457 has it. Source: https://www.rfc-editor.org/rfc/rfc9457 */
export function problemResponse(c: Context, status: ContentfulStatusCode, code: string, detail: string): Response {
  return c.json({ type: "about:blank", title: code.replaceAll("_", " "), status, code, detail }, status, {
    "content-type": "application/problem+json",
  });
}

function openAiError(
  c: Context,
  status: ContentfulStatusCode,
  type: string,
  code: string | null,
  message: string,
): Response {
  return c.json(openAiBody(type, code, message), status);
}

/** An error as clients of OpenAI read it. Source: https://platform.openai.com/docs/guides/error-codes */
export function openAiBody(type: string, code: string | null, message: string): object {
  return { error: { message, type, param: null, code } };
}
