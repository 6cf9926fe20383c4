// Vendors of models, by the names that Hermes Agent gives them and the environment names that its users have. Sources:
// https://hermes-agent.nousresearch.com/docs/reference/environment-variables and the vendors' own pages (2026-11-21).
// Left out are those that are reached by a sign-in instead of a key, or by a signed request (Bedrock, Vertex, Copilot).

/** The name of the provider that speaks a vendor's API. */
export type ApiName = "openai" | "responses" | "anthropic";

/** One vendor of models, or a router to many. A new one is a row in {@link VENDORS}. */
export interface Vendor {
  readonly name: string;
  /** As a person knows it. */
  readonly label: string;
  readonly aliases: readonly string[];
  readonly api: ApiName;
  /** Models that are spoken to in another way. */
  readonly apiOf?: readonly (readonly [models: RegExp, api: ApiName])[];
  /** Absent for the provider's own. */
  readonly baseUrl?: string;
  /** Names of the environment that hold its key, first wins. */
  readonly keyNames: readonly string[];
  readonly baseUrlName?: string;
  /** It needs no key where its address is set. */
  readonly isKeyless?: true;
  /** Names of models that are its own. */
  readonly models?: RegExp;
  /** What routers put before the names of its models; its own API knows them without. */
  readonly prefixes?: readonly string[];
  /** It sells the models of others, by `vendor/model`. */
  readonly isRouter?: true;
  /** It spells versions with hyphens. */
  readonly hyphens?: true;
  readonly defaultModel?: string;
  /** Waits between further tries when it is overloaded, in milliseconds: its capacity comes back after minutes. */
  readonly overloadWaitsMs?: readonly number[];
}

type Optional = Partial<Omit<Vendor, "name" | "label" | "aliases" | "baseUrl" | "keyNames">>;

/** A vendor that speaks Chat Completions, unless `more` says otherwise. */
function vendor(
  [name, ...aliases]: readonly [string, ...string[]],
  label: string,
  keyNames: readonly string[],
  baseUrl: string | undefined,
  more: Optional = {},
): Vendor {
  return { name, label, aliases, api: "openai", ...(baseUrl === undefined ? {} : { baseUrl }), keyNames, ...more };
}

const LONG_WAITS_MS = [30_000, 60_000, 90_000, 120_000];

