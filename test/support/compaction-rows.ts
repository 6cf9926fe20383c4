import type { Message, ToolCall } from "#src/domain/message";

let lastId = 0;

/** A row under the next id. */
function row(over: Partial<Message> & Pick<Message, "role">): Message {
  lastId += 1;
  return { id: lastId, turnId: lastId, kind: "chat", content: "", createdAt: 0, ...over };
}

/** Begins a conversation of its own. */
export function newConversation(): void {
  lastId = 0;
}

export const says = (content: string, over: Partial<Message> = {}): Message => row({ role: "user", content, ...over });

export const answers = (content: string, over: Partial<Message> = {}): Message =>
  row({ role: "assistant", content, ...over });

/** An answer that calls tools, of which each call has its id for a name unless told otherwise. */
export const calls = (ids: readonly string[], over: Partial<ToolCall> = {}, rowOver: Partial<Message> = {}): Message =>
  row({
    role: "assistant",
    toolCalls: ids.map((id) => ({ id, name: "terminal", arguments: "{}", ...over })),
    ...rowOver,
  });

export const results = (
  ids: readonly string[],
  content: string,
  over: { readonly isError?: boolean; readonly name?: string } = {},
  rowOver: Partial<Message> = {},
): Message =>
  row({
    role: "tool",
    toolResults: ids.map((callId) => ({ callId, name: "terminal", content, ...over })),
    ...rowOver,
  });
