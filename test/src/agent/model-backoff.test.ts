import { expect, it } from "vitest";
import { backoffMs } from "#src/agent/model-backoff";

const least = () => 0;
const most = () => 1;

it.each([
  [1, 2000],
  [2, 4000],
  [5, 32_000],
  [6, 60_000],
  [50, 60_000],
])("waits before try %i + 1 at least %i ms and at most half as long again", (attempt, expected) => {
  const failure = { reason: "server_error" } as const;
  expect(backoffMs({ attempt, failure, random: least })).toBe(expected);
  expect(backoffMs({ attempt, failure, random: most })).toBe(expected * 1.5);
});

it.each([
  [1, 5000],
  [5, 80_000],
  [6, 120_000],
])("gives a server that answers nonsense more time: try %i, %i ms", (attempt, expected) => {
  expect(backoffMs({ attempt, failure: { reason: "invalid_response" }, random: least })).toBe(expected);
});

it("waits as long as the provider asks", () => {
  expect(backoffMs({ attempt: 3, failure: { reason: "rate_limit", retryAfterMs: 700 }, random: most })).toBe(700);
});
