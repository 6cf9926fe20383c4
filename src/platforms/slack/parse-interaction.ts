import { GatewayError } from "#src/domain/errors";
import type { InboundEvent, Received } from "#src/domain/platform";
import { parsePayload, type Payload, payloadIn, payloadsIn, textIn } from "./fields";
import { atOf, type EventContext, ignoredEvent, inboundEvent, type Place, placeOf, requireText } from "./inbound-event";
import { readText } from "./read-text";

/**
 * Reads a form request: a slash command, or an interaction whose form holds one JSON `payload`.
 * Sources: https://docs.slack.dev/interactivity/implementing-slash-commands
 * https://docs.slack.dev/interactivity/handling-user-interaction
 *
 * @throws GatewayError `bad_request`
 */
export function parseForm(form: URLSearchParams, now: number): Received {
  const payload = form.get("payload");
  if (payload !== null) return parseInteraction(payload, now);
  if (form.get("command") !== null) return { events: [parseCommand(form, now)] };
  // Slack probes the certificate of a command's address now and then
  if (form.get("ssl_check") === "1") return { events: [] };
  throw new GatewayError("bad_request", 'Slack\'s form has neither "payload" nor "command".');
}

function parseCommand(form: URLSearchParams, now: number): InboundEvent {
  const fields: Payload = Object.fromEntries(form);
  const chatId = requireText(fields, "channel_id", "slash command");
  const name = requireText(fields, "command", "slash command").replace(/^\//, "");
  const rawText = textIn(fields, "text") ?? "";
  const { text } = readText(rawText, undefined);
  const triggerId = requireText(fields, "trigger_id", "slash command");
  const userName = textIn(fields, "user_name");
  return inboundEvent({
    ...placeOfCommand(chatId, textIn(fields, "channel_name") ?? ""),
    kind: "command",
    eventId: triggerId,
    dedupeKeys: [`command:${triggerId}`],
    userId: requireText(fields, "user_id", "slash command"),
    ...(userName === undefined ? {} : { userName }),
    text,
    rawText,
    mentionsBot: true,
    command: { name, args: text },
    at: now,
  });
}

/** A command says the kind of its channel only by the channel's name. */
function placeOfCommand(chatId: string, channelName: string): Place {
  if (channelName === "directmessage") return placeOf(chatId, "im");
  return placeOf(chatId, channelName.startsWith("mpdm-") ? "mpim" : undefined);
}

function parseInteraction(json: string, now: number): Received {
  const payload = parsePayload(json);
  if (payload === undefined) throw new GatewayError("bad_request", 'Slack\'s "payload" is not a JSON object.');
  const context = {
    eventId: textIn(payload, "trigger_id") ?? "",
    bot: { userId: undefined, appId: undefined },
    receivedAt: now,
  };
  const channel = textIn(payloadIn(payload, "channel"), "id") ?? textIn(payloadIn(payload, "container"), "channel_id");
  // buttons of modals and of the app's home are in no conversation
  if (requireText(payload, "type", "interaction") !== "block_actions" || channel === undefined) {
    return { events: [ignoredEvent({}, context)] };
  }
  return { events: payloadsIn(payload, "actions").map((action) => parseAction(action, payload, channel, context)) };
}

function parseAction(action: Payload, payload: Payload, chatId: string, context: EventContext): InboundEvent {
  const container = payloadIn(payload, "container");
  const message = payloadIn(payload, "message");
  const user = payloadIn(payload, "user");
  const messageId = textIn(container, "message_ts") ?? textIn(message, "ts");
  const threadTs = textIn(container, "thread_ts") ?? textIn(message, "thread_ts");
  const channelName = textIn(payloadIn(payload, "channel"), "name") ?? "";
  const place = placeOfCommand(chatId, channelName);
  const userId = requireText(user, "id", "block_actions user");
  const userName = textIn(user, "name") ?? textIn(user, "username");
  const id = requireText(action, "action_id", "block_actions action");
  const actionTs = textIn(action, "action_ts") ?? context.eventId;
  return inboundEvent({
    ...place,
    ...inThread(place, threadTs === messageId ? undefined : threadTs),
    kind: "button",
    eventId: context.eventId,
    dedupeKeys: [`${chatId}:${messageId ?? ""}:${id}:${userId}:${actionTs}`],
    userId,
    ...(userName === undefined ? {} : { userName }),
    ...(messageId === undefined ? {} : { messageId }),
    action: { id, value: valueOf(action) },
    at: atOf(actionTs, context.receivedAt),
  });
}

function inThread(place: Place, threadId: string | undefined): Place {
  if (threadId === undefined) return place;
  return { chatId: place.chatId, chatType: place.chatType === "dm" ? "dm" : "thread", threadId };
}

/** Where elements other than buttons say what was picked. Source: https://docs.slack.dev/reference/block-kit/block-elements */
const PICKED = [
  "value",
  "selected_user",
  "selected_channel",
  "selected_conversation",
  "selected_date",
  "selected_time",
] as const;

/** A button's value, or what was picked in a menu; several picks stand behind each other. */
function valueOf(action: Payload): string {
  const picked = PICKED.map((name) => textIn(action, name)).find((value) => value !== undefined);
  if (picked !== undefined) return picked;
  const option = payloadIn(action, "selected_option");
  const options = option === undefined ? payloadsIn(action, "selected_options") : [option];
  return options.map((one) => textIn(one, "value") ?? "").join(",");
}
