import { GatewayError } from "#src/domain/errors";
import type { InboundEvent, PlatformAccount, PlatformIo } from "#src/domain/platform";
import { identifyBot } from "./bot-identity";
import { parseLosslessJson } from "./lossless-json";
import { readCallback, readMemberUpdate, readReactions } from "./read-actions";
import { type Envelope, ignoredEvent } from "./read-chat";
import { field, idField } from "./read-field";
import { readMessage } from "./read-message";
import { needsBotName } from "./read-words";

/** Which reader a kind of update has. A message under a name that is not here is none of ours. */
const MESSAGES = ["message", "edited_message", "channel_post", "edited_channel_post"] as const;

/**
 * Reads an update: one event, or several where a reaction was exchanged for another. What Telegram may add one day
 * becomes an ignored event, so that it is acknowledged and not sent again.
 * Source: https://core.telegram.org/bots/api#update
 *
 * @throws GatewayError `bad_request` for what is no update
 */
export async function parseUpdate(
  body: string,
  account: PlatformAccount,
  io: PlatformIo,
): Promise<readonly InboundEvent[]> {
  const update = parseObject(body);
  const eventId = idField(update, "update_id");
  if (eventId === undefined) throw new GatewayError("bad_request", "update_id is not a whole number.");
  const kind = MESSAGES.find((name) => field(update, name) !== undefined);
  const message = kind === undefined ? undefined : field(update, kind);
  const bot = await identifyBot(account, needsBotName(message), io);
  const envelope: Envelope = { eventId, bot, now: io.now() };
  if (kind !== undefined) return [readMessage(message, kind.startsWith("edited"), envelope)];
  const events =
    readCallback(field(update, "callback_query"), envelope) ??
    readReactions(field(update, "message_reaction"), envelope) ??
    readMemberUpdate(field(update, "my_chat_member") ?? field(update, "chat_member"), envelope);
  return events ?? [ignoredEvent(anyPartOf(update), envelope)];
}

function parseObject(body: string): unknown {
  let parsed: unknown;
  try {
    parsed = parseLosslessJson(body);
  } catch {
    throw new GatewayError("bad_request", "The body is not JSON.");
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    throw new GatewayError("bad_request", "The body is not a JSON object.");
  }
  return parsed;
}

/** The part of an unknown update that says most about where it came from. */
function anyPartOf(update: unknown): unknown {
  const parts = Object.values(update ?? {});
  return (
    parts.find((part) => field(part, "chat") !== undefined) ?? parts.find((part) => field(part, "from") !== undefined)
  );
}
