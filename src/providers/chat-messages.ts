import type { ToolCall } from "#src/domain/message";
import type { ModelMessage, ModelPart, ModelRequest, ToolSchema } from "#src/domain/provider";
import { parseJson } from "./json";

/** One message on the wire of Chat Completions. */
export type ChatMessage = Readonly<Record<string, unknown>>;

/**
 * The messages of a request on the wire of Chat Completions. Everything that is a system message stands in one message
 * at the start: several, or a later one, are refused by the prompt templates of many open models.
 */
export function toChatMessages(request: ModelRequest): readonly ChatMessage[] {
  const system = request.messages.filter((message) => message.role === "system").map((message) => message.content);
  const others = request.messages.filter((message) => message.role !== "system").map(toChatMessage);
  return system.length === 0 ? others : [{ role: "system", content: system.join("\n\n") }, ...others];
}

/** The tools of a request on the wire of Chat Completions. */
export function toChatTools(tools: readonly ToolSchema[]): readonly unknown[] {
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    function: { name, description, parameters },
  }));
}

function toChatMessage(message: Exclude<ModelMessage, { readonly role: "system" }>): ChatMessage {
  if (message.role === "tool") return { role: "tool", tool_call_id: message.callId, content: message.content };
  if (message.role === "user") return { role: "user", content: toContent(message.content) };
  const calls = message.toolCalls ?? [];
  if (calls.length === 0) return { role: "assistant", content: message.content };
  return { role: "assistant", content: message.content, tool_calls: calls.map(toChatCall) };
}

function toContent(content: string | readonly ModelPart[]): unknown {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "text" ? { type: "text", text: part.text } : { type: "image_url", image_url: { url: part.url } },
  );
}

function toChatCall(call: ToolCall): unknown {
  return { id: call.id, type: "function", function: { name: call.name, arguments: validArguments(call.arguments) } };
}

/** Some servers parse the arguments of old calls, and refuse the whole conversation over one that is broken. */
function validArguments(raw: string): string {
  const parsed = parseJson(raw);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? raw : JSON.stringify({ invalid_arguments: raw });
}
