import type { ToolCall } from "#src/domain/message";
import type { ModelMessage } from "#src/domain/provider";

type AssistantMessage = Extract<ModelMessage, { role: "assistant" }>;
type ResultMessage = Extract<ModelMessage, { role: "tool" }>;

/** What takes the place of a name that no provider would accept back. */
const UNNAMED = "invalid_tool_call";
const MAX_NAME_CHARS = 64;

/**
 * Makes a conversation valid for providers: each call of an assistant message is directly followed by exactly one
 * result, and no other result is there. What is valid already stays as it is, in order. A call without a result goes,
 * and with it its message when that says nothing else; so does a result without its call, or a second one. A result
 * that stands further down moves up behind its call.
 */
export function pairToolMessages(messages: readonly ModelMessage[]): ModelMessage[] {
  const results = matchResults(messages);
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    const answered = results.get(message) ?? new Map<string, ResultMessage>();
    return [...withAnsweredCalls(message, answered), ...answered.values()];
  });
}

/** The results of each assistant message, by call, in the order in which they stand. */
function matchResults(messages: readonly ModelMessage[]): ReadonlyMap<AssistantMessage, Map<string, ResultMessage>> {
  const results = new Map<AssistantMessage, Map<string, ResultMessage>>();
  // an id may be used again later on: a result belongs to the latest call that has it and no result yet
  const open = new Map<string, AssistantMessage>();
  for (const message of messages) {
    if (message.role === "assistant") {
      for (const { id } of message.toolCalls ?? []) if (id !== "") open.set(id, message);
    } else if (message.role === "tool") {
      const caller = open.get(message.callId);
      if (caller === undefined) continue;
      open.delete(message.callId);
      results.set(caller, (results.get(caller) ?? new Map()).set(message.callId, message));
    }
  }
  return results;
}

function withAnsweredCalls(message: AssistantMessage, answered: ReadonlyMap<string, unknown>): AssistantMessage[] {
  if (message.toolCalls === undefined) return message.content.trim() === "" ? [] : [message];
  const { toolCalls, ...rest } = message;
  const seen = new Set<string>();
  const kept = toolCalls.filter(({ id }) => answered.has(id) && !seen.has(id) && seen.add(id).size > 0);
  if (kept.length === 0) return rest.content.trim() === "" ? [] : [rest];
  const named = kept.map(withValidName);
  const isWhole = named.length === toolCalls.length && named.every((call, index) => call === toolCalls[index]);
  return [isWhole ? message : { ...rest, toolCalls: named }];
}

/** Providers refuse a history with a name that they would not take for a tool, though a model wrote it. */
function withValidName(call: ToolCall): ToolCall {
  const name = call.name.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_NAME_CHARS) || UNNAMED;
  return name === call.name ? call : { ...call, name };
}
