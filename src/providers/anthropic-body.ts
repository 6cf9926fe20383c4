import type { ModelMessage, ModelRequest } from "#src/domain/provider";
import { ANTHROPIC, toSystemBlocks, toWireMessages, toWireTools } from "./anthropic-messages";
import { markBreakpoints } from "./cache-breakpoints";
import { findModel } from "./find-model";
import { field } from "./json";
import type { Effort, ModelMetadata } from "./model-metadata";
import { approxInputTokens } from "./open-call";
import { readState } from "./provider-state";
import { nearestEffort } from "./reasoning-effort";

/** Tokens of thinking by effort, for models that are told a budget. */
const BUDGETS: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1024,
  low: 4000,
  medium: 8000,
  high: 16_000,
  xhigh: 32_000,
};
/** Tokens that are left for the answer behind a budget of thinking. */
const ANSWER_TOKENS = 4096;
/** Tokens of an answer that are asked for however full the window seems: the count of the input is a guess. */
const LEAST_OUTPUT_TOKENS = 4096;

/** The body of a Messages request. */
export function toAnthropicBody(request: ModelRequest): Record<string, unknown> {
  const metadata = findModel(request.model);
  const thinking = thinkingOf(request, metadata);
  const { system, tools, messages } = markBreakpoints({
    system: toSystemBlocks(request),
    tools: toWireTools(request.tools),
    messages: toWireMessages(request),
  });
  return {
    model: request.model,
    max_tokens: maxTokens(request, metadata, thinking.budget),
    ...(system.length === 0 ? {} : { system }),
    messages,
    ...(tools.length === 0 ? {} : { tools }),
    ...thinking.fields,
    stream: true,
  };
}

/** The longest answer: what is asked for, else what the model can write and the window still holds. */
function maxTokens(request: ModelRequest, metadata: ModelMetadata, budget: number): number {
  const { contextTokens, maxOutputTokens: most } = metadata;
  if (request.maxOutputTokens !== undefined) return Math.max(request.maxOutputTokens, budget > 0 ? budget + 1 : 1);
  const toolChars = request.tools.length === 0 ? 0 : JSON.stringify(request.tools).length;
  const room = contextTokens - Math.ceil((approxInputTokens(request) + toolChars / 4) * 1.2);
  return Math.max(Math.min(most, Math.max(room, LEAST_OUTPUT_TOKENS)), budget > 0 ? budget + ANSWER_TOKENS : 1);
}

interface Thinking {
  readonly fields: Readonly<Record<string, unknown>>;
  /** Tokens of thinking that are asked for. */
  readonly budget: number;
}

const UNSAID: Thinking = { fields: {}, budget: 0 };

/**
 * How the model is told to think. Its thoughts are asked for as a summary: by default newer models send none, and with
 * them none of what they say between two calls.
 * Source: https://platform.claude.com/docs/en/build-with-claude/thinking (2026-11)
 */
function thinkingOf(request: ModelRequest, { thinking, efforts }: ModelMetadata): Thinking {
  const { reasoningEffort: asked } = request;
  if (thinking === undefined) return UNSAID;
  if (thinking === "budget") return asked === undefined || asked === "none" ? UNSAID : withBudget(request, asked);
  if (asked === "none" && thinking !== "adaptive_always") {
    if (thinking === "adaptive") return UNSAID;
    const type = thinking === "adaptive_between" ? "between_tools" : "disabled";
    return { fields: { thinking: { type } }, budget: 0 };
  }
  const effort = asked === undefined ? undefined : nearestEffort(asked, efforts);
  if (effort === undefined && thinking === "adaptive") return UNSAID;
  const shown = { thinking: { type: "adaptive", display: "summarized" } };
  return { fields: { ...shown, ...(effort === undefined ? {} : { output_config: { effort } }) }, budget: 0 };
}

function withBudget(request: ModelRequest, asked: Effort): Thinking {
  // a model that was told to think refuses calls of the running turn that were made without
  if (hasThoughtlessCall(request)) return UNSAID;
  const budget = BUDGETS[asked];
  return { fields: { thinking: { type: "enabled", budget_tokens: budget } }, budget };
}

function hasThoughtlessCall(request: ModelRequest): boolean {
  const { messages } = request;
  const turn = messages.slice(messages.findLastIndex((message) => message.role === "user") + 1);
  return turn.some((message) => callsTools(message) && !hasThoughts(readState(message, ANTHROPIC, request)));
}

function callsTools(message: ModelMessage): boolean {
  return message.role === "assistant" && (message.toolCalls ?? []).length > 0;
}

function hasThoughts(state: unknown): boolean {
  const blocks = field(state, "blocks");
  return Array.isArray(blocks) && blocks.some((block) => field(block, "kept") !== undefined);
}
