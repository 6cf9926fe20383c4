import type { InboundEvent } from "#src/domain/platform";
import { type Payload, payloadIn, textIn } from "./fields";
import {
  atOf,
  type EventContext,
  ignoredEvent,
  inboundEvent,
  isWrittenByBot,
  type Place,
  placeOf,
  requireText,
  unlessFromBot,
} from "./inbound-event";
import { readFiles } from "./read-files";
import { readForwarded } from "./read-forwarded";
import { readText } from "./read-text";

/** Subtypes under which people speak; all others are Slack's own notices or bots. */
const SPOKEN: ReadonlySet<string | undefined> = new Set([undefined, "file_share", "thread_broadcast", "me_message"]);

/**
 * Reads a `message` or `app_mention` event. A mention arrives as both, each with an event id of its own; channel and
 * timestamp are what they share.
 * Source: https://docs.slack.dev/reference/events/message
 */
export function parseMessage(event: Payload, context: EventContext): InboundEvent {
  const subtype = textIn(event, "subtype");
  if (subtype === "message_changed") return parseEdit(event, context);
  if (subtype === "message_deleted") {
    const ts = requireText(event, "deleted_ts", "message_deleted event");
    return deletion(event, ts, payloadIn(event, "previous_message"), context);
  }
  const chatId = requireText(event, "channel", "message event");
  const ts = requireText(event, "ts", "message event");
  const place = placeOf(chatId, textIn(event, "channel_type"), threadOf(event, ts));
  const message = readMessage(event, ts, place, context);
  const isMention = textIn(event, "type") === "app_mention";
  const kind = SPOKEN.has(subtype) ? unlessFromBot("message", message.isFromBot) : "ignored";
  return inboundEvent({
    ...message,
    ...addressing(message.mentionsBot || isMention, place, ts),
    kind,
    dedupeKeys: [`${chatId}:${ts}`],
  });
}

/** Slack also reports an edit when it unfurls a link or counts replies: only another text is a person's edit. */
function parseEdit(event: Payload, context: EventContext): InboundEvent {
  const edited = payloadIn(event, "message");
  const previous = payloadIn(event, "previous_message");
  if (edited === undefined) return ignoredEvent(event, context);
  const ts = requireText(edited, "ts", "message_changed event");
  // the root of a thread that is deleted stays as a stone
  if (textIn(edited, "subtype") === "tombstone") return deletion(event, ts, previous, context);
  const chatId = requireText(event, "channel", "message_changed event");
  const place = placeOf(chatId, textIn(event, "channel_type"), threadOf(edited, ts));
  const message = readMessage(edited, ts, place, context);
  const before = textIn(previous, "text") ?? "";
  const editedAt = textIn(payloadIn(edited, "edited"), "ts") ?? textIn(event, "ts") ?? "";
  const isEdit = message.rawText !== before;
  // the conversation is where the message was answered, also when the edit takes the mention out
  const wasMention = readText(before, context.bot.userId).mentionsBot;
  return inboundEvent({
    ...message,
    ...addressing(message.mentionsBot || wasMention, place, ts),
    mentionsBot: message.mentionsBot,
    kind: isEdit ? unlessFromBot("edited_message", message.isFromBot) : "ignored",
    dedupeKeys: [`${chatId}:${ts}:${editedAt}`],
    at: atOf(editedAt, context.receivedAt),
  });
}

function deletion(event: Payload, ts: string, previous: Payload | undefined, context: EventContext): InboundEvent {
  const chatId = requireText(event, "channel", "message_deleted event");
  const place = placeOf(chatId, textIn(event, "channel_type"), previous && threadOf(previous, ts));
  const isFromBot = previous !== undefined && isWrittenByBot(previous, context.bot);
  const { mentionsBot } = readText(textIn(previous, "text") ?? "", context.bot.userId);
  return inboundEvent({
    ...place,
    ...addressing(mentionsBot, place, ts),
    mentionsBot: false,
    kind: unlessFromBot("message_deleted", isFromBot),
    eventId: context.eventId,
    dedupeKeys: [`${chatId}:${ts}:deleted`],
    userId: textIn(previous, "user") ?? "",
    messageId: ts,
    isFromBot,
    at: atOf(textIn(event, "ts"), context.receivedAt),
  });
}

type ReadMessage = Omit<InboundEvent, "kind" | "dedupeKeys" | "addressed" | "target">;

/** What new and edited messages have in common. */
function readMessage(message: Payload, ts: string, place: Place, context: EventContext): ReadMessage {
  const rawText = textIn(message, "text") ?? "";
  const words = readText(rawText, context.bot.userId);
  const forwarded = readForwarded(message);
  const profile = payloadIn(message, "user_profile");
  const userName = textIn(profile, "display_name") ?? textIn(profile, "real_name");
  return {
    ...place,
    text: [words.text, ...forwarded.texts].filter((text) => text !== "").join("\n\n"),
    mentionsBot: words.mentionsBot,
    eventId: context.eventId,
    userId: textIn(message, "user") ?? textIn(message, "bot_id") ?? "",
    ...(userName === undefined ? {} : { userName }),
    rawText,
    messageId: ts,
    replyToBot: place.threadId !== undefined && isOurs(textIn(message, "parent_user_id"), context),
    attachments: [...readFiles(message), ...forwarded.attachments],
    isFromBot: isWrittenByBot(message, context.bot),
    at: atOf(ts, context.receivedAt),
  };
}

function isOurs(userId: string | undefined, context: EventContext): boolean {
  return userId !== undefined && userId === context.bot.userId;
}

/**
 * A root message that calls the bot opens the thread of its answer. Groups of several people too: `app_mention` does
 * not tell them from channels, and both copies of a mention must come to the same conversation.
 */
function addressing(mentionsBot: boolean, place: Place, ts: string): Pick<InboundEvent, "mentionsBot" | "opensThread"> {
  const opensThread = mentionsBot && place.chatType !== "dm" && place.threadId === undefined;
  return opensThread ? { mentionsBot, opensThread: ts } : { mentionsBot };
}

/** The thread a message is in; a root that has replies names itself. */
function threadOf(message: Payload, ts: string): string | undefined {
  const threadTs = textIn(message, "thread_ts");
  return threadTs === ts ? undefined : threadTs;
}
