import type { ModelEvent, ModelRequest, Usage } from "#src/domain/provider";
import { createToolCallCollector } from "./collect-tool-calls";
import { countField, field, textField } from "./json";
import { invalidResponse } from "./model-failure";

type FinishReason = Extract<ModelEvent, { readonly type: "finish" }>["reason"];

/** One model answer while it comes in, from chunks in the shape of Chat Completions or of Workers AI. */
export interface AnswerCollector {
  take(value: unknown, event: string): void;
  /** Text and reasoning since the last call, joined: what arrives together goes on together. */
  drain(): readonly ModelEvent[];
  /** The error body that the vendor sent in place of, or amid, its answer. */
  error(): unknown;
  /** The vendor has said how the answer ends, so that nothing but its usage can be missing. */
  hasEnded(): boolean;
  /** The last event; `isClosed` when the vendor marked the end of its stream. */
  finish(isClosed: boolean): ModelEvent;
}

/** Begins to collect the answer to a request. `who` is the vendor, for sentences. */
export function createAnswerCollector(request: ModelRequest, who: string): AnswerCollector {
  const calls = createToolCallCollector();
  let text = "";
  let reasoning = "";
  let hasAnswered = false;
  let ending: string | undefined;
  let usage: Usage | undefined;
  let error: unknown;

  const takeMessage = (message: unknown): void => {
    text += contentText(field(message, "content"), "text") + (textField(message, "refusal") ?? "");
    reasoning +=
      textField(message, "reasoning_content") ??
      textField(message, "reasoning") ??
      contentText(field(message, "content"), "thinking");
    takeCalls(field(message, "tool_calls"));
    const legacy = field(message, "function_call");
    if (legacy !== undefined && legacy !== null) calls.add({ index: 0, function: legacy });
  };
  const takeCalls = (pieces: unknown): void => {
    if (Array.isArray(pieces)) for (const piece of pieces) calls.add(piece);
  };

  return {
    take(value, event) {
      error ??= errorOf(value, event);
      usage = usageOf(value) ?? usage;
      const chunk = field(value, "result") ?? value;
      const choice = firstOf(field(chunk, "choices"));
      hasAnswered ||=
        choice !== undefined || field(chunk, "response") !== undefined || field(chunk, "tool_calls") !== undefined;
      takeMessage(field(choice, "delta") ?? field(choice, "message"));
      // older completions endpoints write `text` beside the message; Workers AI writes `response`, digits as numbers
      text += nativeText(field(chunk, "response"));
      takeCalls(field(chunk, "tool_calls"));
      ending = textField(choice, "finish_reason") ?? textField(chunk, "finish_reason") ?? ending;
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
    hasEnded: () => ending !== undefined,
    finish(isClosed) {
      if (!hasAnswered) return failed(invalidResponse(who));
      // whole calls, or the count that comes last, say as much as an end mark that some vendors leave out
      if (ending === undefined && !isClosed && usage === undefined && !calls.areWhole()) {
        return failed({ reason: "network", retryable: true, message: `${who} broke off before its answer was whole.` });
      }
      const toolCalls = calls.finish(usedIds(request));
      return {
        type: "finish",
        reason: finishReason(ending, toolCalls.length > 0),
        toolCalls,
        ...(usage === undefined ? {} : { usage }),
      };
    },
  };
}

function failed(failure: Extract<ModelEvent, { readonly type: "failed" }>["failure"]): ModelEvent {
  return { type: "failed", failure };
}

/** Mistral and others send content as parts, the model's thinking among them. */
function contentText(content: unknown, kind: "text" | "thinking"): string {
  if (typeof content === "string") return kind === "text" ? content : "";
  if (!Array.isArray(content)) return "";
  return content
    .map((part: unknown) => {
      if (kind === "text") return textField(part, "text") ?? "";
      const thinking = field(part, "thinking");
      return typeof thinking === "string" ? thinking : contentText(thinking, "text");
    })
    .join("");
}

function nativeText(response: unknown): string {
  if (response === undefined || response === null) return "";
  if (typeof response === "string") return response;
  return JSON.stringify(response);
}

function errorOf(value: unknown, event: string): unknown {
  const error = field(value, "error");
  if (
    typeof error === "string"
      ? error !== ""
      : typeof error === "object" && error !== null && Object.keys(error).length > 0
  ) {
    return value;
  }
  // vLLM marks its error bodies so, Anthropic-like gateways their events
  if (event === "error" || field(value, "object") === "error" || field(value, "type") === "error") return value;
  return field(value, "success") === false ? value : undefined;
}

/** Where vendors keep their count: beside the choices, in one of them (Moonshot), or under Groq's own name. */
function usageOf(value: unknown): Usage | undefined {
  const chunk = field(value, "result") ?? value;
  const usage =
    field(chunk, "usage") ?? field(field(chunk, "x_groq"), "usage") ?? field(firstOf(field(chunk, "choices")), "usage");
  const inputTokens = countField(usage, "prompt_tokens") ?? countField(usage, "input_tokens");
  const outputTokens = countField(usage, "completion_tokens") ?? countField(usage, "output_tokens");
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cached =
    countField(field(usage, "prompt_tokens_details"), "cached_tokens") ??
    countField(usage, "prompt_cache_hit_tokens") ??
    countField(usage, "cached_tokens");
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
  };
}

const ENDINGS: Readonly<Record<string, FinishReason>> = {
  length: "length",
  max_tokens: "length",
  model_length: "length",
  max_output_tokens: "length",
  content_filter: "content_filter",
  safety: "content_filter",
  prohibited_content: "content_filter",
  recitation: "content_filter",
  refusal: "content_filter",
};

/** Vendors say `stop` beside tool calls, or `tool_calls` beside none: what is there decides. */
function finishReason(ending: string | undefined, hasCalls: boolean): FinishReason {
  return ENDINGS[(ending ?? "stop").toLowerCase()] ?? (hasCalls ? "tool_calls" : "stop");
}

function usedIds(request: ModelRequest): ReadonlySet<string> {
  const calls = request.messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  return new Set(calls.map((call) => call.id));
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}
