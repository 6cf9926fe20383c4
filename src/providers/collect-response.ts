import type { ToolCall } from "#src/domain/message";
import type { ModelEvent, ModelRequest, ProviderState, Usage } from "#src/domain/provider";
import { type AnswerCollector, type FinishReason, MAX_ANSWER_CHARS } from "./answer-collector";
import { usedIds } from "./collect-answer";
import { uniqueId, writtenArguments } from "./collect-tool-calls";
import { countField, field, textField } from "./json";
import { invalidResponse } from "./model-failure";
import { type AnswerBlock, writeState } from "./provider-state";
import { RESPONSES, historyHash, keptReasoning, outputIndex } from "./responses-input";

const ADDED = "response.output_item.added";

/** One item of the output while it comes in. */
interface Item {
  readonly index: number;
  id: string | undefined;
  type: string;
  /** Of a message: what it says. Of a call: its arguments. */
  text: string;
  name: string;
  callId: string | undefined;
  phase: string | undefined;
  /** Nothing of it is missing. */
  isDone: boolean;
  kept: unknown;
}

/**
 * Begins to collect an answer of the Responses API from its events, or from the whole response. `isStored`: the vendor
 * keeps it, and its id can be answered to.
 * Source: https://developers.openai.com/api/reference/responses/streaming (2026-11)
 */
export function createResponseCollector(request: ModelRequest, who: string, isStored: boolean): AnswerCollector {
  const items: Item[] = [];
  let text = "";
  let reasoning = "";
  let chars = 0;
  let id: string | undefined;
  let status: string | undefined;
  let why: string | undefined;
  let usage: Usage | undefined;
  let error: unknown;
  let isRefused = false;

  const itemOf = (event: unknown): Item => {
    const index = outputIndex(event);
    const itemId = textField(event, "item_id") ?? textField(field(event, "item"), "id");
    // some servers give every event another id, others every item the same index
    const known =
      items.find((item) => itemId !== undefined && item.id === itemId) ?? items.find((item) => item.index === index);
    const isAnother = known?.isDone === true && known.id !== itemId && field(event, "type") === ADDED;
    if (known !== undefined && !isAnother) return known;
    const fresh: Item = {
      index: index === Number.MAX_SAFE_INTEGER || isAnother ? items.length : index,
      id: itemId,
      type: "",
      text: "",
      name: "",
      callId: undefined,
      phase: undefined,
      isDone: false,
      kept: undefined,
    };
    items.push(fresh);
    return fresh;
  };
  const say = (item: Item, piece: string): void => {
    item.type ||= "message";
    item.text += piece;
    text += piece;
  };
  /** Takes what a whole item says beyond the pieces that had come of it. */
  const takeItem = (event: unknown, value: unknown, isDone: boolean): void => {
    const item = itemOf({ ...Object(event), item: value });
    item.type = textField(value, "type") ?? item.type;
    item.id ??= textField(value, "id");
    item.phase ??= textField(value, "phase");
    item.isDone ||= isDone;
    if (item.type === "message" && isDone) {
      const whole = messageText(value);
      isRefused ||= whole.isRefusal;
      if (whole.text.startsWith(item.text)) say(item, whole.text.slice(item.text.length));
    } else if (item.type === "function_call") {
      item.name ||= textField(value, "name") ?? "";
      item.callId ??= textField(value, "call_id");
      item.text = textField(value, "arguments") ?? item.text;
    } else if (item.type === "reasoning" && isDone) {
      item.kept = keptReasoning(value);
    }
  };
  const takeResponse = (response: unknown, isLast: boolean): void => {
    id ??= textField(response, "id");
    usage = usageOf(field(response, "usage")) ?? usage;
    if (!isLast) return;
    status = textField(response, "status") ?? "completed";
    why = textField(field(response, "incomplete_details"), "reason");
    const output = field(response, "output");
    // the same items once more, for servers that streamed none, or not all of them
    if (Array.isArray(output)) output.forEach((value, at) => takeItem({ output_index: at }, value, true));
    const failure = field(response, "error");
    if (status === "failed" || status === "cancelled") error ??= { error: failure ?? { code: "server_error" } };
  };
  const take: Readonly<Record<string, (event: unknown) => void>> = {
    "response.created": (event) => takeResponse(field(event, "response"), false),
    "response.completed": (event) => takeResponse(field(event, "response"), true),
    "response.incomplete": (event) => takeResponse({ status: "incomplete", ...Object(field(event, "response")) }, true),
    "response.failed": (event) => takeResponse({ status: "failed", ...Object(field(event, "response")) }, true),
    [ADDED]: (event) => takeItem(event, field(event, "item"), false),
    "response.output_item.done": (event) => takeItem(event, field(event, "item"), true),
    "response.output_text.delta": (event) => say(itemOf(event), textField(event, "delta") ?? ""),
    "response.refusal.delta": (event) => {
      isRefused = true;
      say(itemOf(event), textField(event, "delta") ?? "");
    },
    "response.reasoning_summary_part.added": () => {
      if (reasoning !== "") reasoning += "\n\n";
    },
    "response.reasoning_summary_text.delta": (event) => (reasoning += textField(event, "delta") ?? ""),
    "response.reasoning_text.delta": (event) => (reasoning += textField(event, "delta") ?? ""),
    "response.function_call_arguments.delta": (event) => {
      const item = itemOf(event);
      item.type ||= "function_call";
      item.text += textField(event, "delta") ?? "";
    },
    "response.function_call_arguments.done": (event) => {
      const item = itemOf(event);
      item.text = textField(event, "arguments") ?? item.text;
    },
    error: (event) => (error ??= { error: field(event, "error") ?? event }),
  };

  const ordered = (): readonly Item[] => items.toSorted((a, b) => a.index - b.index);
  const callsOf = (isCut: boolean): readonly (ToolCall & { readonly item: Item })[] => {
    const taken = new Set(usedIds(request));
    return ordered()
      .filter((item) => item.type === "function_call" && item.name !== "")
      .map((item) => ({
        id: uniqueId(item.callId, taken),
        name: item.name,
        arguments: writtenArguments(item.text, isCut),
        item,
      }));
  };
  const stateOf = (calls: readonly { readonly item: Item }[]): ProviderState | undefined => {
    const blocks = ordered().flatMap((item): AnswerBlock[] => {
      if (item.kept !== undefined) return [{ kept: item.kept }];
      if (calls.some((call) => call.item === item)) return [{ call: true }];
      if (item.type !== "message") return [];
      return [{ text: item.text.length, ...(item.phase === undefined ? {} : { phase: item.phase }) }];
    });
    const isWorthIt = blocks.some((block) => "kept" in block || ("text" in block && block.phase !== undefined));
    const stored = isStored && id !== undefined ? { id, before: historyHash(request.messages) } : {};
    if (!isWorthIt && !("id" in stored)) return undefined;
    return writeState(RESPONSES, request.model, { blocks, ...stored });
  };

  return {
    take(value, event) {
      const type = textField(value, "type") ?? event;
      const taker = take[type];
      if (taker !== undefined) taker(value);
      else if (textField(value, "object") === "response") takeResponse(value, true);
      else if (isErrorBody(value)) error ??= value;
      chars += textField(value, "delta")?.length ?? 0;
      if (chars > MAX_ANSWER_CHARS) error ??= { error: { message: "answer without end", code: "server_error" } };
    },
    drain() {
      const events: ModelEvent[] = [];
      if (reasoning !== "") events.push({ type: "reasoning", delta: reasoning });
      if (text !== "") events.push({ type: "text", delta: text });
      reasoning = "";
      text = "";
      return events;
    },
    error: () => error,
    hasEnded: () => status !== undefined,
    isComplete: () => status !== undefined,
    finish(isClosed) {
      const isWhole = isClosed && items.length > 0 && items.every((item) => item.isDone);
      if (status === undefined && !isWhole) {
        return [{ type: "failed", failure: items.length === 0 ? invalidResponse(who) : brokeOff(who) }];
      }
      const reason = isRefused ? "content_filter" : reasonOf(status ?? "completed", why);
      const calls = reason === "content_filter" ? [] : callsOf(status === "incomplete");
      const state = stateOf(calls);
      return [
        {
          type: "finish",
          reason: reason === "stop" && calls.length > 0 ? "tool_calls" : reason,
          toolCalls: calls.map(({ id: callId, name, arguments: args }) => ({ id: callId, name, arguments: args })),
          ...(usage === undefined ? {} : { usage }),
          ...(state === undefined ? {} : { state }),
        },
      ];
    },
  };
}

