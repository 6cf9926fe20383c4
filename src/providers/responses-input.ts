import type { ModelMessage, ModelPart, ModelRequest, ToolSchema } from "#src/domain/provider";
import { countField, field, textField } from "./json";
import { type PlacedBlock, placeBlocks, readState, shortHash } from "./provider-state";

/** Name under which the state of Responses answers is kept, stored or not: each reads the other's. */
export const RESPONSES = "responses";

/** One item of the input on the wire of the Responses API. */
export type InputItem = Readonly<Record<string, unknown>>;

/** What a request says, and after which stored response it says it. */
export interface ResponsesInput {
  readonly instructions?: string;
  readonly input: readonly InputItem[];
  readonly previousId?: string;
}

/** All messages of a request as input items. */
export function toWholeInput(request: ModelRequest): ResponsesInput {
  return { ...instructionsOf(request), input: spoken(request).flatMap((message) => toItems(message, request)) };
}

/**
 * Only what came after the latest answer that the vendor has stored. The whole input when there is none, or when what
 * came before that answer is no longer what the vendor has: the history may have been cut or corrected since.
 */
export function toInputSinceStored(request: ModelRequest): ResponsesInput {
  const messages = spoken(request);
  const at = messages.findLastIndex((message) => storedOf(message, request) !== undefined);
  const message = messages[at];
  const stored = message === undefined ? undefined : storedOf(message, request);
  if (stored === undefined || stored.before !== historyHash(messages.slice(0, at))) return toWholeInput(request);
  return {
    ...instructionsOf(request),
    input: messages.slice(at + 1).flatMap((each) => toItems(each, request)),
    previousId: stored.id,
  };
}

/** A short name of the messages that a response answers. */
export function historyHash(messages: readonly ModelMessage[]): string {
  const plain = messages
    .filter((message) => message.role !== "system")
    .map((message) => (message.role === "assistant" ? { ...message, state: undefined } : message));
  return shortHash(JSON.stringify(plain));
}

/** The tools of a request on the wire of the Responses API. */
export function toResponsesTools(tools: readonly ToolSchema[]): readonly unknown[] {
  // strict is the default here, and refuses every schema with an optional argument
  return tools.map(({ name, description, parameters }) => ({
    type: "function",
    name,
    description,
    parameters,
    strict: false,
  }));
}

function spoken({ messages }: ModelRequest): readonly ModelMessage[] {
  return messages.filter((message) => message.role !== "system");
}

function instructionsOf({ messages }: ModelRequest): { readonly instructions?: string } {
  const system = messages.filter((message) => message.role === "system").map((message) => message.content);
  return system.length === 0 ? {} : { instructions: system.join("\n\n") };
}

function storedOf(message: ModelMessage, request: ModelRequest): { id: string; before: string } | undefined {
  const state = readState(message, RESPONSES, request);
  const id = textField(state, "id");
  const before = textField(state, "before");
  return id === undefined || before === undefined ? undefined : { id, before };
}

function toItems(message: ModelMessage, request: ModelRequest): readonly InputItem[] {
  if (message.role === "tool") {
    return [{ type: "function_call_output", call_id: message.callId, output: message.content }];
  }
  if (message.role !== "assistant") return [{ role: "user", content: toContent(message.content) }];
  return placeBlocks(message, readState(message, RESPONSES, request)).flatMap(toItem);
}

function toItem(block: PlacedBlock): readonly InputItem[] {
  if (block.type === "kept") return isObject(block.value) ? [block.value] : [];
  if (block.type === "text") {
    return [
      {
        role: "assistant",
        content: block.text,
        ...(block.phase === undefined ? {} : { phase: block.phase }),
      },
    ];
  }
  const { id, name, arguments: args } = block.call;
  return [{ type: "function_call", call_id: id, name, arguments: args }];
}

function isObject(value: unknown): value is InputItem {
  return typeof value === "object" && value !== null;
}

function toContent(content: string | readonly ModelPart[]): unknown {
  if (typeof content === "string") return content;
  return content.map((part) =>
    part.type === "text"
      ? { type: "input_text", text: part.text }
      : { type: "input_image", image_url: part.url, detail: "auto" },
  );
}

/**
 * What a reasoning item needs to be understood again by a vendor that stores nothing: its encrypted thought. Its id is
 * left out, since an id that was never stored is refused. Undefined when there is nothing to give back.
 */
export function keptReasoning(item: unknown): InputItem | undefined {
  const encrypted = textField(item, "encrypted_content");
  if (encrypted === undefined) return undefined;
  const summary = field(item, "summary");
  return { type: "reasoning", summary: Array.isArray(summary) ? summary : [], encrypted_content: encrypted };
}

/** Where an item stands in the answer; behind all others when the vendor does not say. */
export function outputIndex(event: unknown): number {
  return countField(event, "output_index") ?? Number.MAX_SAFE_INTEGER;
}
