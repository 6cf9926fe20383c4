import { beforeEach, expect, it } from "vitest";
import { answerResultChars, resultBounds } from "#src/agent/results/result-bounds";
import { calls, newConversation, results } from "../../../support/compaction-rows";

beforeEach(newConversation);

const BOUNDS = { maxChars: 100_000, turnMaxChars: 200_000, previewChars: 1500 };

it("makes bounds smaller where the model's window is, but not too small", () => {
  expect(resultBounds(BOUNDS, 1_000_000)).toEqual(BOUNDS);
  expect(resultBounds(BOUNDS, 100_000)).toEqual({ maxChars: 60_000, turnMaxChars: 120_000, previewChars: 1500 });
  expect(resultBounds(BOUNDS, 4000)).toEqual({ maxChars: 8000, turnMaxChars: 16_000, previewChars: 1500 });
  expect(resultBounds({ ...BOUNDS, maxChars: 1000 }, 4000).maxChars).toBe(1000);
});

it("counts the results of the turn's latest answer alone", () => {
  const T = { turnId: 1 };
  const rows = [
    calls(["a"], {}, T),
    results(["a"], "12345", {}, T),
    calls(["b", "c", "d"], {}, T),
    results(["b", "c"], "123", {}, T),
    results(["x"], "other", {}, { turnId: 2 }),
  ];
  expect(answerResultChars(rows, 1)).toBe(6);
  expect(answerResultChars([], 1)).toBe(0);
});
