import type { DeliveryTarget, InboundEvent } from "#src/domain/platform";
import type { ChatType } from "#src/domain/session-key";
import type { BotIdentity } from "./bot-identity";
import { field, idField, numberField, optional, textField } from "./read-field";

/** What every reader of an update needs besides its part of it. */
export interface Envelope {
  /** The update's id. */
  readonly eventId: string;
  readonly bot: BotIdentity;
  /** Epoch milliseconds, for what Telegram gives no time. */
  readonly now: number;
}

/** The account that stands for admins who write anonymously in their group. */
const ANONYMOUS_ADMIN_ID = "1087968824";
/** The account that stands for channels that write in a group. */
const CHANNEL_WRITER_ID = "136817688";

/** What an event has by the chat it happened in. */
export type Place = Pick<InboundEvent, "chatId" | "chatType" | "threadId" | "chatTitle" | "target">;

/** What an event has by the person it came from. */
export type Author = Pick<InboundEvent, "userId" | "userName" | "isFromBot">;

/**
 * Where a message stands. A topic of a forum is a thread; a topic of a private chat stays a private chat. Replies in
 * ordinary groups carry a thread id too, which is none.
 */
export function readPlace(message: unknown, replyTo?: string): Place {
  const chat = field(message, "chat");
  const chatId = idField(chat, "id") ?? "";
  const threadId = field(message, "is_topic_message") === true ? idField(message, "message_thread_id") : undefined;
  const target: DeliveryTarget = { chatId, ...optional("threadId", threadId), ...optional("replyTo", replyTo) };
  return {
    chatId,
    chatType: chatTypeOf(chat, threadId),
    ...optional("threadId", threadId),
    ...optional("chatTitle", textField(chat, "title")),
    target,
  };
}

function chatTypeOf(chat: unknown, threadId: string | undefined): ChatType {
  const type = textField(chat, "type");
  if (type === "channel") return "channel";
  if (type === "group" || type === "supergroup") return threadId === undefined ? "group" : "thread";
  return "dm";
}

/** Who wrote a message: a person, a bot, or a channel or group in whose name somebody did. */
export function readAuthor(message: unknown, bot: BotIdentity): Author {
  const from = field(message, "from") ?? field(message, "user");
  const stand = field(message, "sender_chat") ?? field(message, "actor_chat");
  const fromId = idField(from, "id");
  const standsIn = from === undefined || fromId === ANONYMOUS_ADMIN_ID || fromId === CHANNEL_WRITER_ID;
  if (standsIn) {
    const chat = stand ?? field(message, "chat");
    const name = textField(message, "author_signature") ?? textField(chat, "title");
    return { userId: idField(chat, "id") ?? fromId ?? "", ...optional("userName", name), isFromBot: false };
  }
  const isFromBot = field(from, "is_bot") === true || (fromId !== undefined && fromId === bot.id);
  return { userId: fromId ?? "", ...optional("userName", nameOf(from)), isFromBot };
}

/** How a person is called: first and last name, else the user name. */
function nameOf(user: unknown): string | undefined {
  const name = [textField(user, "first_name"), textField(user, "last_name")].filter(Boolean).join(" ");
  return name === "" ? textField(user, "username") : name;
}

/** Epoch milliseconds of a date in seconds. */
export function readTime(value: unknown, name: string, fallback: number): number {
  const seconds = numberField(value, name);
  return seconds === undefined || seconds <= 0 ? fallback : seconds * 1000;
}

/** The author that a user is, where a part of an update names one outside a message. */
export function authorOf(user: unknown): Author {
  const isFromBot = field(user, "is_bot") === true;
  return { userId: idField(user, "id") ?? "", ...optional("userName", nameOf(user)), isFromBot };
}

/** Something that the agent need not hear of. */
export function ignoredEvent(part: unknown, envelope: Envelope, author?: Author): InboundEvent {
  const messageId = idField(part, "message_id");
  return {
    kind: "ignored",
    eventId: envelope.eventId,
    dedupeKeys: [`ignored:${envelope.eventId}`],
    ...readPlace(part),
    ...(author ?? readAuthor(part, envelope.bot)),
    text: "",
    rawText: "",
    ...optional("messageId", messageId),
    mentionsBot: false,
    replyToBot: false,
    addressed: false,
    attachments: [],
    at: readTime(part, "date", envelope.now),
  };
}
