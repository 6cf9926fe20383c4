import type { Attachment, Message, MessageKind } from "#src/domain/message";
import type { ModelMessage, ModelPart } from "#src/domain/provider";

export interface ModelView {
  /** Several people share the conversation: each text then says whose it is. */
  readonly isShared: boolean;
  /** The model takes pictures. */
  readonly canSee: boolean;
  /** Picture bytes as data: URLs, by media key; pictures that are not here are named instead. */
  readonly images: ReadonlyMap<string, string>;
}

/** What people see and the model does not, or sees elsewhere. */
const HIDDEN: ReadonlySet<MessageKind> = new Set(["command", "note", "summary", "notice", "answer"]);

/** Rows as the model reads them. The same rows always give the same bytes, so that providers can cache the prefix. */
export function toModelMessages(rows: readonly Message[], view: ModelView): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const row of rows) {
    if (HIDDEN.has(row.kind)) continue;
    if (row.kind === "steer") addSteer(messages, row, view);
    else if (row.role === "user") messages.push({ role: "user", content: userContent(row, view) });
    else if (row.role === "assistant") messages.push(assistantMessage(row));
    else addResults(messages, row);
  }
  return messages;
}

function assistantMessage(row: Message): ModelMessage {
  const content =
    row.kind === "partial" ? `${row.content}\n\n[The person cut this answer off with a correction.]` : row.content;
  return {
    role: "assistant",
    content,
    ...(row.toolCalls === undefined ? {} : { toolCalls: row.toolCalls }),
    ...(row.providerState === undefined ? {} : { state: row.providerState }),
  };
}

function addResults(messages: ModelMessage[], row: Message): void {
  for (const result of row.toolResults ?? []) {
    messages.push({
      role: "tool",
      callId: result.callId,
      content: result.content.replaceAll(FORGED_MARK, "[quoted mark]"),
    });
  }
}

/** What the prompt tells the model to heed: a page or a file that a tool read must not be able to speak with it. */
const STEER_MARK = "OUT-OF-BAND USER MESSAGE";
const FORGED_MARK = /OUT[-\s_]*OF[-\s_]*BAND[-\s_]*USER[-\s_]*MESSAGE/gi;

/** A word into a running turn rides on the latest tool result, so that the pairing of calls and results stays whole. */
function addSteer(messages: ModelMessage[], row: Message, view: ModelView): void {
  const text = `[${STEER_MARK}]\n${textOf(row, row.attachments ?? [], view)}\n[/${STEER_MARK}]`;
  const last = messages.at(-1);
  if (last?.role !== "tool") {
    messages.push({ role: "user", content: text });
    return;
  }
  messages[messages.length - 1] = { ...last, content: `${last.content}\n\n${text}` };
}

function userContent(row: Message, view: ModelView): string | readonly ModelPart[] {
  const pictures = (row.attachments ?? []).flatMap((attachment) => imagePart(attachment, view));
  const named = (row.attachments ?? []).filter((attachment) => imagePart(attachment, view).length === 0);
  const text = textOf(row, named, view);
  return pictures.length === 0 ? text : [{ type: "text", text: text || "(a picture without words)" }, ...pictures];
}

/** A person's words with whose they are, the attachments that are told in words, and what they refer to. */
function textOf(row: Message, named: readonly Attachment[], view: ModelView): string {
  const author = view.isShared && row.author !== undefined ? `[${row.author.name ?? row.author.id}] ` : "";
  return [`${author}${row.content}`, ...named.map(describe), row.context ?? ""]
    .filter((part) => part !== "")
    .join("\n\n");
}

function imagePart(attachment: Attachment, view: ModelView): readonly ModelPart[] {
  if (attachment.kind !== "image" || !view.canSee || attachment.problem !== undefined) return [];
  // what a client of our API links to is for the provider to fetch; our own platforms' files are here as bytes
  const url = attachment.mediaKey === undefined ? attachment.url : view.images.get(attachment.mediaKey);
  return url !== undefined ? [{ type: "image", url }] : [];
}

function describe(attachment: Attachment): string {
  const name = attachment.name ?? attachment.kind;
  const type = attachment.mime === undefined ? "" : ` (${attachment.mime})`;
  if (attachment.problem !== undefined) return `[Attached: ${name}${type}, but ${attachment.problem}]`;
  return attachment.path === undefined
    ? `[Attached: ${name}${type}]`
    : `[Attached: ${name}${type}, saved as ${attachment.path}]`;
}
