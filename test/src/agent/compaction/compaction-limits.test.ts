import { expect, it } from "vitest";
import {
  COMPACTION_DEFAULTS as DEFAULTS,
  compactionLimits,
  summaryTokens,
} from "#src/agent/compaction/compaction-limits";

it("uses half of a very large window, and three quarters of others", () => {
  expect(compactionLimits(DEFAULTS, { name: "m", contextTokens: 1_000_000 }).thresholdTokens).toBe(500_000);
  expect(compactionLimits(DEFAULTS, { name: "m", contextTokens: 512_000 }).thresholdTokens).toBe(256_000);
  expect(compactionLimits(DEFAULTS, { name: "m", contextTokens: 128_000 }).thresholdTokens).toBe(96_000);
});

it("takes the share of the longest name that fits the model, as it was said", () => {
  const settings = { ...DEFAULTS, modelThresholds: { gpt: 0.6, "GPT-5.5": 0.3, "": 0.1 } };
  expect(compactionLimits(settings, { name: "openai/gpt-5.5", contextTokens: 100_000 }).thresholdTokens).toBe(30_000);
  expect(compactionLimits(settings, { name: "gpt-4", contextTokens: 100_000 }).thresholdTokens).toBe(60_000);
});

it("never goes beyond the operator's own number of tokens, nor into the room of the answer", () => {
  const capped = { ...DEFAULTS, thresholdTokens: 32_000 };
  expect(compactionLimits(capped, { name: "m", contextTokens: 128_000 }).thresholdTokens).toBe(32_000);
  const model = { name: "m", contextTokens: 100_000, maxOutputTokens: 32_000 };
  expect(compactionLimits(DEFAULTS, model).thresholdTokens).toBe(68_000);
  expect(compactionLimits(DEFAULTS, { ...model, maxOutputTokens: 99_000 }).thresholdTokens).toBe(60_000);
});

it("gives the end a fifth of the threshold", () => {
  expect(compactionLimits(DEFAULTS, { name: "m", contextTokens: 128_000 }).tailTokens).toBe(19_200);
});

it("asks for no more than the summariser can read", () => {
  const model = { name: "m", contextTokens: 1_000_000 };
  expect(compactionLimits(DEFAULTS, model).maxInputChars).toBe(160_000);
  expect(compactionLimits(DEFAULTS, { ...model, summariserContextTokens: 8000 }).maxInputChars).toBe(16_000);
});

it("lets a summary have a fifth of what it covers, within bounds", () => {
  const limits = compactionLimits(DEFAULTS, { name: "m", contextTokens: 128_000 });
  expect(summaryTokens(100, limits)).toBe(2000);
  expect(summaryTokens(20_000, limits)).toBe(4000);
  expect(summaryTokens(1_000_000, limits)).toBe(6400);
  const large = compactionLimits(DEFAULTS, { name: "m", contextTokens: 1_000_000 });
  expect(summaryTokens(1_000_000, large)).toBe(10_000);
});
