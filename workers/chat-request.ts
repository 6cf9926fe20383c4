import { GatewayError } from "#src/domain/errors";
import type { Attachment } from "#src/domain/message";
import type { ModelMessage } from "#src/domain/provider";
import type { BroughtConversation } from "#src/domain/turn";
import { utf8 } from "#src/lib/encoding";

/** A chat completion as a client asked for it. */
export interface ChatRequest {
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  /** The last message of the user: what this turn is about. */
  readonly text: string;
  readonly attachments: readonly Attachment[];
  /** What came before it. */
  readonly brought: BroughtConversation;
  /** Fields that have no effect here; the client is warned. */
  readonly ignored: readonly string[];
}

const IGNORED = [
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "n",
  "logprobs",
  "logit_bias",
  "response_format",
];
/** Longest text of one message in characters. */
const MAX_TEXT_CHARS = 500_000;
/** Longest name of a model in characters: each chunk of an answer repeats it. */
const MAX_MODEL_CHARS = 256;
/** What one row of a session holds, with room for what stands beside it, in bytes of JSON. */
const MAX_ROW_BYTES = 1_900_000;

/**
 * Reads a chat completion request.
 * @throws GatewayError `bad_request`, naming the field
 */
export function readChatRequest(body: Record<string, unknown>): ChatRequest {
  const { messages } = body;
  if (!Array.isArray(messages) || messages.length === 0)
    throw new GatewayError("bad_request", "messages: expected a list that is not empty.");
  const read = messages.map((message: unknown, index) => readMessage(message, index));
  const last = read.findLastIndex((message) => message.role === "user");
  const asked = read[last];
  if (asked === undefined) throw new GatewayError("bad_request", "messages: one with the role user is needed.");
  if (asked.text.trim() === "" && asked.attachments.length === 0)
    throw new GatewayError("bad_request", `messages[${last}].content: the last message of the user is empty.`);
  const system = read.flatMap((message) => (message.role === "system" ? [message.text] : [])).join("\n\n");
  const history = read.slice(0, last).flatMap(toHistory);
  const brought = system === "" ? { history } : { system, history };
  // pictures that come as bytes are stored apart from their message
  const links = asked.attachments.filter(({ url }) => url?.startsWith("data:") !== true);
  refuseOver(links, `messages[${last}].content: its links are`);
  refuseOver(brought, "messages: what comes before the last message of the user is");
  return {
    model: readModel(body["model"]),
    stream: readFlag(body["stream"], "stream"),
    includeUsage: readIncludeUsage(body["stream_options"]),
    text: asked.text,
    attachments: asked.attachments,
    brought,
    ignored: IGNORED.filter((field) => body[field] !== undefined && body[field] !== null && body[field] !== 1),
  };
}

function readModel(model: unknown): string {
  if (model === undefined || model === null) return "talaria";
  if (typeof model !== "string" || model === "" || model.length > MAX_MODEL_CHARS)
    throw new GatewayError("bad_request", `model: expected a text of 1 to ${MAX_MODEL_CHARS} characters.`);
  return model;
}

function readFlag(flag: unknown, where: string): boolean {
  if (flag === undefined || flag === null) return false;
  if (typeof flag !== "boolean") throw new GatewayError("bad_request", `${where}: expected true or false.`);
  return flag;
}

function readIncludeUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false;
  if (typeof options !== "object" || Array.isArray(options))
    throw new GatewayError("bad_request", "stream_options: expected an object.");
  return "include_usage" in options && readFlag(options.include_usage, "stream_options.include_usage");
}

/** @throws GatewayError `too_large` for what no row of a session could hold */
function refuseOver(value: unknown, what: string): void {
  if (utf8(JSON.stringify(value)).length > MAX_ROW_BYTES)
    throw new GatewayError("too_large", `${what} larger than ${MAX_ROW_BYTES} bytes.`);
}

interface ReadMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

const ROLES: Readonly<Record<string, ReadMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
};

function readMessage(message: unknown, index: number): ReadMessage {
  const where = `messages[${index}]`;
  if (typeof message !== "object" || message === null || Array.isArray(message))
    throw new GatewayError("bad_request", `${where}: expected an object.`);
  const given = "role" in message && typeof message.role === "string" ? message.role : "";
  const role = Object.hasOwn(ROLES, given) ? ROLES[given] : undefined;
  if (role === undefined)
    throw new GatewayError("bad_request", `${where}.role: expected system, developer, user, assistant or tool.`);
  const content = "content" in message ? message.content : undefined;
  if (typeof content === "string") return { role, text: bounded(content, `${where}.content`), attachments: [] };
  if (content === null || content === undefined) {
    if (role === "user") throw new GatewayError("bad_request", `${where}.content: expected a text or a list of parts.`);
    return { role, text: "", attachments: [] };
  }
  if (!Array.isArray(content))
    throw new GatewayError("bad_request", `${where}.content: expected a text or a list of parts.`);
  const parts = content.map((part: unknown, i) => readPart(part, `${where}.content[${i}]`));
  return {
    role,
    text: bounded(parts.flatMap((part) => part.text ?? []).join("\n"), `${where}.content`),
    attachments: parts.flatMap((part) => part.attachment ?? []),
  };
}

function readPart(part: unknown, where: string): { readonly text?: string; readonly attachment?: Attachment } {
  if (typeof part !== "object" || part === null || !("type" in part))
    throw new GatewayError("bad_request", `${where}: expected an object with a type.`);
  if (part.type === "text" && "text" in part && typeof part.text === "string") return { text: part.text };
  if (part.type === "refusal" && "refusal" in part && typeof part.refusal === "string") return { text: part.refusal };
  if (part.type === "image_url" && "image_url" in part) return { attachment: readImage(part.image_url, where) };
  throw new GatewayError("bad_request", `${where}.type: only text and image_url parts are taken.`);
}

function readImage(image: unknown, where: string): Attachment {
  const url = typeof image === "object" && image !== null && "url" in image ? image.url : undefined;
  if (typeof url !== "string" || !/^(https?:\/\/|data:image\/)/i.test(url))
    throw new GatewayError("bad_request", `${where}.image_url.url: expected an https: or data: URL.`);
  // whoever reads it looks for the scheme as it is written in small letters
  const address = url.replace(/^\w+:/, (scheme) => scheme.toLowerCase());
  const mime = /^data:([\w/.+-]+)/.exec(address)?.[1]?.toLowerCase();
  return { kind: "image", url: address, ...(mime === undefined ? {} : { mime }) };
}

function bounded(text: string, where: string): string {
  if (text.length > MAX_TEXT_CHARS)
    throw new GatewayError("too_large", `${where}: longer than ${MAX_TEXT_CHARS} characters.`);
  return text;
}

function toHistory({ role, text }: ReadMessage): ModelMessage[] {
  if (role === "user" || role === "assistant") return text === "" ? [] : [{ role, content: text }];
  return []; // system texts are gathered; results of tools that are not ours mean nothing here
}
