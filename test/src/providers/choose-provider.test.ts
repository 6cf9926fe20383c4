import { expect, it } from "vitest";
import { GatewayError } from "#src/domain/errors";
import { type ProviderSettings, chooseProvider } from "#src/providers/choose-provider";

const ai = { run: () => Promise.resolve(undefined) };

function choose(settings: Partial<ProviderSettings>) {
  const { provider, model, connection } = chooseProvider({ isLocal: false, ...settings });
  return { provider: provider.name, model, connection };
}

it.each<[string, Partial<ProviderSettings>, ReturnType<typeof choose>]>([
  ["a key", { openaiApiKey: "k", model: "m" }, { provider: "openai", model: "m", connection: { apiKey: "k" } }],
  [
    "a base URL alone",
    { openaiBaseUrl: "http://localhost:11434/v1", model: "llama3" },
    { provider: "openai", model: "llama3", connection: { baseUrl: "http://localhost:11434/v1" } },
  ],
  [
    "a key, before Workers AI",
    { openaiApiKey: "k", model: "m", ai },
    { provider: "openai", model: "m", connection: { apiKey: "k" } },
  ],
  [
    "a key of OpenRouter",
    { openrouterApiKey: "r", model: "a/b" },
    { provider: "openai", model: "a/b", connection: { apiKey: "r", baseUrl: "https://openrouter.ai/api/v1" } },
  ],
  [
    "a model of OpenRouter beside two keys",
    { openaiApiKey: "k", openrouterApiKey: "r", model: "a/b" },
    { provider: "openai", model: "a/b", connection: { apiKey: "r", baseUrl: "https://openrouter.ai/api/v1" } },
  ],
  [
    "another model beside two keys",
    { openaiApiKey: "k", openrouterApiKey: "r", model: "m" },
    { provider: "openai", model: "m", connection: { apiKey: "k" } },
  ],
  ["Workers AI alone", { ai, model: "@cf/x/y" }, { provider: "workers-ai", model: "@cf/x/y", connection: { ai } }],
  ["nothing, locally", { isLocal: true }, { provider: "demo", model: "demo", connection: {} }],
  ["nothing but an idle binding, locally", { isLocal: true, ai }, { provider: "demo", model: "demo", connection: {} }],
  [
    "empty settings, locally",
    { isLocal: true, openaiApiKey: " ", openaiBaseUrl: "" },
    { provider: "demo", model: "demo", connection: {} },
  ],
])("chooses by %s", (_, settings, expected) => {
  expect(choose(settings)).toEqual(expected);
});

it.each<Partial<ProviderSettings>>([{ openaiApiKey: "k" }, { openrouterApiKey: "r" }, { ai }])(
  "has a model for %j when none is named",
  (settings) => {
    expect(choose(settings).model).not.toBe("");
  },
);

it("says what to set when a deployment has nothing", () => {
  expect(() => choose({})).toThrow(GatewayError);
  expect(() => choose({})).toThrow(/OPENAI_API_KEY/);
});

it("names the setting whose address is none", () => {
  expect(() => choose({ openaiBaseUrl: "localhost:1" })).toThrow(/OPENAI_BASE_URL/);
  expect(() => choose({ openaiBaseUrl: "file:///etc" })).toThrow(/OPENAI_BASE_URL/);
});

it.each([
  ["gpt-5-mini", true],
  ["anthropic/claude-sonnet-4.5", true],
  ["qwen2.5-vl:7b", true],
  ["llama3", false],
  ["o1-mini", false],
])("knows whether %s reads pictures", (model, expected) => {
  expect(chooseProvider({ isLocal: false, openaiApiKey: "k", model }).supportsImages).toBe(expected);
});
