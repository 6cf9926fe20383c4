// What vendors say of their models: window and longest answer in tokens, abilities, prices in US dollars per million
// tokens on the standard tier. Read on 2026-11-21 from
//   OpenAI     https://developers.openai.com/api/docs/models and /api/docs/pricing
//   Anthropic  https://platform.claude.com/docs/en/about-claude/pricing and /docs/en/models
//   Google     https://ai.google.dev/gemini-api/docs/pricing
//   DeepSeek   https://api-docs.deepseek.com/quick_start/pricing (list price; off-peak hours cost half)
//   xAI        https://docs.x.ai/developers/models
//   Moonshot   https://platform.kimi.ai/docs/pricing
//   Z.AI       https://developers.cloudflare.com/workers-ai/models/ (its models there; its own site was not readable)
//   Mistral    https://docs.mistral.ai/models
//   others     https://models.dev (the vendors' pages that it names)
// Prices change without a word: config.yaml can override every field of every row. A model whose price was not found has
// none, and its cost is then unknown rather than wrong.
import type { ClaudeThinking, Effort, ModelMetadata, ModelPrice, PriceTier } from "./model-metadata";

const UP_TO_XHIGH: readonly Effort[] = ["low", "medium", "high", "xhigh"];
const NONE_TO_XHIGH: readonly Effort[] = ["none", ...UP_TO_XHIGH];
const UP_TO_HIGH: readonly Effort[] = ["low", "medium", "high"];
const ON_OFF: readonly Effort[] = ["none", "high"];

/** Input, output, and input from the cache and into it. */
function price(input: number, output: number, cachedInput?: number, cacheWrite?: number): ModelPrice {
  return {
    input,
    output,
    ...(cachedInput === undefined ? {} : { cachedInput }),
    ...(cacheWrite === undefined ? {} : { cacheWrite }),
  };
}

function long(
  base: ModelPrice,
  ...tiers: readonly (readonly [above: number, input: number, output: number])[]
): ModelPrice {
  return {
    ...base,
    tiers: tiers.map(([aboveInputTokens, inputTimes, outputTimes]): PriceTier => ({
      aboveInputTokens,
      inputTimes,
      outputTimes,
    })),
  };
}

type Facts = Partial<ModelMetadata>;

/** A model that calls tools; what else it can stands in the facts. */
function model(contextTokens: number, maxOutputTokens: number, facts: Facts): ModelMetadata {
  return { contextTokens, maxOutputTokens, vision: false, tools: true, reasoning: false, efforts: [], ...facts };
}

function seeing(contextTokens: number, maxOutputTokens: number, facts: Facts): ModelMetadata {
  return model(contextTokens, maxOutputTokens, { vision: true, ...facts });
}

/** A model that sees, and thinks as long as it is told. */
function thinker(contextTokens: number, maxOutputTokens: number, efforts: readonly Effort[], cost?: ModelPrice) {
  return seeing(contextTokens, maxOutputTokens, {
    reasoning: true,
    efforts,
    ...(cost === undefined ? {} : { price: cost }),
  });
}

const GPT_LONG = [272_000, 2, 1.5] as const;

/** OpenAI's models since GPT-5.4: the whole request costs more above 272,000 tokens. */
function gpt(efforts: readonly Effort[], cost: ModelPrice): ModelMetadata {
  return thinker(1_050_000, 128_000, efforts, long(cost, GPT_LONG));
}

function claude(
  contextTokens: number,
  maxOutputTokens: number,
  thinking: ClaudeThinking,
  cost?: ModelPrice,
): ModelMetadata {
  return { ...thinker(contextTokens, maxOutputTokens, UP_TO_XHIGH, cost), thinking };
}

const M = 1_000_000;
const MI = 1_048_576;

