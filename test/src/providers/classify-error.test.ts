import { describe, expect, it } from "vitest";
import { type ErrorFacts, classifyError } from "#src/providers/classify-error";

/** Reason and flags in short: R retry, C compress, K another key, F another model. */
function verdict(facts: ErrorFacts): string {
  const found = classifyError(facts);
  const flags = [
    found.retryable && "R",
    found.shouldCompress && "C",
    found.shouldRotateCredential && "K",
    found.shouldFallback && "F",
  ];
  return [found.reason, flags.filter(Boolean).join("")].join(" ").trim();
}

function error(message: string, code?: string | number): unknown {
  return { error: { message, ...(code === undefined ? {} : { code }) } };
}

describe("by status", () => {
  it.each<[number, unknown, string]>([
    [401, error("nope"), "auth KF"],
    [402, error("Payment required"), "billing KF"],
    [402, error("Usage limit reached, try again in 5 minutes"), "rate_limit RKF"],
    [403, error("no access"), "auth F"],
    [403, error("Key limit exceeded"), "billing KF"],
    [404, error("The model `x` does not exist"), "model_not_found F"],
    [404, error("no such page"), "unknown R"],
    [
      404,
      error("No endpoints available matching your guardrail restrictions and data policy"),
      "provider_policy_blocked",
    ],
    [408, undefined, "timeout R"],
    [409, undefined, "server_error R"],
    [410, error("This model was removed"), "model_not_found F"],
    [410, error("Gone"), "format_error F"],
    [413, undefined, "payload_too_large RC"],
    [418, undefined, "format_error F"],
    [422, error("content exceeds the context window"), "context_overflow RC"],
    [429, error("slow down"), "rate_limit RKF"],
    [429, error("engine is currently overloaded"), "overloaded R"],
    [429, error("You exceeded your current quota", "insufficient_quota"), "billing KF"],
    [429, error("You exceeded your current quota. Please retry in 30s"), "rate_limit RKF"],
    [429, error("You have exceeded your monthly spend limit"), "billing KF"],
    [429, error("x", "exceeded_current_quota_error"), "billing KF"],
    [429, error("Extra usage is required for long context requests."), "long_context_tier RC"],
    [498, undefined, "overloaded R"],
    [500, undefined, "server_error R"],
    [500, error("insufficient credits"), "billing KF"],
    [502, error("Unknown parameter: x"), "format_error F"],
    [502, { error: { message: "no", type: "invalid_request_error" } }, "format_error F"],
    [500, { error: { message: "prompt is too long", type: "invalid_request_error" } }, "context_overflow RC"],
    [503, undefined, "overloaded R"],
    [504, undefined, "timeout R"],
    [526, undefined, "ssl_cert_verification"],
    [529, undefined, "overloaded R"],
  ])("reads %s with %j as %s", (status, body, expected) => {
    expect(verdict({ status, body })).toBe(expected);
  });
});

