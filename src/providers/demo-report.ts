import type { ModelMessage } from "#src/domain/provider";

/** Characters of one tool result that are quoted. */
const MAX_QUOTE_CHARS = 3000;

/** What the demo model says about the tool results that a conversation ends with; undefined when it ends otherwise. */
export function reportResults(messages: readonly ModelMessage[]): string | undefined {
  const start = messages.findLastIndex((message) => message.role !== "tool") + 1;
  const results = messages.slice(start);
  if (results.length === 0) return undefined;
  const before = messages[start - 1];
  const calls = before?.role === "assistant" ? (before.toolCalls ?? []) : [];
  const parts = results.map((result) => {
    if (result.role !== "tool") return "";
    const call = calls.find((each) => each.id === result.callId);
    return `\`${call?.name ?? "The tool"}\` gave:\n\n${quote(result.content)}`;
  });
  return `${parts.join("\n\n")}\n\n(I am the demo model: I only pass on what the tools said.)`;
}

/** Output in a fence that nothing in it can close. */
function quote(output: string): string {
  const text = output.length > MAX_QUOTE_CHARS ? `${output.slice(0, MAX_QUOTE_CHARS)}\n…` : output;
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.replace(/\n+$/, "")}\n${fence}`;
}
