import type { InboundEvent, InboundKind } from "#src/domain/platform";
import { joinedEvent } from "./read-actions";
import { readAttachments } from "./read-attachments";
import { type Author, type Envelope, type Place, ignoredEvent, readAuthor, readPlace, readTime } from "./read-chat";
import { field, idField, listField, optional, textField } from "./read-field";
import { type Words, rawTextOf, readWords } from "./read-words";

/** UTF-16 units from which a text may be one piece of a longer one: clients cut at 4096. */
const NEAR_SPLIT_LIMIT = 4000;

/** Reads a message, an edited one or a post of a channel. Source: https://core.telegram.org/bots/api#message */
export function readMessage(message: unknown, isEdit: boolean, envelope: Envelope): InboundEvent {
  const messageId = idField(message, "message_id");
  if (messageId === undefined || idField(field(message, "chat"), "id") === undefined)
    return ignoredEvent(message, envelope);
  const words = readWords(message, envelope.bot);
  const attachments = readAttachments(message);
  if (words.rawText === "" && attachments.length === 0) return readServiceMessage(message, messageId, envelope);
  const author = readAuthor(message, envelope.bot);
  const reply = readReply(message, envelope);
  const place = readPlace(message, field(field(message, "chat"), "type") === "private" ? undefined : messageId);
  const kind = kindOf(words, author, isEdit);
  return {
    kind,
    eventId: envelope.eventId,
    dedupeKeys: [isEdit ? `${messageId}:e${idField(message, "edit_date") ?? envelope.eventId}` : messageId],
    ...place,
    ...author,
    text: words.text,
    rawText: words.rawText,
    messageId,
    mentionsBot: words.mentionsBot,
    ...reply,
    addressed: kind !== "ignored" && isAddressed(place, words, reply),
    attachments,
    ...(kind === "command" ? optional("command", words.command) : {}),
    ...optional("mediaGroupId", textField(message, "media_group_id")),
    ...(words.rawText.length >= NEAR_SPLIT_LIMIT ? { nearSplitLimit: true } : {}),
    at: readTime(message, isEdit ? "edit_date" : "date", envelope.now),
  };
}

function kindOf(words: Words, author: Author, isEdit: boolean): InboundKind {
  // bots that answer bots never end
  if (words.isForOtherBot || author.isFromBot) return "ignored";
  if (isEdit) return "edited_message";
  return words.command === undefined ? "message" : "command";
}

function isAddressed(place: Place, words: Words, reply: Reply): boolean {
  return place.chatType === "dm" || words.mentionsBot || words.command !== undefined || reply.replyToBot;
}

type Reply = Pick<InboundEvent, "replyTo" | "replyToBot" | "replyToText">;

/** The message that a person replied to. Every message of a topic replies to the one that opened it, which is none. */
function readReply(message: unknown, { bot }: Envelope): Reply {
  const replied = field(message, "reply_to_message");
  const replyTo = idField(replied, "message_id");
  const opensTopic = field(replied, "forum_topic_created") !== undefined;
  const isTopicRoot = field(message, "is_topic_message") === true && replyTo === idField(message, "message_thread_id");
  if (replyTo === undefined || opensTopic || isTopicRoot) return { replyToBot: false };
  const quoted = textField(field(message, "quote"), "text") ?? rawTextOf(replied);
  const authorId = idField(field(replied, "from"), "id");
  return {
    replyTo,
    replyToBot: authorId !== undefined && authorId === bot.id,
    ...optional("replyToText", quoted === "" ? undefined : quoted),
  };
}

/** What the chat itself reports: somebody joined, a topic was opened, a group became a supergroup. */
function readServiceMessage(message: unknown, messageId: string, envelope: Envelope): InboundEvent {
  const [member] = listField(message, "new_chat_members");
  if (member === undefined) return ignoredEvent(message, envelope);
  const event = joinedEvent(message, member, envelope);
  return { ...event, dedupeKeys: [messageId, ...event.dedupeKeys] };
}
