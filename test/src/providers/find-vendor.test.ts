import { describe, expect, it } from "vitest";
import { apiOf, findVendor, makersOf, modelAt, parseModelName } from "#src/providers/find-vendor";
import { VENDORS, type Vendor } from "#src/providers/vendors";

function vendor(name: string): Vendor {
  const found = findVendor(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe("the vendors", () => {
  it("have names and aliases of their own", () => {
    const names = VENDORS.flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[a-z0-9]+(?:[-._][a-z0-9]+)*$/.test(name))).toEqual([]);
  });

  it("have keys and addresses by names that the environment can have", () => {
    const names = VENDORS.flatMap(({ keyNames, baseUrlName }) => [
      ...keyNames,
      ...(baseUrlName === undefined ? [] : [baseUrlName]),
    ]);
    expect(new Set(names).size).toBe(names.length);
    expect(names.filter((name) => !/^[A-Z]+(?:_[A-Z]+)*$/.test(name))).toEqual([]);
    for (const { baseUrl, label } of VENDORS) {
      if (baseUrl !== undefined) expect(URL.canParse(baseUrl), label).toBe(true);
    }
  });
});

it.each([
  ["claude-sonnet-5", undefined, "claude-sonnet-5"],
  ["anthropic:claude-sonnet-5", "anthropic", "claude-sonnet-5"],
  ["Claude: claude-sonnet-5", "anthropic", "claude-sonnet-5"],
  ["openrouter:deepseek/deepseek-r1:free", "openrouter", "deepseek/deepseek-r1:free"],
  ["deepseek/deepseek-r1:free", undefined, "deepseek/deepseek-r1:free"],
  ["qwen2.5-vl:7b", undefined, "qwen2.5-vl:7b"],
  ["custom:my-model", "openai", "my-model"],
  ["x.ai:grok-4.7", "xai", "grok-4.7"],
  ["", undefined, ""],
  [":", undefined, ":"],
])("reads %j as a model of %s", (text, name, model) => {
  const parsed = parseModelName(text);
  expect(parsed.vendor?.name).toBe(name);
  expect(parsed.model).toBe(model);
});

it.each([
  ["claude-opus-5-5", ["anthropic"]],
  ["anthropic/claude-opus-5.5", ["anthropic"]],
  ["gpt-6-sol", ["openai"]],
  ["gpt-oss-120b", []],
  ["kimi-k3", ["kimi-coding", "kimi-coding-cn"]],
  ["llama3", []],
])("knows who makes %s", (model, names) => {
  expect(makersOf(model).map(({ name }) => name)).toEqual(names);
});

it.each([
  ["anthropic", "anthropic/claude-sonnet-4.5", "claude-sonnet-4-5"],
  ["anthropic", "claude-sonnet-4.5-20250929", "claude-sonnet-4-5-20250929"],
  ["gemini", "google/gemini-2.5-pro", "gemini-2.5-pro"],
  ["openrouter", "claude-sonnet-5-5", "anthropic/claude-sonnet-5.5"],
  ["openrouter", "gpt-6-sol", "openai/gpt-6-sol"],
  ["openrouter", "openrouter/auto", "openrouter/auto"],
  ["openrouter", "who-knows", "who-knows"],
  ["nvidia", "nvidia/nemotron-3", "nvidia/nemotron-3"],
])("spells for %s the model %s as %s", (name, model, expected) => {
  expect(modelAt(vendor(name), model)).toBe(expected);
});

it.each([
  ["openai", "gpt-6.2-sol", "responses"],
  ["openai", "gpt-5-mini", "responses"],
  ["openai", "o3", "responses"],
  ["openai", "gpt-4o", "openai"],
  ["opencode-zen", "claude-opus-5-5", "anthropic"],
  ["opencode-zen", "kimi-k3", "openai"],
  ["minimax", "MiniMax-M3", "anthropic"],
])("speaks at %s to %s by %s", (name, model, api) => {
  expect(apiOf(vendor(name), model)).toBe(api);
});
