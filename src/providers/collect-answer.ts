import type { ModelEvent, ModelFailure, ModelRequest, ProviderState, Usage } from "#src/domain/provider";
import { type AnswerCollector, type FinishReason, MAX_ANSWER_CHARS } from "./answer-collector";
import { createToolCallCollector, uniqueId } from "./collect-tool-calls";
import { countField, field, textField } from "./json";
import { invalidResponse } from "./model-failure";
import { type ReasoningDetail, addReasoningDetails, detailsText } from "./reasoning-details";
import { createTextGate } from "./text-gate";
import { createThinkSplitter } from "./think-block";

/** What an answer holds beside its text and calls, for vendors that want to see it again. */
export interface KeptReasoning {
  readonly content: string;
  readonly details: readonly ReasoningDetail[];
  /** What stood beside single calls, by their ids. */
  readonly callExtras: Readonly<Record<string, unknown>>;
}

/**
 * Begins to collect the answer to a request, from chunks in the shape of Chat Completions or of Workers AI. `who` is
 * the vendor, for sentences; `keep` makes a state of what it wants to see again.
 */
export function createAnswerCollector(
  request: ModelRequest,
  who: string,
  keep: (kept: KeptReasoning) => ProviderState | undefined = () => undefined,
): AnswerCollector {
  const calls = createToolCallCollector();
  const gate = createTextGate(request.tools);
  const thinking = createThinkSplitter();
  const details: Record<string, unknown>[] = [];
  let reasoning = "";
  let allReasoning = "";
  let chars = 0;
  let isRefused = false;
  let hasAnswered = false;
  let ending: string | undefined;
  let usage: Usage | undefined;
  let error: unknown;

  const say = (text: string): void => {
    chars += text.length;
    const { thought, said } = thinking.split(text);
    if (thought !== "") think(thought);
    gate.push(said);
  };
  const think = (text: string): void => {
    chars += text.length;
    reasoning += text;
    allReasoning += text;
  };
  const takeMessage = (message: unknown): void => {
    const refusal = textField(message, "refusal");
    isRefused ||= refusal !== undefined;
    say(contentText(field(message, "content"), "text") + (refusal ?? ""));
    const pieces = field(message, "reasoning_details");
    addReasoningDetails(details, pieces);
    think(
      textField(message, "reasoning_content") ??
        textField(message, "reasoning") ??
        (detailsText(pieces) || contentText(field(message, "content"), "thinking")),
    );
    takeCalls(field(message, "tool_calls"));
    const legacy = field(message, "function_call");
    if (legacy !== undefined && legacy !== null) calls.add({ index: 0, function: legacy });
  };
  const takeCalls = (pieces: unknown): void => {
    if (Array.isArray(pieces)) for (const piece of pieces) calls.add(piece);
  };
  const reasoningEvents = (): ModelEvent[] => {
    const delta = reasoning;
    reasoning = "";
    return delta === "" ? [] : [{ type: "reasoning", delta }];
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
      say(nativeText(field(chunk, "response")));
      takeCalls(field(chunk, "tool_calls"));
      ending = textField(choice, "finish_reason") ?? textField(chunk, "finish_reason") ?? ending;
      if (chars + calls.chars() > MAX_ANSWER_CHARS) error ??= ENDLESS;
    },
    drain() {
      const delta = gate.drain();
      return [...reasoningEvents(), ...textEvents(delta)];
    },
    error: () => error,
    hasEnded: () => ending !== undefined,
    isComplete: () => false,
    finish(isClosed) {
      // an answer that ends by an error is none, also where the error itself is left out
      if (!hasAnswered || ending === "error") return [failed(invalidResponse(who))];
      // whole calls, or the count that comes last, say as much as an end mark that some vendors leave out
      if (ending === undefined && !isClosed && usage === undefined && !calls.areWhole()) {
        return [
          failed({ reason: "network", retryable: true, message: `${who} broke off before its answer was whole.` }),
        ];
      }
      const said = isRefused ? "content_filter" : ENDINGS[(ending ?? "").toLowerCase()];
      const isCut = said === "length";
      const used = usedIds(request);
      // what a vendor's filter cut off must not act
      const native = said === "content_filter" ? [] : calls.finish(used, isCut);
      const kept = thinking.rest();
      think(kept.thought);
      gate.push(kept.said);
      // a model that calls natively only quotes what it writes beside it
      const rest = gate.end({ isCut, mayCall: native.length === 0 && said !== "content_filter" });
      const taken = new Set(used);
      const written = rest.calls.map((call) => ({ id: uniqueId(undefined, taken), ...call }));
      const toolCalls = [...native.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })), ...written];
      const state = keep({
        content: allReasoning,
        details,
        callExtras: Object.fromEntries(native.flatMap(({ id, extra }) => (extra === undefined ? [] : [[id, extra]]))),
      });
      return [
        ...reasoningEvents(),
        ...textEvents(rest.text),
        {
          type: "finish",
          // vendors say `stop` beside tool calls, or `tool_calls` beside none: what is there decides
          reason: said ?? (toolCalls.length > 0 ? "tool_calls" : "stop"),
          toolCalls,
          ...(usage === undefined ? {} : { usage }),
          ...(state === undefined ? {} : { state }),
        },
      ];
    },
  };
}

/** An answer that goes on for ever is none. */
const ENDLESS = { error: { message: "answer without end", code: "server_error" } };

function textEvents(delta: string): ModelEvent[] {
  return delta === "" ? [] : [{ type: "text", delta }];
}

function failed(failure: ModelFailure): ModelEvent {
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
  const ofInput = field(usage, "prompt_tokens_details") ?? field(usage, "input_tokens_details");
  const ofOutput = field(usage, "completion_tokens_details") ?? field(usage, "output_tokens_details");
  const cached =
    countField(ofInput, "cached_tokens") ??
    countField(usage, "prompt_cache_hit_tokens") ??
    countField(usage, "cached_tokens");
  const written = countField(ofInput, "cache_write_tokens");
  const thought = countField(ofOutput, "reasoning_tokens");
  return {
    inputTokens: inputTokens ?? 0,
    outputTokens: outputTokens ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
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

/** Ids of calls that the conversation already has. */
export function usedIds(request: ModelRequest): ReadonlySet<string> {
  const calls = request.messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : []));
  return new Set(calls.map((call) => call.id));
}

function firstOf(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined;
}
