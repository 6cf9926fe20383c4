import { pairToolMessages } from "#src/agent/pair-tools";
import type { ToolCall } from "#src/domain/message";
import type { ModelMessage, ModelPart } from "#src/domain/provider";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";

interface PairCase {
  readonly id: string;
  readonly input: { readonly messages: readonly ChatMessage[] };
}
/** A message of the Chat Completions API; the cases hold broken ones too, so nothing in it is sure. */
interface ChatMessage {
  readonly role?: unknown;
  readonly content?: unknown;
  readonly tool_call_id?: unknown;
  readonly tool_calls?: unknown;
}

/** What we send to a provider: every call with its one result, and nothing valid lost. */
export const toolpairs: Suite = {
  suite: "toolpairs",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly PairCase[]).map(({ id, input }) => {
      const before = input.messages.flatMap(toModelMessage);
      const after = pairToolMessages(before);
      const problems = [...faultsOf(after), ...lost(before, after)];
      return resultOf(id, problems);
    });
  },
};

/** Roles that our messages do not know cannot come this far; they are left out. */
function toModelMessage({ role, content, tool_calls, tool_call_id }: ChatMessage): ModelMessage[] {
  const text = Array.isArray(content) ? content.map((part) => textOf(member(part, "text"))).join("") : textOf(content);
  if (role === "system" || role === "developer") return [{ role: "system", content: text }];
  if (role === "tool") return [{ role, callId: textOf(tool_call_id), content: text }];
  if (role === "user") return [{ role, content: Array.isArray(content) ? content.map(toPart) : text }];
  if (role !== "assistant") return [];
  const calls = Array.isArray(tool_calls) ? tool_calls.map(toCall) : [];
  return [{ role, content: text, ...(calls.length === 0 ? {} : { toolCalls: calls }) }];
}

function toPart(part: unknown): ModelPart {
  const url = member(member(part, "image_url"), "url");
  return typeof url === "string" ? { type: "image", url } : { type: "text", text: textOf(member(part, "text")) };
}

function toCall(call: unknown): ToolCall {
  const named = member(call, "function");
  return {
    id: textOf(member(call, "id")),
    name: textOf(member(named, "name")),
    arguments: textOf(member(named, "arguments") ?? "{}"),
  };
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && name in value ? value[name as keyof typeof value] : undefined;
}

/** What is no text is its JSON; what is not there is empty. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
}

type Problem = { readonly expected: unknown; readonly got: unknown };

/** What a provider would refuse. */
export function faultsOf(messages: readonly ModelMessage[]): Problem[] {
  const problems: Problem[] = [];
  for (let at = 0; at < messages.length; at++) {
    const message = messages[at];
    if (message?.role === "tool") problems.push({ expected: "a result behind its call", got: message });
    if (message?.role !== "assistant") continue;
    const calls = message.toolCalls ?? [];
    if (calls.length === 0 && message.content.trim() === "") problems.push({ expected: "text or calls", got: message });
    if (message.toolCalls?.length === 0) problems.push({ expected: "no empty list of calls", got: message });
    const results = resultsBehind(messages, at);
    const want = calls.map(({ id }) => id).sort();
    const got = results.map(({ callId }) => callId).sort();
    const isWhole = new Set(want).size === want.length && JSON.stringify(want) === JSON.stringify(got);
    if (!isWhole || want.includes("")) problems.push({ expected: want, got });
    if (calls.some(({ name }) => !/^[\w-]{1,64}$/.test(name)))
      problems.push({ expected: "names that are taken", got: calls });
    at += results.length;
  }
  return problems;
}

function resultsBehind(messages: readonly ModelMessage[], at: number) {
  const end = messages.findIndex((message, index) => index > at && message.role !== "tool");
  return messages.slice(at + 1, end === -1 ? messages.length : end).filter((message) => message.role === "tool");
}

/** Valid messages that are gone, or not in their order any more. */
export function lost(before: readonly ModelMessage[], after: readonly ModelMessage[]): Problem[] {
  let at = 0;
  const missing = validIn(before).filter((message) => {
    const index = after.indexOf(message, at);
    if (index !== -1) at = index + 1;
    return index === -1;
  });
  return missing.map((message) => ({ expected: message, got: "nothing" }));
}

/** Messages that a provider takes as they stand: plain ones, and assistant messages with exactly their results. */
function validIn(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message, index): ModelMessage[] => {
    if (message.role === "tool") return [];
    if (message.role !== "assistant") return [message];
    const group = [message, ...resultsBehind(messages, index)];
    return faultsOf(group).length === 0 ? group : [];
  });
}
