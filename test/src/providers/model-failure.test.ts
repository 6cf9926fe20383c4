import { expect, it } from "vitest";
import { toModelFailure } from "#src/providers/model-failure";

const NOW = Date.parse("2026-11-21T12:00:00Z");

it("names the provider and quotes nothing of what it said", () => {
  const body = { error: { message: "Incorrect API key provided: sk-live-1234" } };
  const failure = toModelFailure({ provider: "api.example.com", status: 401, body }, NOW);
  expect(failure.message).toContain("api.example.com");
  expect(failure.message).not.toContain("sk-live");
});

it("sets only the flags that hold", () => {
  expect(toModelFailure({ provider: "p", status: 500 }, NOW)).toEqual({
    reason: "server_error",
    status: 500,
    retryable: true,
    message: "p had an internal error (500).",
  });
});

it.each<[string, Record<string, string>, string, number | undefined]>([
  ["milliseconds in a header", { "retry-after-ms": "1500" }, "", 1500],
  ["seconds in a header", { "retry-after": "2" }, "", 2000],
  ["a date in a header", { "retry-after": "Sat, 21 Nov 2026 12:00:30 GMT" }, "", 30_000],
  ["seconds in the sentence", {}, "Please try again in 1.898s.", 1898],
  ["milliseconds in the sentence", {}, "Please try again in 250ms.", 250],
  ["minutes in the sentence", {}, "Please try again in 6m0s.", 360_000],
  ["the second when a limit begins anew", { "x-ratelimit-reset": "1795262430" }, "", 30_000],
  ["the millisecond when a limit begins anew", { "x-ratelimit-reset": "1795262430000" }, "", 30_000],
  ["seconds until a limit begins anew", { "x-ratelimit-reset": "30" }, "", 30_000],
  ["a limit that has begun anew", { "x-ratelimit-reset": "1795262300" }, "", undefined],
  ["nothing", {}, "Please try again in a while.", undefined],
])("reads how long to wait from %s", (_, headers, message, expected) => {
  const failure = toModelFailure({ provider: "p", status: 429, headers: new Headers(headers), message }, NOW);
  expect(failure.retryAfterMs).toBe(expected);
});

it("tells a broken connection from a slow one", () => {
  expect(toModelFailure({ provider: "p", message: "fetch failed" }, NOW).reason).toBe("network");
  expect(toModelFailure({ provider: "p", message: "Request timed out." }, NOW).reason).toBe("timeout");
});

// https://openrouter.ai/docs/api/reference/limits
it("reads when a limit begins anew from the body's copy of the header", () => {
  const body = {
    error: { message: "Rate limit exceeded", metadata: { headers: { "X-RateLimit-Reset": "1795262430000" } } },
  };
  expect(toModelFailure({ provider: "p", status: 429, body }, NOW)).toMatchObject({ retryAfterMs: 30_000 });
});
