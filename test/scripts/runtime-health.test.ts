import { expect, it } from "vitest";
import { createBackoff, findFault } from "../../scripts/runtime-health.ts";

it("finds no fault with a runtime that answers and stays small", () => {
  expect(findFault({ silentMs: 9_999, memoryBytes: 1.5 * 1024 ** 3 })).toBeUndefined();
});

it("finds fault with ten seconds of silence", () => {
  expect(findFault({ silentMs: 10_000, memoryBytes: 0 })).toBe("did not answer /health for 10 s");
});

it("finds fault with more than one and a half gigabytes", () => {
  expect(findFault({ silentMs: 0, memoryBytes: 1.6 * 1024 ** 3 })).toBe("grew to 1.6 GB");
});

it("waits longer before each restart in a row, and little again after a calm minute", () => {
  const backoff = createBackoff();
  const waits = Array.from({ length: 8 }, () => backoff.next(100));
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  expect(backoff.next(60_000)).toBe(500);
});
