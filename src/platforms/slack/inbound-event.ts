import { GatewayError } from "#src/domain/errors";
import type { InboundEvent, InboundKind } from "#src/domain/platform";
import type { ChatType } from "#src/domain/session-key";
import { type Payload, textIn } from "./fields";

/** Who we are in the workspace, as far as it is known. */
export interface BotIdentity {
  readonly userId: string | undefined;
  readonly appId: string | undefined;
}

/** What the envelope of a Slack request says about everything in it. */
export interface EventContext {
  readonly eventId: string;
  readonly bot: BotIdentity;
  /** Epoch milliseconds when the request came, for what carries no time of its own. */
  readonly receivedAt: number;
}

/** Where in Slack something happened. */
export interface Place {
  readonly chatId: string;
  readonly chatType: ChatType;
  readonly threadId?: string;
}

type Required = "kind" | "eventId" | "chatId" | "chatType" | "userId" | "at";

/** An inbound event whose unsaid members are empty, with the answer going where the event came from. */
export function inboundEvent(said: Pick<InboundEvent, Required> & Partial<InboundEvent>): InboundEvent {
  const threadId = said.threadId ?? said.opensThread;
  const isCalled = said.chatType === "dm" || said.mentionsBot === true || said.replyToBot === true;
  return {
    dedupeKeys: [],
    text: "",
    rawText: "",
    mentionsBot: false,
    replyToBot: false,
    addressed: said.kind !== "ignored" && (isCalled || said.kind === "command" || said.kind === "button"),
    attachments: [],
    isFromBot: false,
    target: { chatId: said.chatId, ...(threadId === undefined ? {} : { threadId }) },
    ...said,
  };
}

/** An event that says nothing to the agent. */
export function ignoredEvent(payload: Payload, context: EventContext): InboundEvent {
  const channel = payload["channel"];
  const chatId = typeof channel === "string" ? channel : "";
  return inboundEvent({
    kind: "ignored",
    eventId: context.eventId,
    chatId,
    chatType: placeOf(chatId, undefined).chatType,
    userId: textIn(payload, "user") ?? "",
    at: context.receivedAt,
  });
}

/**
 * Where a message is. Direct messages are told by their id too: not every event names the kind of its channel, and one
 * from the app's home names another (`app_home`). A group of several people cannot be told that way, since its ids
 * begin like those of channels.
 * Source: https://docs.slack.dev/reference/events/message
 */
export function placeOf(chatId: string, channelType: string | undefined, threadId?: string): Place {
  const thread = threadId === undefined ? {} : { threadId };
  if (channelType === "im" || chatId.startsWith("D")) {
    return { chatId, chatType: "dm", ...thread };
  }
  if (threadId !== undefined) return { chatId, chatType: "thread", threadId };
  return { chatId, chatType: channelType === "mpim" ? "group" : "channel" };
}

/** Messages of bots are `ignored`, whatever else they would be: two bots that answer each other never stop. */
export function unlessFromBot(kind: InboundKind, isFromBot: boolean): InboundKind {
  return isFromBot ? "ignored" : kind;
}

/** Whether a bot wrote a message; ours or any other. */
export function isWrittenByBot(message: Payload, bot: BotIdentity): boolean {
  if (textIn(message, "bot_id") !== undefined || textIn(message, "subtype") === "bot_message") return true;
  const user = textIn(message, "user");
  if (user !== undefined && (user === bot.userId || user === "USLACKBOT")) return true;
  return bot.appId !== undefined && textIn(message, "app_id") === bot.appId;
}

/** Epoch milliseconds of a Slack timestamp: `1782899998.000100` is seconds and a counter. */
export function atOf(ts: string | undefined, fallback: number): number {
  const seconds = Number(ts);
  return Number.isFinite(seconds) && seconds > 0 ? Math.floor(seconds * 1000) : fallback;
}

/** A member that the platform promises. @throws GatewayError `bad_request` */
export function requireText(payload: Payload | undefined, name: string, where: string): string {
  const value = textIn(payload, name);
  if (value === undefined) throw new GatewayError("bad_request", `Slack's ${where} lacks the text "${name}".`);
  return value;
}
