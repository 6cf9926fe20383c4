import type { ModelMessage, ModelPart, ModelRequest, ToolSchema } from "#src/domain/provider";
import { parseJson } from "./json";
import { type PlacedBlock, placeBlocks, readState } from "./provider-state";

/** Name under which the state of answers of the Messages API is kept. */
export const ANTHROPIC = "anthropic";

/** One block of content on the wire of the Messages API. */
export type WireBlock = Readonly<Record<string, unknown>> & { readonly type: string };

/** One tool on the wire of the Messages API. */
export type WireTool = Readonly<Record<string, unknown>>;

/** One message on the wire of the Messages API: roles alternate, and a person begins. */
export interface WireMessage {
  readonly role: "user" | "assistant";
  readonly content: readonly WireBlock[];
}

/** The system prompt of a request: one block for each of its messages. */
export function toSystemBlocks({ messages }: ModelRequest): readonly WireBlock[] {
  return messages.flatMap((message) =>
    message.role === "system" && message.content !== "" ? [textBlock(message.content)] : [],
  );
}

/**
 * The conversation on the wire of the Messages API. All results of one answer's calls stand in one message, before
 * anything else that it says. Source: https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls
 */
export function toWireMessages(request: ModelRequest): readonly WireMessage[] {
  const wire: { role: WireMessage["role"]; content: WireBlock[] }[] = [];
  for (const message of request.messages) {
    if (message.role === "system") continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = toBlocks(message, request);
    const last = wire.at(-1);
    if (content.length === 0) continue;
    if (last?.role === role) last.content.push(...content);
    else wire.push({ role, content: [...content] });
  }
  // a conversation that was cut may begin with an answer, and one that was broken off may end with one
  if (wire[0]?.role !== "user") wire.unshift({ role: "user", content: [textBlock("(The conversation goes on.)")] });
  if (wire.at(-1)?.role === "assistant") wire.push({ role: "user", content: [textBlock("Please go on.")] });
  return wire.map(({ role, content }) => ({ role, content: role === "user" ? resultsFirst(content) : content }));
}

/** The tools of a request on the wire of the Messages API. */
export function toWireTools(tools: readonly ToolSchema[]): readonly WireTool[] {
  return tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: { type: "object", ...parameters },
  }));
}

function toBlocks(
  message: Exclude<ModelMessage, { readonly role: "system" }>,
  request: ModelRequest,
): readonly WireBlock[] {
  if (message.role === "tool") {
    return [{ type: "tool_result", tool_use_id: wireId(message.callId), content: message.content }];
  }
  if (message.role === "user") return toContent(message.content);
  return placeBlocks(message, readState(message, ANTHROPIC, request)).flatMap(toBlock);
}

function toBlock(block: PlacedBlock): readonly WireBlock[] {
  // text of nothing but blanks is refused
  if (block.type === "text") return block.text.trim() === "" ? [] : [textBlock(block.text)];
  if (block.type === "kept") return isBlock(block.value) ? [block.value] : [];
  const { id, name, arguments: args } = block.call;
  return [{ type: "tool_use", id: wireId(id), name, input: toInput(args) }];
}

function isBlock(value: unknown): value is WireBlock {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function toInput(raw: string): unknown {
  const parsed = parseJson(raw);
  const isObject = typeof parsed === "object" && parsed !== null && !Array.isArray(parsed);
  return isObject ? parsed : { invalid_arguments: raw };
}

function toContent(content: string | readonly ModelPart[]): readonly WireBlock[] {
  const parts: readonly ModelPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const blocks = parts.flatMap((part) => (part.type === "image" ? [imageBlock(part.url)] : textBlocks(part.text)));
  return blocks.length === 0 ? [textBlock("(no words)")] : blocks;
}

function textBlocks(text: string): readonly WireBlock[] {
  return text.trim() === "" ? [] : [textBlock(text)];
}

function textBlock(text: string): WireBlock {
  return { type: "text", text };
}

/** Source: https://platform.claude.com/docs/en/build-with-claude/vision */
function imageBlock(url: string): WireBlock {
  const [, mediaType, data] = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w=.-]+)*;base64,(.*)$/s.exec(url) ?? [];
  if (data === undefined) return { type: "image", source: { type: "url", url } };
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

/** Ids of other vendors hold characters that this one refuses. */
function wireId(id: string): string {
  return id.replaceAll(/[^\w-]/g, "_") || "_";
}

function resultsFirst(content: readonly WireBlock[]): readonly WireBlock[] {
  const isResult = (block: WireBlock): boolean => block.type === "tool_result";
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}
