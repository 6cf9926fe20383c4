import type { ModelRequest, ProviderState } from "#src/domain/provider";
import type { ChatDialect } from "./chat-dialect";
import { type ChatMessage, toChatMessages, toChatTools } from "./chat-messages";
import type { KeptReasoning } from "./collect-answer";
import { findModel } from "./find-model";
import { shortHash, writeState } from "./provider-state";
import { nearestEffort } from "./reasoning-effort";

/** The body of a Chat Completions request, as the vendor of this dialect wants it. */
export function toChatBody(request: ModelRequest, dialect: ChatDialect): Record<string, unknown> {
  const messages = toChatMessages(request, dialect);
  const isMarked = dialect.takesCacheMarks === true && /claude/i.test(request.model);
  return {
    model: request.model,
    messages: isMarked ? markForCache(messages) : messages,
    ...(request.tools.length === 0 ? {} : { tools: toChatTools(request.tools) }),
    ...(request.maxOutputTokens === undefined
      ? {}
      : { [dialect.outputLimit ?? "max_tokens"]: request.maxOutputTokens }),
    ...thinkingOf(request, dialect),
    ...(dialect.takesCacheKey === true && request.cacheKey !== undefined
      ? { prompt_cache_key: shortCacheKey(request.cacheKey) }
      : {}),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** What is kept of an answer, if its vendor wants to see any of it again. */
export function chatState(
  { model }: ModelRequest,
  { keepsReasoning, keepsCallExtras }: ChatDialect,
  { content, details, callExtras }: KeptReasoning,
): ProviderState | undefined {
  const kept = {
    ...(keepsReasoning === "reasoning_content" && content !== "" ? { content } : {}),
    ...(keepsReasoning === "reasoning_details" && details.length > 0 ? { details } : {}),
    ...(keepsCallExtras === true && Object.keys(callExtras).length > 0 ? { callExtras } : {}),
  };
  return Object.keys(kept).length === 0 ? undefined : writeState("openai", model, kept);
}

/** Characters of a cache key that OpenAI accepts. Source: https://developers.openai.com/api/reference (2026-11) */
const MAX_CACHE_KEY_CHARS = 64;

/** A cache key that is not too long; two long ones stay apart. */
export function shortCacheKey(key: string): string {
  return key.length <= MAX_CACHE_KEY_CHARS ? key : `${key.slice(0, 47)}-${shortHash(key)}`;
}

function thinkingOf({ model, reasoningEffort }: ModelRequest, { thinking }: ChatDialect): Record<string, unknown> {
  if (reasoningEffort === undefined) return {};
  // a model that is not known to think refuses to be told how long
  const effort = nearestEffort(reasoningEffort, findModel(model).efforts);
  if (effort === undefined) return {};
  if (thinking === "reasoning_object") return { reasoning: effort === "none" ? { enabled: false } : { effort } };
  if (thinking === undefined) return { reasoning_effort: effort };
  if (effort === "none") return { thinking: { type: "disabled" } };
  const isSaid = thinking === "switch_and_effort";
  return { thinking: { type: "enabled" }, ...(isSaid ? { reasoning_effort: effort } : {}) };
}

/** Messages behind the system prompt whose ends are marked: with it, all four marks that Claude takes. */
const MARKED_MESSAGES = 3;

/** Marks the system prompt and the last messages, on parts of their content: elsewhere a router does not pass them on. */
function markForCache(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const firstMarked = messages.length - MARKED_MESSAGES;
  return messages.map((message, at) => (message["role"] === "system" || at >= firstMarked ? marked(message) : message));
}

function marked(message: ChatMessage): ChatMessage {
  const { content } = message;
  const parts: readonly unknown[] =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  const last = parts.at(-1);
  if (content === "" || typeof last !== "object" || last === null) return message;
  return { ...message, content: [...parts.slice(0, -1), { ...last, cache_control: { type: "ephemeral" } }] };
}
