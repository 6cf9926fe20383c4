import { hostOf } from "./endpoint";

/** In what a vendor's Chat Completions differ from those of everyone else. */
export interface ChatDialect {
  /** Hosts, or the ends of their names. */
  readonly hosts: readonly string[];
  /** Newer models refuse the old name of the answer's limit. */
  readonly outputLimit?: "max_completion_tokens";
  /** It routes by `prompt_cache_key` to a warm cache. */
  readonly takesCacheKey?: true;
  /** It caches up to marks in the content, for models that want them. */
  readonly takesCacheMarks?: true;
  /** How long to think is said in an object, or by a switch beside the effort or instead of it. */
  readonly thinking?: "reasoning_object" | "switch" | "switch_and_effort";
  /** It wants to see the reasoning of earlier answers again. */
  readonly keepsReasoning?: "reasoning_content" | "reasoning_details";
  /** It refuses a conversation in which an answer has none. */
  readonly needsReasoning?: true;
  /** It wants to see again what it signed beside a call. */
  readonly keepsCallExtras?: true;
}

const PLAIN: ChatDialect = { hosts: [] };

const DIALECTS: readonly ChatDialect[] = [
  // https://developers.openai.com/api/docs/guides/prompt-caching
  {
    hosts: ["api.openai.com", ".openai.azure.com"],
    outputLimit: "max_completion_tokens",
    takesCacheKey: true,
  },
  // https://openrouter.ai/docs/guides/best-practices/reasoning-tokens and …/prompt-caching
  {
    hosts: ["openrouter.ai"],
    thinking: "reasoning_object",
    keepsReasoning: "reasoning_details",
    takesCacheMarks: true,
  },
  // https://api-docs.deepseek.com/guides/thinking_mode#tool-calls: an answer without its reasoning is refused
  {
    hosts: ["api.deepseek.com"],
    thinking: "switch_and_effort",
    keepsReasoning: "reasoning_content",
    needsReasoning: true,
  },
  // https://platform.kimi.ai/docs/guide/use-kimi-k2-thinking-model
  {
    hosts: ["api.moonshot.ai", "api.moonshot.cn", "api.kimi.com"],
    thinking: "switch",
    keepsReasoning: "reasoning_content",
    needsReasoning: true,
  },
  // https://docs.z.ai/guides/capabilities/thinking-mode#preserved-thinking
  { hosts: ["api.z.ai", "open.bigmodel.cn"], thinking: "switch", keepsReasoning: "reasoning_content" },
  // https://platform.xiaomimimo.com/docs
  { hosts: ["api.xiaomimimo.com"], thinking: "switch", keepsReasoning: "reasoning_content" },
  // https://platform.minimax.io/docs/guides/text-m2-function-call
  { hosts: ["api.minimax.io", "api.minimaxi.com"], keepsReasoning: "reasoning_details" },
  // https://ai.google.dev/gemini-api/docs/thought-signatures#openai
  { hosts: ["generativelanguage.googleapis.com"], keepsCallExtras: true },
];

/** How the endpoint at an address wants to be spoken to. */
export function dialectOf(baseUrl: string): ChatDialect {
  const host = hostOf(baseUrl);
  const isHost = (each: string): boolean => (each.startsWith(".") ? host.endsWith(each) : host === each);
  return DIALECTS.find(({ hosts }) => hosts.some(isHost)) ?? PLAIN;
}
