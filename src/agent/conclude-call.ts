import type { JsonObject } from "#src/domain/json";
import type { ToolCall } from "#src/domain/message";
import type { AnyTool } from "#src/domain/tool";
import { type GuardPorts, toolFields } from "./guard-call";
import { fireIfHeard } from "./turn-hooks";

/** What came of a call, for the model to read. */
export interface Settled {
  readonly content: string;
  readonly isError?: boolean;
}

/** A call that has run. */
export interface RanCall {
  readonly call: ToolCall;
  readonly tool: AnyTool;
  readonly input: JsonObject;
  /** What hooks said before it ran. */
  readonly context?: string;
  readonly durationMs: number;
}

/**
 * Shows a result to the hooks and gives it back as they left it: those after the call first, then those that replace
 * results, then what they all want the model to know. Any of them may end the turn; the result stands all the same.
 */
export async function concludeCall(
  ran: RanCall,
  settled: Settled,
  { hooks, notify, stopTurn }: Pick<GuardPorts, "hooks" | "notify" | "stopTurn">,
): Promise<Settled> {
  const { call, tool, input } = ran;
  const isError = settled.isError === true;
  const event = isError ? "tool.failure" : "tool.post";
  const data = () => ({
    ...toolFields(call, tool, input),
    ok: !isError,
    result: jsonOf(settled.content),
    result_text: settled.content,
    ...(isError ? { error: { type: "tool_error", message: settled.content } } : {}),
    duration_ms: ran.durationMs,
  });
  const after = await fireIfHeard(hooks, event, data);
  const replaced = await fireIfHeard(hooks, "tool.result", data);
  notify([...after.notes, ...replaced.notes]);
  const end = [after, replaced].find(({ outcome }) => outcome === "stop");
  if (end !== undefined) stopTurn(end.reason ?? "");
  const content = replaced.text ?? textOf(replaced.output) ?? textOf(after.output) ?? settled.content;
  const contexts = [ran.context, after.context, replaced.context].filter((one) => one !== undefined);
  return { ...settled, content: withContext(content, contexts) };
}

/** A text with what hooks want the model to know. */
export function withContext(content: string, contexts: readonly string[]): string {
  return contexts.length === 0 ? content : `${content}\n\n[Hook Context]\n${contexts.join("\n\n")}`;
}

function textOf(output: unknown): string | undefined {
  if (output === undefined) return undefined;
  return typeof output === "string" ? output : JSON.stringify(output);
}

function jsonOf(text: string): JsonObject | string {
  if (!text.startsWith("{")) return text;
  try {
    // whatever object the tool wrote
    return JSON.parse(text) as JsonObject;
  } catch {
    return text;
  }
}