describe("a bad request", () => {
  it.each<[string, string]>([
    ["prompt is too long: 210000 tokens > 200000 maximum", "context_overflow RC"],
    ["This model's maximum context length is 8192 tokens", "context_overflow RC"],
    ["max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens", "format_error R"],
    ["Unsupported parameter: 'max_tokens' is not supported with this model", "format_error F"],
    ["Input validation error: `inputs` tokens + `max_new_tokens` must be <= 131073", "context_overflow RC"],
    ["input is 250000 tokens; the limit for this model is 200000 tokens", "context_overflow RC"],
    ["prompt exceeds max length", "context_overflow RC"],
    ["n_ctx_slot exceeded", "context_overflow RC"],
    ["Input prompt (9000 tokens) is too long and exceeds limit of 8192", "context_overflow RC"],
    ["litellm.ContextWindowExceededError: BadRequestError", "context_overflow RC"],
    ["Input exceeds maximum sequence length of 4096", "context_overflow RC"],
    ["Prompt 超长", "context_overflow RC"],
    ["max_tokens exceeds the limit of 8192", "format_error R"],
    ["The maximum tokens you requested exceeds the model limit of 4096.", "format_error R"],
    ["max_tokens: Field required", "format_error F"],
    ["`max_tokens` must be greater than `thinking.budget_tokens`", "format_error F"],
    ["请求频率过高，已限流", "rate_limit RKF"],
    ["prompt token count of 135355 exceeds the limit of 128000", "context_overflow RC"],
    ["`inputs` must have less than 4095 tokens. Given: 9000", "context_overflow RC"],
    ["max_tokens must be at least 1, got -1200", "context_overflow RC"],
    ["The number of tools exceeds the limit of 128", "format_error F"],
    ["Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "format_error R"],
    ["`max_tokens` must be less than or equal to `32768`, less than the `context_window`", "format_error R"],
    ["ThrottlingException: Too many tokens, please wait before trying again.", "rate_limit RKF"],
    ["Not found the model kimi-k9 or Permission denied", "model_not_found F"],
    ["Token has expired", "auth KF"],
    ["Unexpected token < in JSON", "format_error F"],
    ["Total tokens of image and text exceed max message tokens", "context_overflow RC"],
    ["foo is not a valid model ID", "model_not_found F"],
    ["Unable to find model foo", "model_not_found F"],
    ["image exceeds 5 MB maximum", "image_too_large R"],
    ["tool message content must be a string", "multimodal_tool_content_unsupported R"],
    ["thinking blocks in the latest message cannot be modified", "thinking_signature R"],
    ["error parsing grammar: unexpected", "llama_cpp_grammar_pattern R"],
    ["The encrypted content could not be verified", "invalid_encrypted_content R"],
    ["The long context beta is not yet available for this subscription.", "oauth_long_context_beta_forbidden R"],
    ["Your credit balance is too low", "billing KF"],
    ["API key not valid. Please pass a valid API key.", "auth KF"],
    ["Your request was rejected as a result of our safety system.", "content_policy F"],
    ["Content violates usage guidelines.", "content_policy F"],
    ["The content you provided or machine outputted is blocked.", "content_policy F"],
    ["This request has been flagged for possible cybersecurity risk", "content_policy F"],
    ["unsafe content-type header", "format_error F"],
    ["input new_sensitive (1026)", "content_policy F"],
    ["Missing required parameter: 'messages'.", "format_error F"],
  ])("saying %j is %s", (message, expected) => {
    expect(verdict({ status: 400, body: error(message) })).toBe(expected);
  });

  it("that gives no reason is an overflow only beside a large conversation", () => {
    expect(verdict({ status: 400, body: error("Error"), approxTokens: 90_000, contextLength: 200_000 })).toBe(
      "context_overflow RC",
    );
    expect(verdict({ status: 400, body: error("Error"), messageCount: 81 })).toBe("context_overflow RC");
    expect(verdict({ status: 400, body: error("Error"), approxTokens: 9000 })).toBe("format_error F");
  });
});

describe("without a status", () => {
  it.each<[ErrorFacts, string]>([
    [{ body: error("x", "insufficient_quota") }, "billing KF"],
    [{ body: error("x", "rate_limit_exceeded") }, "rate_limit RK"],
    [{ body: { error: { type: "overloaded_error", message: "x" } } }, "overloaded R"],
    [{ status: 200, body: error("x", 401) }, "auth KF"],
    [{ message: "Too Many Requests" }, "rate_limit RKF"],
    [{ message: "usage limit reached" }, "billing KF"],
    [{ message: "connect ECONNREFUSED 127.0.0.1:11434" }, "timeout R"],
    [{ message: "net::ERR_CONNECTION_RESET" }, "timeout R"],
    [{ message: "EOF occurred in violation of protocol" }, "timeout R"],
    [{ message: "SSL: UNEXPECTED_EOF_WHILE_READING" }, "timeout R"],
    [{ message: "dns lookup failed" }, "timeout R"],
    [{ message: "Unable to connect. Is the computer able to access the url?" }, "timeout R"],
    [{ message: "No capacity: peak load" }, "overloaded R"],
    [{ body: error("x", "not_found_error") }, "unknown R"],
    [{ body: error("x", "access_terminated") }, "unknown R"],
    [{ body: error("x", "gateway_timeout") }, "timeout R"],
    [{ body: error("x", "invalid_request_error") }, "format_error F"],
    [{ body: error("prompt is too long", "invalid_request_error") }, "context_overflow RC"],
    [{ body: error("x", "token_expired") }, "auth KF"],
    [{ message: "x509: certificate signed by unknown authority" }, "ssl_cert_verification"],
    [{ message: "Hostname/IP does not match certificate's altnames" }, "ssl_cert_verification"],
    [{ message: "CERTIFICATE_VERIFY_FAILED: self signed certificate" }, "ssl_cert_verification"],
    [{ message: "[SSL: BAD_RECORD_MAC] decryption failed" }, "timeout R"],
    [{ errorType: "APIConnectionTimeoutError" }, "timeout R"],
    [{ message: "6 consecutive stale attempts, aborting" }, "timeout F"],
    [{ message: "TypeError: x is not a function" }, "unknown R"],
    [{}, "unknown R"],
  ])("reads %j as %s", (facts, expected) => {
    expect(verdict(facts)).toBe(expected);
  });

  it("takes a dropped connection for an overflow only when the conversation is large and the model does not think long", () => {
    const dropped = { message: "Server disconnected", approxTokens: 180_000, contextLength: 200_000 };
    expect(verdict({ ...dropped, model: "gpt-4.1" })).toBe("context_overflow RC");
    expect(verdict({ ...dropped, model: "deepseek-r1" })).toBe("timeout R");
    expect(verdict({ ...dropped, approxTokens: 100 })).toBe("timeout R");
  });
});

it("blames the vendor behind a router, and not the key, for the vendor's limit", () => {
  const body = {
    error: { message: "Provider returned error", code: 429, metadata: { provider_name: "X", raw: "limited" } },
  };
  expect(verdict({ status: 429, body })).toBe("upstream_rate_limit RF");
  expect(verdict({ status: 429, body: error("Provider returned error"), provider: "openrouter.ai" })).toBe(
    "upstream_rate_limit RF",
  );
  expect(verdict({ status: 429, body: error("Provider returned error"), provider: "other" })).toBe("rate_limit RKF");
});

it("reads the vendor's own words in a router's error", () => {
  const raw = JSON.stringify({ error: { message: "prompt is too long: 300 tokens > 200 maximum" } });
  expect(verdict({ status: 400, body: { error: { message: "Provider returned error", metadata: { raw } } } })).toBe(
    "context_overflow RC",
  );
});

it.each([null, 7, "text", [], [{ error: { message: "Overloaded" } }], { error: null }, { error: { message: ["a"] } }])(
  "bears the body %j",
  (body) => {
    expect(classifyError({ status: 503, body }).reason).toBe("overloaded");
  },
);

it("bears a body that is nested without end and a text that is very long", () => {
  let body: unknown = { message: "deep" };
  for (let i = 0; i < 10_000; i++) body = { error: body };
  expect(classifyError({ status: 500, body, message: "model ".repeat(200_000) }).reason).toBe("server_error");
});
