import { GatewayError } from "#src/domain/errors";
import type { InboundEvent, Received } from "#src/domain/platform";
import { type Payload, payloadIn, payloadsIn, textIn } from "./fields";
import {
  atOf,
  type BotIdentity,
  type EventContext,
  ignoredEvent,
  inboundEvent,
  placeOf,
  requireText,
  unlessFromBot,
} from "./inbound-event";
import { parseMessage } from "./parse-message";

/** What each event type comes to; any other is ignored. */
const PARSERS: ReadonlyMap<string, (event: Payload, context: EventContext) => InboundEvent> = new Map([
  ["message", parseMessage],
  ["app_mention", parseMessage],
  ["reaction_added", parseReaction],
  ["reaction_removed", parseReaction],
  ["member_joined_channel", parseJoin],
]);

/**
 * Reads a request of the Events API. Source: https://docs.slack.dev/apis/events-api/
 *
 * @throws GatewayError `bad_request`
 */
export function parseEnvelope(envelope: Payload, settings: Readonly<Record<string, string>>, now: number): Received {
  const type = requireText(envelope, "type", "request");
  if (type === "url_verification") return greet(requireText(envelope, "challenge", "url_verification"));
  const event = payloadIn(envelope, "event");
  const context = {
    eventId: textIn(envelope, "event_id") ?? "",
    bot: identityIn(envelope, settings),
    receivedAt: now,
  };
  if (type !== "event_callback") return { events: [ignoredEvent(event ?? {}, context)] };
  if (event === undefined) throw new GatewayError("bad_request", 'Slack\'s event_callback lacks the object "event".');
  const parse = PARSERS.get(textIn(event, "type") ?? "") ?? ignoredEvent;
  return { events: [parse(event, context)] };
}

function greet(challenge: string): Received {
  return { events: [], response: { status: 200, body: challenge, contentType: "text/plain" } };
}

/** Settings win; else the installation that Slack sent the event for says who we are. */
function identityIn(envelope: Payload, settings: Readonly<Record<string, string>>): BotIdentity {
  const team = settings["team_id"];
  const bots = payloadsIn(envelope, "authorizations").filter((one) => one["is_bot"] === true);
  const ours = bots.find((one) => team === undefined || textIn(one, "team_id") === team) ?? bots[0];
  return {
    userId: settings["bot_user_id"] ?? textIn(ours, "user_id"),
    appId: settings["app_id"] ?? textIn(envelope, "api_app_id"),
  };
}

/** Source: https://docs.slack.dev/reference/events/reaction_added */
function parseReaction(event: Payload, context: EventContext): InboundEvent {
  const item = payloadIn(event, "item");
  if (textIn(item, "type") !== "message") return ignoredEvent(event, context);
  const type = requireText(event, "type", "reaction event");
  const chatId = requireText(item, "channel", "reaction event");
  const messageId = requireText(item, "ts", "reaction event");
  const userId = requireText(event, "user", "reaction event");
  const emoji = requireText(event, "reaction", "reaction event");
  const eventTs = textIn(event, "event_ts") ?? "";
  const isFromBot = userId === context.bot.userId;
  return inboundEvent({
    ...placeOf(chatId, undefined),
    kind: unlessFromBot(type === "reaction_added" ? "reaction_added" : "reaction_removed", isFromBot),
    eventId: context.eventId,
    dedupeKeys: [`${chatId}:${messageId}:${type}:${emoji}:${userId}:${eventTs}`],
    userId,
    messageId,
    reaction: { emoji },
    isFromBot,
    at: atOf(eventTs, context.receivedAt),
  });
}

/** Source: https://docs.slack.dev/reference/events/member_joined_channel */
function parseJoin(event: Payload, context: EventContext): InboundEvent {
  const chatId = requireText(event, "channel", "member_joined_channel event");
  const userId = requireText(event, "user", "member_joined_channel event");
  const eventTs = textIn(event, "event_ts") ?? context.eventId;
  return inboundEvent({
    ...placeOf(chatId, undefined),
    kind: "member_joined",
    eventId: context.eventId,
    dedupeKeys: [`${chatId}:joined:${userId}:${eventTs}`],
    userId,
    isFromBot: userId === context.bot.userId,
    at: atOf(eventTs, context.receivedAt),
  });
}
