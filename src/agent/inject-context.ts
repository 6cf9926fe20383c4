import type { ModelMessage } from "#src/domain/provider";

/** Adds what a hook wants one request to know to its last user message: for this request alone, never to the prompt. */
export function injectContext(messages: readonly ModelMessage[], context: string): ModelMessage[] {
  const block = `<hook_context>\n${context.replaceAll(/<\/?hook_context>/gi, "")}\n</hook_context>`;
  const at = messages.findLastIndex((message) => message.role === "user");
  const last = messages[at];
  if (last?.role !== "user") return [...messages, { role: "user", content: block }];
  const content =
    typeof last.content === "string"
      ? `${last.content}\n\n${block}`
      : [...last.content, { type: "text" as const, text: block }];
  return messages.with(at, { ...last, content });
}

/** The words of the last user message of a request. */
export function lastUserText(messages: readonly ModelMessage[]): string {
  const last = messages.findLast((message) => message.role === "user");
  if (last === undefined) return "";
  if (typeof last.content === "string") return last.content;
  return last.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
