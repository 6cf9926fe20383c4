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

const KEYS = {
  ANTHROPIC_API_KEY: "a",
  GEMINI_API_KEY: "g",
  MISTRAL_API_KEY: "m",
  MINIMAX_API_KEY: "x",
  GLM_API_KEY: "z",
};

function inEnvironment(texts: Readonly<Record<string, string>>, settings: Partial<ProviderSettings> = {}) {
  const environment = { get: (name: string) => texts[name], names: Object.keys(texts) };
  return chooseProvider({ isLocal: false, environment, ...settings });
}

it.each<[string, Partial<ProviderSettings>, string, string, string]>([
  ["a maker's own key", { model: "claude-sonnet-5-5" }, "anthropic", "anthropic", "claude-sonnet-5-5"],
  ["a router's spelling", { model: "anthropic/claude-sonnet-4.5" }, "anthropic", "anthropic", "claude-sonnet-4-5"],
  ["a vendor's name", { model: "anthropic:claude-opus-5-5" }, "anthropic", "anthropic", "claude-opus-5-5"],
  ["an alias", { model: "google:gemini-2.5-pro" }, "gemini", "openai", "gemini-2.5-pro"],
  ["a setting", { vendor: "Claude", model: "claude-fable-5-1" }, "anthropic", "anthropic", "claude-fable-5-1"],
  ["a setting alone", { vendor: "mistral" }, "mistral", "openai", "mistral-medium-latest"],
  ["a setting and its name", { vendor: "zai", model: "glm:glm-5.3" }, "zai", "openai", "glm-5.3"],
  ["the first key there is", {}, "anthropic", "anthropic", "claude-sonnet-5-5"],
  ["a compatible API", { model: "MiniMax-M3" }, "minimax", "anthropic", "MiniMax-M3"],
  [
    "a short name",
    { model: "fast", aliases: { fast: "gemini:gemini-3.8-flash" } },
    "gemini",
    "openai",
    "gemini-3.8-flash",
  ],
  ["OpenAI's thinking models", { openaiApiKey: "k", model: "gpt-6.2-sol" }, "openai", "responses", "gpt-6.2-sol"],
  ["OpenAI's other models", { openaiApiKey: "k", model: "gpt-4.1" }, "openai", "openai", "gpt-4.1"],
  [
    "OpenAI's models elsewhere",
    { openaiApiKey: "k", openaiBaseUrl: "http://localhost:1/v1", model: "gpt-6.2-sol" },
    "openai",
    "openai",
    "gpt-6.2-sol",
  ],
  ["an API that is set", { openaiApiKey: "k", model: "gpt-6.2-sol", api: "openai" }, "openai", "openai", "gpt-6.2-sol"],
  [
    "stored responses",
    { openaiApiKey: "k", model: "gpt-6.2-sol", storesResponses: true },
    "openai",
    "responses-stored",
    "gpt-6.2-sol",
  ],
  [
    "a model's tag at an endpoint of one's own",
    { openaiBaseUrl: "http://l:1/v1", model: "qwen:7b" },
    "openai",
    "openai",
    "qwen:7b",
  ],
  ["Workers AI by its model", { ai, model: "@cf/x/y", openaiApiKey: "k" }, "workers-ai", "workers-ai", "@cf/x/y"],
  [
    "a router's key",
    { openrouterApiKey: "r", model: "openrouter:claude-sonnet-4-5" },
    "openrouter",
    "openai",
    "anthropic/claude-sonnet-4.5",
  ],
  ["a router's model", { openrouterApiKey: "r", model: "meta/llama-4" }, "openrouter", "openai", "meta/llama-4"],
])("chooses a vendor by %s", (_, settings, vendor, provider, model) => {
  const chosen = inEnvironment(KEYS, settings);
  expect([chosen.vendor, chosen.provider.name, chosen.model]).toEqual([vendor, provider, model]);
});

it("gathers all keys of a vendor, by their names", () => {
  const chosen = inEnvironment({
    ZAI_API_KEY: " one ",
    ZAI_API_KEY__B: "three",
    ZAI_API_KEY__A: "two",
    ZAI_API_KEY__C: " ",
  });
  expect(chosen.keys).toEqual([
    { name: "ZAI_API_KEY", key: "one" },
    { name: "ZAI_API_KEY__A", key: "two" },
    { name: "ZAI_API_KEY__B", key: "three" },
  ]);
  expect(chosen.connection).toEqual({ apiKey: "one", baseUrl: "https://api.z.ai/api/paas/v4" });
  expect(chosen.overloadWaitsMs).toHaveLength(4);
});

it("knows the model that it chose, and what the operator says of it", () => {
  expect(inEnvironment(KEYS).metadata).toMatchObject({ contextTokens: 1_000_000, price: { input: 2 } });
  const overrides = { "claude-sonnet-5-5": { contextTokens: 5 } };
  expect(inEnvironment(KEYS, { overrides }).metadata.contextTokens).toBe(5);
});

it("takes an address of the environment for every vendor, if it is one", () => {
  expect(inEnvironment({ ...KEYS, ANTHROPIC_BASE_URL: "http://l:1" }).connection.baseUrl).toBe("http://l:1");
  expect(() => inEnvironment({ ...KEYS, ANTHROPIC_BASE_URL: "l:1" })).toThrow(/ANTHROPIC_BASE_URL/);
});

it.each<[Partial<ProviderSettings>, RegExp]>([
  [{ model: "deepseek:deepseek-flash" }, /DEEPSEEK_API_KEY/],
  [{ vendor: "xai" }, /XAI_API_KEY/],
  [{ vendor: "nobody" }, /"nobody"/],
  [{ environment: { get: () => "k", names: [] }, vendor: "nvidia" }, /name one with MODEL/],
])("says what is missing for %j", (settings, message) => {
  const error = expect(() => inEnvironment(KEYS, settings));
  error.toThrow(GatewayError);
  error.toThrow(message);
});

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
