import type { ModelEvent, ModelFailure, ModelRequest, ProviderState, Usage } from "#src/domain/provider";
import { type AnswerCollector, type FinishReason, MAX_ANSWER_CHARS } from "./answer-collector";
import { ANTHROPIC } from "./anthropic-messages";
import { usedIds } from "./collect-answer";
import { uniqueId, writtenArguments } from "./collect-tool-calls";
import { countField, field, textField } from "./json";
import { failureSentence, invalidResponse } from "./model-failure";
import { type AnswerBlock, writeState } from "./provider-state";

/** One block of the answer while it comes in. */
interface Block {
  readonly index: number;
  readonly type: string;
  readonly id: string | undefined;
  readonly name: string;
  /** Text, thinking, or the JSON of a call's input. */
  text: string;
  signature: string;
  /** What only the vendor can read of a thought that it withheld. */
  readonly data: string | undefined;
  isDone: boolean;
}

/**
 * Begins to collect an answer of the Messages API from its events, or from the whole message.
 * Source: https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11)
 */
export function createMessageCollector(request: ModelRequest, who: string): AnswerCollector {
  const blocks: Block[] = [];
  let text = "";
  let reasoning = "";
  let chars = 0;
  let hasBegun = false;
  let isStopped = false;
  let stop: string | undefined;
  let counts: Readonly<Record<string, unknown>> = {};
  let error: unknown;

  const begin = (index: number, value: unknown): Block => {
    const block: Block = {
      index,
      type: textField(value, "type") ?? "text",
      id: textField(value, "id"),
      name: textField(value, "name") ?? "",
      text: "",
      signature: textField(value, "signature") ?? "",
      data: textField(value, "data"),
      isDone: false,
    };
    blocks.push(block);
    grow(block, textField(value, block.type === "thinking" ? "thinking" : "text") ?? inputText(field(value, "input")));
    return block;
  };
  const grow = (block: Block, piece: string): void => {
    block.text += piece;
    chars += piece.length;
    if (block.type === "text") text += piece;
    else if (block.type === "thinking") reasoning += piece;
  };
  const blockOf = (event: unknown, type: string): Block => {
    const index = countField(event, "index") ?? blocks.length - 1;
    // some servers leave out the beginning of a block
    return blocks.findLast((block) => block.index === index) ?? begin(index, { type });
  };
  const count = (usage: unknown): void => {
    const given = Object.entries(Object(usage)).filter(([, value]) => value !== null && value !== undefined);
    counts = { ...counts, ...Object.fromEntries(given) };
  };
  const takeDelta = (event: unknown): void => {
    const delta = field(event, "delta");
    const said = textField(delta, "text");
    const thought = textField(delta, "thinking");
    const json = textField(delta, "partial_json");
    const signature = textField(delta, "signature");
    if (said !== undefined) grow(blockOf(event, "text"), said);
    if (thought !== undefined) grow(blockOf(event, "thinking"), thought);
    if (json !== undefined) grow(blockOf(event, "tool_use"), json);
    if (signature !== undefined) blockOf(event, "thinking").signature += signature;
  };
  const takeWhole = (message: unknown): void => {
    hasBegun = true;
    count(field(message, "usage"));
    const content = field(message, "content");
    if (Array.isArray(content)) content.forEach((value, at) => (begin(at, value).isDone = true));
    stop = textField(message, "stop_reason") ?? stop;
  };
  const take: Readonly<Record<string, (event: unknown) => void>> = {
    message_start: (event) => takeWhole(field(event, "message")),
    content_block_start: (event) => {
      hasBegun = true;
      begin(countField(event, "index") ?? blocks.length, field(event, "content_block"));
    },
    content_block_delta: takeDelta,
    content_block_stop: (event) => {
      const block = blocks.findLast(({ index }) => index === countField(event, "index"));
      if (block !== undefined) block.isDone = true;
    },
    message_delta: (event) => {
      stop = textField(field(event, "delta"), "stop_reason") ?? stop;
      count(field(event, "usage"));
    },
    message_stop: () => (isStopped = true),
    message: (message) => {
      takeWhole(message);
      isStopped = true;
    },
    error: (event) => (error ??= event),
  };

  const callsOf = (isCut: boolean) => {
    const taken = new Set(usedIds(request));
    return ordered(blocks)
      .filter((block) => block.type === "tool_use" && block.name !== "")
      .map((block) => ({
        id: uniqueId(block.id, taken),
        name: block.name,
        arguments: writtenArguments(block.text.trim(), isCut),
        block,
      }));
  };
  const stateOf = (calls: readonly { readonly block: Block }[]): ProviderState | undefined => {
    const placed = ordered(blocks).flatMap((block): AnswerBlock[] => {
      const kept = keptThought(block);
      if (kept !== undefined) return [{ kept }];
      if (block.type === "text") return [{ text: block.text.length }];
      return calls.some((call) => call.block === block) ? [{ call: true }] : [];
    });
    const hasKept = placed.some((block) => "kept" in block);
    return hasKept ? writeState(ANTHROPIC, request.model, { blocks: placed }) : undefined;
  };

  return {
    take(value, event) {
      const type = textField(value, "type") ?? event;
      const taker = take[type];
      if (taker !== undefined) taker(value);
      else if (field(value, "error") !== undefined) error ??= value;
      if (chars > MAX_ANSWER_CHARS) error ??= { error: { message: "answer without end", type: "api_error" } };
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
    hasEnded: () => stop !== undefined,
    isComplete: () => isStopped && stop !== undefined,
    finish() {
      if (!hasBegun) return [{ type: "failed", failure: invalidResponse(who) }];
      if (stop === undefined) {
        const message = `${who} broke off before its answer was whole.`;
        return [{ type: "failed", failure: { reason: "network", retryable: true, message } }];
      }
      const reason = STOPS[stop] ?? "stop";
      const calls = reason === "content_filter" ? [] : callsOf(reason === "length");
      const isNothing = calls.length === 0 && blocks.every((block) => block.type !== "text" || block.text === "");
      if (stop === OVERFLOW && isNothing) return [{ type: "failed", failure: overflow(who) }];
      const state = stateOf(calls);
      const usage = usageOf(counts);
      return [
        {
          type: "finish",
          reason: reason === "stop" && calls.length > 0 ? "tool_calls" : reason,
          toolCalls: calls.map(({ id, name, arguments: args }) => ({ id, name, arguments: args })),
          ...(usage === undefined ? {} : { usage }),
          ...(state === undefined ? {} : { state }),
        },
      ];
    },
  };
}

const OVERFLOW = "model_context_window_exceeded";

/** Why an answer stopped. One that the vendor paused goes on when it is asked again, as one that was cut does. */
const STOPS: Readonly<Record<string, FinishReason>> = {
  max_tokens: "length",
  [OVERFLOW]: "length",
  pause_turn: "length",
  refusal: "content_filter",
  tool_use: "stop",
};

function overflow(who: string): ModelFailure {
  return {
    reason: "context_overflow",
    retryable: true,
    shouldCompress: true,
    message: failureSentence("context_overflow", { provider: who }),
  };
}

function ordered(blocks: readonly Block[]): readonly Block[] {
  return blocks.toSorted((a, b) => a.index - b.index);
}

/** A thought as it has to come back: unchanged, with its signature. One without is nobody's. */
function keptThought({ type, text, signature, data }: Block): unknown {
  if (type === "redacted_thinking") return data === undefined ? undefined : { type, data };
  if (type === "thinking" && signature !== "") return { type, thinking: text, signature };
  return undefined;
}

/** A stream begins a call with an empty input, and then sends its pieces. */
function inputText(input: unknown): string {
  if (typeof input !== "object" || input === null || Object.keys(input).length === 0) return "";
  return JSON.stringify(input);
}

/** The vendor counts what its cache had, and what went into it, beside the input. */
function usageOf(counts: unknown): Usage | undefined {
  const fresh = countField(counts, "input_tokens");
  const outputTokens = countField(counts, "output_tokens");
  if (fresh === undefined && outputTokens === undefined) return undefined;
  const cached = countField(counts, "cache_read_input_tokens");
  const written = countField(counts, "cache_creation_input_tokens");
  const thought = countField(field(counts, "output_tokens_details"), "thinking_tokens");
  return {
    inputTokens: (fresh ?? 0) + (cached ?? 0) + (written ?? 0),
    outputTokens: outputTokens ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(thought === undefined ? {} : { reasoningTokens: thought }),
  };
}
