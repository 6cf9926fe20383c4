import { expect, it } from "vitest";
import { GatewayError } from "#src/domain/errors";

it("carries its code, its sentence and what the outside said", () => {
  const cause = new TypeError("reset");
  const error = new GatewayError("rate_limited", "Telegram answered 429.", { cause, retryAfterMs: 5000, status: 429 });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "GatewayError",
    code: "rate_limited",
    message: "Telegram answered 429.",
    cause,
    retryAfterMs: 5000,
    status: 429,
  });
});

it("has no cause of its own when there was none", () => {
  const error = new GatewayError("not_found", "There is no such session.");
  expect(Object.hasOwn(error, "cause")).toBe(false);
  expect([error.retryAfterMs, error.status]).toEqual([undefined, undefined]);
});
