import type { InboundEvent } from "#src/domain/platform";
import { type Envelope, authorOf, ignoredEvent } from "./read-chat";
import { field, idField, listField, textField } from "./read-field";

/** Words of Telegram for people who are in a chat. */
const MEMBERS = new Set(["creator", "administrator", "member", "restricted"]);

/** A press on a button below a message of ours. Source: https://core.telegram.org/bots/api#callbackquery */
export function readCallback(query: unknown, envelope: Envelope): readonly InboundEvent[] | undefined {
  if (query === undefined) return undefined;
  const message = field(query, "message");
  const callbackId = textField(query, "id") ?? idField(query, "id");
  const value = textField(query, "data");
  const author = authorOf(field(query, "from"));
  // a button of an inline message has no chat to answer in, and one of a game has no value
  if (callbackId === undefined || value === undefined || idField(field(message, "chat"), "id") === undefined) {
    return [ignoredEvent(message, envelope, author)];
  }
  const press: InboundEvent = {
    ...ignoredEvent(message, envelope, author),
    kind: "button",
    dedupeKeys: [`callback:${callbackId}`],
    addressed: true,
    action: { id: value, value, callbackId },
    at: envelope.now,
  };
  return [press];
}

/**
 * Reactions that a person added to a message or took back. Telegram tells the whole of them before and after.
 * Source: https://core.telegram.org/bots/api#messagereactionupdated
 */
export function readReactions(update: unknown, envelope: Envelope): readonly InboundEvent[] | undefined {
  if (update === undefined) return undefined;
  const before = listField(update, "old_reaction").flatMap(emojiOf);
  const after = listField(update, "new_reaction").flatMap(emojiOf);
  const event = ignoredEvent(update, envelope);
  if (event.chatId === "" || event.messageId === undefined) return [event];
  const changed = (kind: "reaction_added" | "reaction_removed", emoji: string): InboundEvent => ({
    ...event,
    kind,
    dedupeKeys: [`${event.messageId}:${kind}:${event.userId}:${event.at}:${emoji}`],
    addressed: event.chatType === "dm",
    reaction: { emoji },
  });
  const added = after.filter((emoji) => !before.includes(emoji)).map((emoji) => changed("reaction_added", emoji));
  const removed = before.filter((emoji) => !after.includes(emoji)).map((emoji) => changed("reaction_removed", emoji));
  return added.length + removed.length === 0 ? [event] : [...added, ...removed];
}

function emojiOf(reaction: unknown): readonly string[] {
  if (textField(reaction, "type") === "paid") return ["⭐"];
  const emoji = textField(reaction, "emoji") ?? textField(reaction, "custom_emoji_id");
  return emoji === undefined ? [] : [emoji];
}

/** Somebody, perhaps the bot itself, came into a chat. Source: https://core.telegram.org/bots/api#chatmemberupdated */
export function readMemberUpdate(update: unknown, envelope: Envelope): readonly InboundEvent[] | undefined {
  if (update === undefined) return undefined;
  const joined = isMember(field(update, "new_chat_member")) && !isMember(field(update, "old_chat_member"));
  if (!joined) return [ignoredEvent(update, envelope)];
  const event = joinedEvent(update, field(field(update, "new_chat_member"), "user"), envelope);
  return [event.chatType === "dm" ? { ...event, kind: "ignored" } : event];
}

/** Somebody came into a chat, by themselves or let in by another. The bot never comes by itself: whoever let it in did that. */
export function joinedEvent(part: unknown, user: unknown, envelope: Envelope): InboundEvent {
  const member = authorOf(user);
  const event = ignoredEvent(part, envelope, member.userId === envelope.bot.id ? undefined : member);
  return { ...event, kind: "member_joined", dedupeKeys: [`join:${member.userId}:${event.at}`] };
}

function isMember(member: unknown): boolean {
  const status = textField(member, "status") ?? "";
  return status === "restricted" ? field(member, "is_member") === true : MEMBERS.has(status);
}
