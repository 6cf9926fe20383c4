import type { ModelMessage, ModelRequest, ProviderState } from "#src/domain/provider";
import { field, parseJson } from "./json";

/** The state of an answer for a provider, as JSON text. */
export function writeState(provider: string, model: string, data: unknown): ProviderState {
  return { provider, model, data: JSON.stringify(data) };
}

/**
 * What a provider had kept with an answer. Undefined when another provider or model wrote it: signatures and encrypted
 * reasoning are refused by everyone but their own model.
 */
export function readState(message: ModelMessage, provider: string, request: Pick<ModelRequest, "model">): unknown {
  const state = message.role === "assistant" ? message.state : undefined;
  if (state?.provider !== provider || state.model !== request.model) return undefined;
  return parseJson(state.data);
}

/** One block of an answer, in the order in which the model gave them. */
export type AnswerBlock =
  /** So many characters of the answer's text. */
  | { readonly text: number; readonly phase?: string }
  /** The next of its calls. */
  | { readonly call: true }
  /** What the vendor wants to see again, unchanged. */
  | { readonly kept: unknown };

/** An answer put together again. */
export type PlacedBlock =
  | { readonly type: "text"; readonly text: string; readonly phase?: string }
  | { readonly type: "call"; readonly call: AssistantCall }
  | { readonly type: "kept"; readonly value: unknown };

type AssistantMessage = Extract<ModelMessage, { readonly role: "assistant" }>;
type AssistantCall = NonNullable<AssistantMessage["toolCalls"]>[number];

/**
 * An answer's blocks in their old order. When its text or calls are no longer those that the model gave, what was kept
 * comes first, where reasoning belongs, and then what is there now.
 */
export function placeBlocks(message: AssistantMessage, state: unknown): readonly PlacedBlock[] {
  const blocks = readBlocks(field(state, "blocks"));
  const { content, toolCalls: calls = [] } = message;
  const chars = blocks.reduce((sum, block) => sum + ("text" in block ? block.text : 0), 0);
  const isSame = chars === content.length && blocks.filter((block) => "call" in block).length === calls.length;
  const order: readonly AnswerBlock[] = isSame
    ? blocks
    : [
        ...blocks.filter((block) => "kept" in block),
        { text: content.length },
        ...calls.map(() => ({ call: true }) as const),
      ];
  let at = 0;
  let next = 0;
  return order.flatMap((block): PlacedBlock[] => {
    if ("kept" in block) return [{ type: "kept", value: block.kept }];
    if ("text" in block) {
      const text = content.slice(at, (at += block.text));
      return text === "" ? [] : [{ type: "text", text, ...(block.phase === undefined ? {} : { phase: block.phase }) }];
    }
    const call = calls[next++];
    return call === undefined ? [] : [{ type: "call", call }];
  });
}

function readBlocks(value: unknown): readonly AnswerBlock[] {
  // the state was written by the same provider: its blocks are what it wrote
  return Array.isArray(value) ? (value as readonly AnswerBlock[]) : [];
}

/** A short name of a text, the same for the same text. Not for secrets: it can be guessed back. */
export function shortHash(text: string): string {
  // FNV-1a, 32 bits, from both ends. Source: http://www.isthe.com/chongo/tech/comp/fnv/
  let forth = 0x811c9dc5;
  let back = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) {
    forth = Math.imul(forth ^ text.charCodeAt(i), 0x01000193);
    back = Math.imul(back ^ text.charCodeAt(text.length - 1 - i), 0x01000193);
  }
  return (forth >>> 0).toString(16).padStart(8, "0") + (back >>> 0).toString(16).padStart(8, "0");
}