function brokeOff(who: string): Extract<ModelEvent, { readonly type: "failed" }>["failure"] {
  return { reason: "network", retryable: true, message: `${who} broke off before its answer was whole.` };
}

function reasonOf(status: string, why: string | undefined): FinishReason {
  if (status !== "incomplete") return "stop";
  return why === "content_filter" ? "content_filter" : "length";
}

function messageText(item: unknown): { readonly text: string; readonly isRefusal: boolean } {
  const content = field(item, "content");
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const refusal = parts.map((part) => textField(part, "refusal") ?? "").join("");
  return { text: parts.map((part) => textField(part, "text") ?? "").join("") + refusal, isRefusal: refusal !== "" };
}

function isErrorBody(value: unknown): boolean {
  const error = field(value, "error");
  return (typeof error === "object" && error !== null) || (typeof error === "string" && error !== "");
}

function usageOf(usage: unknown): Usage | undefined {
  const inputTokens = countField(usage, "input_tokens");
  const outputTokens = countField(usage, "output_tokens");
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const cached = countField(field(usage, "input_tokens_details"), "cached_tokens");
  const written = countField(field(usage, "input_tokens_details"), "cache_write_tokens");
  const thought = countField(field(usage, "output_tokens_details"), "reasoning_tokens");
  return {
    inputTokens,
    outputTokens,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
  };
}
