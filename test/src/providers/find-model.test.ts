import { expect, it } from "vitest";
import { findModel, isKnownModel } from "#src/providers/find-model";
import { MODEL_TABLE } from "#src/providers/model-table";

it.each([
  ["claude-sonnet-4-5", "claude-sonnet-4-5"],
  ["claude-sonnet-4-5-20250929", "claude-sonnet-4-5"],
  ["anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
  ["anthropic/claude-sonnet-4.5:beta", "claude-sonnet-4-5"],
  ["us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5"],
  ["Claude-Opus-5.5", "claude-opus-5-5"],
  ["gpt-5-2025-08-07", "gpt-5"],
  ["openai/gpt-5.1", "gpt-5.1"],
  ["gpt-oss:120b", "gpt-oss-120b"],
  ["@cf/openai/gpt-oss-120b", "gpt-oss-120b"],
  ["@cf/zai-org/glm-5.3-flash", "glm-5.3-flash"],
  ["deepseek/deepseek-v4-pro-0813", "deepseek-v4-pro"],
  ["google/gemini-3.1-pro-preview", "gemini-3.1-pro-preview"],
  ["gemini-2.5-flash-preview-05-20", "gemini-2.5-flash"],
  ["MiniMax-M3", "minimax-m3"],
  ["moonshotai/kimi-k2.6:free", "kimi-k2.6"],
  ["qwen3-max-2025-09-23", "qwen3-max"],
])("knows %s as %s", (name, row) => {
  expect(findModel(name)).toEqual(MODEL_TABLE[row]);
  expect(isKnownModel(name)).toBe(true);
});

it("takes a variant for its family, but does not guess its price", () => {
  const { price, ...rest } = findModel("gpt-5-pro");
  expect(price).toBeUndefined();
  expect(rest).toMatchObject({ contextTokens: 400_000, reasoning: true, vision: true });
  expect(findModel("gpt-5-chat-latest").price).toEqual(MODEL_TABLE["gpt-5"]?.price);
});

it.each(["gpt-5.9", "claude-opus-5-6", "gpt-50", "o30", "llama3", "scripted", ""])("does not know %j", (name) => {
  expect(isKnownModel(name)).toBe(false);
  expect(findModel(name)).toMatchObject({ contextTokens: 128_000, tools: true, efforts: [] });
  expect(findModel(name).price).toBeUndefined();
});

it("lets an operator say better, field by field, under any name of the model", () => {
  const overrides = { "claude-sonnet-4.5": { contextTokens: 1_000_000 }, mine: { vision: true, maxOutputTokens: 5 } };
  expect(findModel("anthropic/claude-sonnet-4-5", overrides)).toMatchObject({
    contextTokens: 1_000_000,
    maxOutputTokens: 64_000,
  });
  expect(findModel("mine", overrides)).toMatchObject({ vision: true, maxOutputTokens: 5, contextTokens: 128_000 });
});

it("holds only rows that can be", () => {
  for (const [name, row] of Object.entries(MODEL_TABLE)) {
    expect(row.maxOutputTokens, name).toBeLessThanOrEqual(row.contextTokens);
    expect(row.efforts.length === 0 || row.reasoning, name).toBe(true);
    const { price } = row;
    if (price === undefined) continue;
    expect(price.output, name).toBeGreaterThan(price.input);
    expect(price.cachedInput ?? 0, name).toBeLessThan(price.input);
    expect(price.cacheWrite ?? price.input, name).toBeGreaterThanOrEqual(price.input);
    const tiers = (price.tiers ?? []).map((tier) => tier.aboveInputTokens);
    expect(tiers, name).toEqual(tiers.toSorted((a, b) => a - b));
  }
});
