import { GatewayError } from "#src/domain/errors";
import type { Attachment } from "#src/domain/message";
import type { ModelMessage } from "#src/domain/provider";
import type { BroughtConversation } from "#src/domain/turn";

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
/** Longest text of one content part in characters. */
const MAX_TEXT_CHARS = 500_000;

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
  const system = read.flatMap((message) => (message.role === "system" ? [message.text] : [])).join("\n\n");
  const history = read.slice(0, last).flatMap(toHistory);
  const streamOptions = body["stream_options"];
  return {
    model: typeof body["model"] === "string" ? body["model"] : "talaria",
    stream: body["stream"] === true,
    includeUsage:
      typeof streamOptions === "object" &&
      streamOptions !== null &&
      "include_usage" in streamOptions &&
      streamOptions.include_usage === true,
    text: asked.text,
    attachments: asked.attachments,
    brought: system === "" ? { history } : { system, history },
    ignored: IGNORED.filter((field) => body[field] !== undefined && body[field] !== null && body[field] !== 1),
  };
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
  if (typeof message !== "object" || message === null)
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
    text: parts.flatMap((part) => part.text ?? []).join("\n"),
    attachments: parts.flatMap((part) => part.attachment ?? []),
  };
}

function readPart(part: unknown, where: string): { readonly text?: string; readonly attachment?: Attachment } {
  if (typeof part !== "object" || part === null || !("type" in part))
    throw new GatewayError("bad_request", `${where}: expected an object with a type.`);
  if (part.type === "text" && "text" in part && typeof part.text === "string")
    return { text: bounded(part.text, where) };
  if (part.type === "image_url" && "image_url" in part) return { attachment: readImage(part.image_url, where) };
  throw new GatewayError("bad_request", `${where}.type: only text and image_url parts are taken.`);
}

function readImage(image: unknown, where: string): Attachment {
  const url = typeof image === "object" && image !== null && "url" in image ? image.url : undefined;
  if (typeof url !== "string" || !/^(https?:\/\/|data:image\/)/i.test(url))
    throw new GatewayError("bad_request", `${where}.image_url.url: expected an https: or data: URL.`);
  return { kind: "image", url };
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