/** All vendors; of those that have a key, the first answers when no model is named. */
export const VENDORS: readonly Vendor[] = [
  vendor(["openai", "openai-api", "custom"], "OpenAI", ["OPENAI_API_KEY"], undefined, {
    // its thinking models call tools in this API alone: https://developers.openai.com/api/docs/models/gpt-6-sol
    apiOf: [[/^(?:gpt-(?:[5-9]|\d\d)|o\d|codex)/i, "responses"]],
    baseUrlName: "OPENAI_BASE_URL",
    isKeyless: true,
    models: /^(?:gpt-(?!oss)|o\d(?:$|-)|chatgpt|codex)/i,
    prefixes: ["openai"],
    defaultModel: "gpt-5-mini",
  }),
  vendor(["openrouter", "or"], "OpenRouter", ["OPENROUTER_API_KEY"], "https://openrouter.ai/api/v1", {
    baseUrlName: "OPENROUTER_BASE_URL",
    isRouter: true,
    defaultModel: "openrouter/auto",
  }),
  vendor(["anthropic", "claude", "claude-code"], "Anthropic", ["ANTHROPIC_API_KEY"], "https://api.anthropic.com", {
    api: "anthropic",
    baseUrlName: "ANTHROPIC_BASE_URL",
    models: /^claude/i,
    prefixes: ["anthropic"],
    hyphens: true,
    defaultModel: "claude-sonnet-5-5",
  }),
  vendor(
    ["gemini", "google", "google-gemini", "google-ai-studio"],
    "Google AI Studio",
    ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
    "https://generativelanguage.googleapis.com/v1beta/openai",
    {
      baseUrlName: "GEMINI_BASE_URL",
      models: /^gem(?:ini|ma)/i,
      prefixes: ["google"],
      defaultModel: "gemini-3.8-flash",
    },
  ),
  vendor(["deepseek", "deep-seek"], "DeepSeek", ["DEEPSEEK_API_KEY"], "https://api.deepseek.com/v1", {
    baseUrlName: "DEEPSEEK_BASE_URL",
    models: /^deepseek/i,
    prefixes: ["deepseek"],
    defaultModel: "deepseek-flash",
  }),
  vendor(["xai", "x-ai", "x.ai", "grok"], "xAI", ["XAI_API_KEY"], "https://api.x.ai/v1", {
    baseUrlName: "XAI_BASE_URL",
    models: /^grok/i,
    prefixes: ["x-ai", "xai"],
    defaultModel: "grok-4.7",
  }),
  vendor(
    ["zai", "z-ai", "z.ai", "glm", "zhipu"],
    "Z.AI",
    ["GLM_API_KEY", "ZAI_API_KEY", "Z_AI_API_KEY"],
    "https://api.z.ai/api/paas/v4",
    {
      baseUrlName: "GLM_BASE_URL",
      models: /^glm/i,
      prefixes: ["z-ai", "zai-org"],
      defaultModel: "glm-5.3",
      overloadWaitsMs: LONG_WAITS_MS,
    },
  ),
  vendor(
    ["kimi-coding", "kimi", "moonshot"],
    "Moonshot",
    ["KIMI_API_KEY", "KIMI_CODING_API_KEY"],
    "https://api.moonshot.ai/v1",
    { baseUrlName: "KIMI_BASE_URL", models: /^kimi/i, prefixes: ["moonshotai"], defaultModel: "kimi-k3" },
  ),
  vendor(
    ["kimi-coding-cn", "kimi-cn", "moonshot-cn"],
    "Moonshot (China)",
    ["KIMI_CN_API_KEY"],
    "https://api.moonshot.cn/v1",
    { models: /^kimi/i, prefixes: ["moonshotai"], defaultModel: "kimi-k3" },
  ),
  vendor(["minimax"], "MiniMax", ["MINIMAX_API_KEY"], "https://api.minimax.io/anthropic", {
    api: "anthropic",
    baseUrlName: "MINIMAX_BASE_URL",
    models: /^minimax/i,
    prefixes: ["minimax"],
    defaultModel: "MiniMax-M3",
  }),
  vendor(
    ["minimax-cn", "minimax-china", "minimax_cn"],
    "MiniMax (China)",
    ["MINIMAX_CN_API_KEY"],
    "https://api.minimaxi.com/anthropic",
    {
      api: "anthropic",
      baseUrlName: "MINIMAX_CN_BASE_URL",
      models: /^minimax/i,
      prefixes: ["minimax"],
      defaultModel: "MiniMax-M3",
    },
  ),
  vendor(
    ["alibaba", "qwen", "aliyun", "dashscope", "alibaba-cloud"],
    "Qwen Cloud",
    ["DASHSCOPE_API_KEY"],
    "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    {
      baseUrlName: "DASHSCOPE_BASE_URL",
      models: /^q(?:wen|wq|vq)/i,
      prefixes: ["qwen"],
      defaultModel: "qwen3-coder-plus",
    },
  ),
  vendor(
    ["alibaba-coding-plan"],
    "Qwen Coding Plan",
    ["ALIBABA_CODING_PLAN_API_KEY"],
    "https://coding-intl.dashscope.aliyuncs.com/v1",
    { baseUrlName: "ALIBABA_CODING_PLAN_BASE_URL", models: /^q(?:wen|wq|vq)/i, prefixes: ["qwen"] },
  ),
  vendor(["mistral", "mistralai"], "Mistral", ["MISTRAL_API_KEY"], "https://api.mistral.ai/v1", {
    models: /^(?:mistral|ministral|magistral|codestral|devstral|pixtral)/i,
    prefixes: ["mistralai"],
    defaultModel: "mistral-medium-latest",
  }),
  vendor(
    ["nvidia", "nim", "nvidia-nim", "nemotron"],
    "NVIDIA NIM",
    ["NVIDIA_API_KEY"],
    "https://integrate.api.nvidia.com/v1",
    { baseUrlName: "NVIDIA_BASE_URL" },
  ),
  vendor(["huggingface", "hf"], "Hugging Face", ["HF_TOKEN"], "https://router.huggingface.co/v1", {
    baseUrlName: "HF_BASE_URL",
  }),
  vendor(["ai-gateway", "vercel"], "Vercel AI Gateway", ["AI_GATEWAY_API_KEY"], "https://ai-gateway.vercel.sh/v1", {
    baseUrlName: "AI_GATEWAY_BASE_URL",
    isRouter: true,
  }),
  vendor(["kilocode", "kilo"], "Kilo Code", ["KILOCODE_API_KEY"], "https://api.kilo.ai/api/gateway", {
    baseUrlName: "KILOCODE_BASE_URL",
    isRouter: true,
  }),
  vendor(["opencode-zen", "opencode", "zen"], "OpenCode Zen", ["OPENCODE_ZEN_API_KEY"], "https://opencode.ai/zen/v1", {
    apiOf: [
      [/^claude/i, "anthropic"],
      [/^gpt/i, "responses"],
    ],
    baseUrlName: "OPENCODE_ZEN_BASE_URL",
  }),
  vendor(["opencode-go", "go"], "OpenCode Go", ["OPENCODE_GO_API_KEY"], "https://opencode.ai/zen/go/v1", {
    apiOf: [[/^(?:minimax|qwen3\.7)/i, "anthropic"]],
    baseUrlName: "OPENCODE_GO_BASE_URL",
  }),
  vendor(["xiaomi", "mimo", "xiaomi-mimo"], "Xiaomi MiMo", ["XIAOMI_API_KEY"], "https://api.xiaomimimo.com/v1", {
    baseUrlName: "XIAOMI_BASE_URL",
    models: /^mimo/i,
    prefixes: ["xiaomi"],
  }),
  vendor(["arcee"], "Arcee AI", ["ARCEEAI_API_KEY"], "https://api.arcee.ai/api/v1", { baseUrlName: "ARCEE_BASE_URL" }),
  vendor(["gmi", "gmi-cloud", "gmicloud"], "GMI Cloud", ["GMI_API_KEY"], "https://api.gmi-serving.com/v1", {
    baseUrlName: "GMI_BASE_URL",
  }),
  vendor(["stepfun", "step"], "StepFun", ["STEPFUN_API_KEY"], "https://api.stepfun.com/v1", {
    baseUrlName: "STEPFUN_BASE_URL",
    models: /^step-/i,
  }),
  vendor(["novita"], "NovitaAI", ["NOVITA_API_KEY"], "https://api.novita.ai/openai/v1", {
    baseUrlName: "NOVITA_BASE_URL",
  }),
  vendor(["fireworks"], "Fireworks AI", ["FIREWORKS_API_KEY"], "https://api.fireworks.ai/inference/v1"),
  vendor(["deepinfra"], "DeepInfra", ["DEEPINFRA_API_KEY"], "https://api.deepinfra.com/v1/openai", {
    baseUrlName: "DEEPINFRA_BASE_URL",
  }),
  vendor(
    ["nebius"],
    "Nebius",
    ["NEBIUS_API_KEY", "NEBIUS_TOKEN_FACTORY_API_KEY"],
    "https://api.tokenfactory.nebius.com/v1",
    { baseUrlName: "NEBIUS_BASE_URL" },
  ),
  vendor(["upstage"], "Upstage", ["UPSTAGE_API_KEY"], "https://api.upstage.ai/v1", {
    baseUrlName: "UPSTAGE_BASE_URL",
    models: /^solar/i,
  }),
  vendor(
    ["tencent-tokenhub", "tencent", "tokenhub", "tencent-cloud", "tencentmaas"],
    "Tencent TokenHub",
    ["TOKENHUB_API_KEY"],
    "https://tokenhub.tencentmaas.com/v1",
    { baseUrlName: "TOKENHUB_BASE_URL" },
  ),
  vendor(
    ["tencent-tokenplan", "tokenplan", "tencent-lkeap"],
    "Tencent TokenPlan",
    ["TOKENPLAN_API_KEY"],
    "https://api.lkeap.cloud.tencent.com/plan/anthropic",
    { api: "anthropic", baseUrlName: "TOKENPLAN_BASE_URL" },
  ),
  vendor(["ollama-cloud"], "Ollama Cloud", ["OLLAMA_API_KEY"], "https://ollama.com/v1", {
    baseUrlName: "OLLAMA_BASE_URL",
  }),
  vendor(["lmstudio", "lm-studio"], "LM Studio", ["LM_API_KEY"], "http://127.0.0.1:1234/v1", {
    baseUrlName: "LM_BASE_URL",
    isKeyless: true,
  }),
];
