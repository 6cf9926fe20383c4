import { expect, it } from "vitest";
import { costOf } from "#src/providers/cost";

const PRICE = { input: 2, output: 10, cachedInput: 0.2, cacheWrite: 2.5 };

it("counts fresh, cached and written input apart", () => {
  const usage = {
    inputTokens: 1_000_000,
    outputTokens: 100_000,
    cachedInputTokens: 600_000,
    cacheWriteTokens: 100_000,
  };
  // 300k at 2, 600k at 0.2, 100k at 2.5, 100k at 10
  expect(costOf(usage, PRICE)).toBeCloseTo(0.6 + 0.12 + 0.25 + 1, 10);
});

it("takes the price of other input where the cache has none of its own", () => {
  const usage = { inputTokens: 1_000_000, outputTokens: 0, cachedInputTokens: 500_000, cacheWriteTokens: 500_000 };
  expect(costOf(usage, { input: 2, output: 10 })).toBeCloseTo(2, 10);
});

it("charges all of a long request by its tier", () => {
  const tiers = [
    { aboveInputTokens: 100_000, inputTimes: 2, outputTimes: 1.5 },
    { aboveInputTokens: 500_000, inputTimes: 4, outputTimes: 3 },
  ];
  const price = { input: 2, output: 10, tiers };
  expect(costOf({ inputTokens: 100_000, outputTokens: 10_000 }, price)).toBeCloseTo(0.2 + 0.1, 10);
  expect(costOf({ inputTokens: 100_001, outputTokens: 10_000 }, price)).toBeCloseTo(0.400_004 + 0.15, 10);
  expect(costOf({ inputTokens: 1_000_000, outputTokens: 10_000 }, price)).toBeCloseTo(8 + 0.3, 10);
});

it("is never negative, whatever a vendor counts", () => {
  expect(costOf({ inputTokens: 0, outputTokens: 0, cachedInputTokens: 10 }, PRICE)).toBeGreaterThanOrEqual(0);
});
