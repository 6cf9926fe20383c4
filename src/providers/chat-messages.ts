import type { ToolCall } from "#src/domain/message";
import type { ModelMessage, ModelPart, ModelRequest, ToolSchema } from "#src/domain/provider";
import type { ChatDialect } from "./chat-dialect";
import { field, parseJson, textField } from "./json";
import { readState } from "./provider-state";

/** One message on the wire of Chat Completions. */
export type ChatMessage = Readonly<Record<string, unknown>>;

/** What of earlier answers the endpoint wants to see again. */
export type KeptOnWire = Pick<ChatDialect, "keepsReasoning" | "needsReasoning" | "keepsCallExtras">;

/**
 * The messages of a request on the wire of Chat Completions. Everything that is a system message stands in one message
 * at the start: several, or a later one, are refused by the prompt templates of many open models.
 */
export function toChatMessages(request: ModelRequest, kept: KeptOnWire = {}): readonly ChatMessage[] {
  const system = request.messages.filter((message) => message.role === "system").map((message) => message.content);
  const others = request.messages
    .filter((message) => message.role !== "system")
    .map((message) => toChatMessage(message, request, kept));
  return system.length === 0 ? others : [{ role: "system", content: system.join("\n\n") }, ...others];
}

/** The tools of a request on the wire of Chat Completions. */
export function toChatTools(tools: readonly ToolSchema[]): readonly unknown[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

function toChatMessage(
  message: Exclude<ModelMessage, { readonly role: "system" }>,
  request: ModelRequest,
  kept: KeptOnWire,
): ChatMessage {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role === "user") return { role: "user", content: toContent(message.content) };
  const state = readState(message, "openai", request);
  const extras = kept.keepsCallExtras === true ? field(state, "callExtras") : undefined;
  const calls = (message.toolCalls ?? []).map((call) => toChatCall(call, field(extras, call.id)));
  return {
    role: "assistant",
    content: message.content,
    ...reasoningOf(state, kept),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function reasoningOf(state: unknown, { keepsReasoning, needsReasoning }: KeptOnWire): ChatMessage {
  const details = field(state, "details");
  if (keepsReasoning === "reasoning_details" && Array.isArray(details)) return { reasoning_details: details };
  if (keepsReasoning !== "reasoning_content") return {};
  const content = textField(state, "content");
  if (content !== undefined) return { reasoning_content: content };
  // an answer of another model has none, and the empty text counts as missing
  return needsReasoning === true ? { reasoning_content: " " } : {};
}

function toContent(content: string | readonly ModelPart[]): unknown {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } },
  );
}

function toChatCall(call: ToolCall, extra: unknown): unknown {
  return {
    id: call.id,
    type: "function",
    function: { name: call.name, arguments: validArguments(call.arguments) },
    ...(extra === undefined ? {} : { extra_content: extra }),
  };
}

/** Some servers parse the arguments of old calls, and refuse the whole conversation over one that is broken. */
function validArguments(raw: string): string {
  const parsed = parseJson(raw);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? raw : JSON.stringify({ invalid_arguments: raw });
}