/** Models by the name that their vendor gives them. */
export const MODEL_TABLE: Readonly<Record<string, ModelMetadata>> = {
  "gpt-6.2-sol": gpt(UP_TO_XHIGH, price(2, 10, 0.1, 2.5)),
  "gpt-6.1-sol": gpt(UP_TO_XHIGH, price(2, 10, 0.1, 2.5)),
  "gpt-6-sol": gpt(NONE_TO_XHIGH, price(2, 10, 0.2, 2.5)),
  "gpt-6-luna": gpt(NONE_TO_XHIGH, price(0.1, 0.5, 0.01, 0.125)),
  "gpt-6-astra": gpt(UP_TO_XHIGH, price(10, 50, 1, 12.5)),
  // the price until 2026-11-21 at least, as its page says; 5 and 30 before
  "gpt-5.6": gpt(NONE_TO_XHIGH, price(4, 20, 0.4)),
  "gpt-5.6-sol": gpt(NONE_TO_XHIGH, price(4, 20, 0.4)),
  "gpt-5.6-terra": gpt(NONE_TO_XHIGH, price(2, 12, 0.2)),
  "gpt-5.6-luna": gpt(NONE_TO_XHIGH, price(0.2, 1.2, 0.02)),
  "gpt-5.5": gpt(NONE_TO_XHIGH, price(5, 30, 0.5)),
  "gpt-5.4": gpt(NONE_TO_XHIGH, price(2.5, 15, 0.25)),
  "gpt-5.4-mini": thinker(400_000, 128_000, NONE_TO_XHIGH, price(0.75, 4.5, 0.075)),
  "gpt-5.4-nano": thinker(400_000, 128_000, NONE_TO_XHIGH, price(0.2, 1.25, 0.02)),
  "gpt-5.3-codex": thinker(400_000, 128_000, UP_TO_XHIGH, price(1.75, 14, 0.175)),
  "gpt-5.2": thinker(400_000, 128_000, NONE_TO_XHIGH, price(1.75, 14, 0.175)),
  "gpt-5.2-codex": thinker(400_000, 128_000, UP_TO_XHIGH, price(1.75, 14, 0.175)),
  "gpt-5.1": thinker(400_000, 128_000, ["none", ...UP_TO_HIGH], price(1.25, 10, 0.125)),
  "gpt-5.1-codex": thinker(400_000, 128_000, UP_TO_HIGH, price(1.25, 10, 0.125)),
  "gpt-5": thinker(400_000, 128_000, ["minimal", ...UP_TO_HIGH], price(1.25, 10, 0.125)),
  "gpt-5-mini": thinker(400_000, 128_000, ["minimal", ...UP_TO_HIGH], price(0.25, 2, 0.025)),
  "gpt-5-nano": thinker(400_000, 128_000, ["minimal", ...UP_TO_HIGH], price(0.05, 0.4, 0.005)),
  "gpt-4.1": seeing(1_047_576, 32_768, {}),
  "gpt-4.1-mini": seeing(1_047_576, 32_768, {}),
  "gpt-4.1-nano": seeing(1_047_576, 32_768, {}),
  "gpt-4o": seeing(128_000, 16_384, {}),
  "gpt-4o-mini": seeing(128_000, 16_384, {}),
  o3: thinker(200_000, 100_000, UP_TO_HIGH, price(2, 8, 0.5)),
  "o3-mini": { ...thinker(200_000, 100_000, UP_TO_HIGH, price(1.1, 4.4, 0.55)), vision: false },
  "o4-mini": thinker(200_000, 100_000, UP_TO_HIGH, price(1.1, 4.4, 0.275)),
  o1: thinker(200_000, 100_000, UP_TO_HIGH),
  // open weights: its price is its host's
  "gpt-oss-120b": model(131_072, 32_768, { reasoning: true, efforts: UP_TO_HIGH }),
  "gpt-oss-20b": model(131_072, 32_768, { reasoning: true, efforts: UP_TO_HIGH }),

  "claude-fable-5-2": claude(M, 128_000, "adaptive_always"),
  "claude-fable-5-1": claude(M, 128_000, "adaptive_always", price(10, 50, 0.25, 12.5)),
  "claude-fable-5": claude(M, 128_000, "adaptive_always", price(10, 50, 1, 12.5)),
  "claude-opus-5-5": claude(M, 128_000, "adaptive_always", price(4, 20, 0.2, 5)),
  "claude-opus-5": claude(M, 128_000, "adaptive_on", price(5, 25, 0.5, 6.25)),
  "claude-opus-4-8": claude(M, 128_000, "adaptive", price(5, 25, 0.5, 6.25)),
  "claude-opus-4-7": claude(M, 128_000, "adaptive", price(5, 25, 0.5, 6.25)),
  "claude-opus-4-6": { ...claude(M, 128_000, "adaptive", price(5, 25, 0.5, 6.25)), efforts: UP_TO_HIGH },
  "claude-opus-4-5": claude(200_000, 64_000, "budget", price(5, 25, 0.5, 6.25)),
  "claude-opus-4-1": claude(200_000, 32_000, "budget", price(15, 75, 1.5, 18.75)),
  "claude-sonnet-5-5": claude(M, 128_000, "adaptive_between", price(2, 10, 0.1, 2.5)),
  "claude-sonnet-5": claude(M, 128_000, "adaptive_on", price(2, 10, 0.2, 2.5)),
  "claude-sonnet-4-6": { ...claude(M, 64_000, "adaptive", price(3, 15, 0.3, 3.75)), efforts: UP_TO_HIGH },
  "claude-sonnet-4-5": claude(200_000, 64_000, "budget", price(3, 15, 0.3, 3.75)),
  "claude-sonnet-4": claude(200_000, 64_000, "budget", price(3, 15, 0.3, 3.75)),
  "claude-haiku-5-5": claude(M, 128_000, "adaptive_on", long(price(0.1, 0.5, 0.01, 0.125), [100_000, 5, 5])),
  "claude-haiku-4-5": claude(200_000, 64_000, "budget", price(1, 5, 0.1, 1.25)),

  // introductory prices until 2026-12-31; 1.50 and 7.50 after
  "gemini-3.8-flash": thinker(MI, 65_536, UP_TO_HIGH, price(0.75, 3.75, 0.075)),
  "gemini-3.1-pro-preview": thinker(MI, 65_536, UP_TO_HIGH, long(price(2, 12, 0.2), [200_000, 2, 1.5])),
  "gemini-3.1-flash-lite": thinker(MI, 65_536, UP_TO_HIGH, price(0.25, 1.5, 0.025)),
  "gemini-2.5-pro": thinker(MI, 65_536, UP_TO_HIGH, long(price(1.25, 10, 0.125), [200_000, 2, 1.5])),
  "gemini-2.5-flash": thinker(MI, 65_536, ["none", ...UP_TO_HIGH], price(0.3, 2.5, 0.03)),

  "deepseek-flash": thinker(M, 393_216, ["none", "low", "high"], price(0.3, 1.2, 0.006)),
  "deepseek-v4-flash": thinker(M, 393_216, ["none", "low", "high"], price(0.3, 1.2, 0.006)),
  "deepseek-v4-pro": model(M, 393_216, { reasoning: true, efforts: ON_OFF, price: price(1.32, 3.96, 0.044) }),

  "grok-4.7": thinker(500_000, 500_000, UP_TO_XHIGH, long(price(2, 6, 0.5), [200_000, 2, 2])),
  "grok-4-1-fast": seeing(2 * M, 30_000, { reasoning: true, price: price(0.2, 0.5, 0.05) }),

  "kimi-k3": thinker(MI, 262_144, ON_OFF, price(3, 15, 0.3)),
  "kimi-k2.6": thinker(262_144, 262_144, ON_OFF, price(0.95, 4, 0.16)),

  "glm-5.3": model(M, 131_072, { reasoning: true, efforts: ON_OFF, price: price(1.4, 4.4, 0.26) }),
  "glm-5.3-flash": thinker(MI, 131_072, ON_OFF, price(0.15, 0.5, 0.03)),
  "glm-5.1": model(204_800, 131_072, { reasoning: true, efforts: ON_OFF }),

  "minimax-m3": model(M, 131_072, { reasoning: true, price: price(0.35, 1.4, 0.07, 0.4) }),

  "mistral-medium-3.5": thinker(262_144, 262_144, ON_OFF, price(1.5, 7.5)),

  "qwen3-max": model(262_144, 65_536, {
    price: long(price(1.2, 6, 0.24, 1.5), [32_000, 2, 2], [128_000, 2.5, 2.5]),
  }),
  "qwen3-coder-plus": model(M, 65_536, {
    price: long(price(1, 5, 0.2, 1.25), [32_000, 1.8, 1.8], [128_000, 3, 3], [256_000, 6, 12]),
  }),
  "qwen3.8-27b": seeing(262_144, 32_768, { reasoning: true, price: price(0.45, 3.2, 0.05) }),

  "llama-4-scout-17b-16e-instruct": seeing(131_000, 16_384, { price: price(0.27, 0.85) }),
};
