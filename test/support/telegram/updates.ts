import type { InboundEvent, PlatformAccount, PlatformIo, WebhookRequest } from "#src/domain/platform";
import { utf8 } from "#src/lib/encoding";
import { telegram } from "#src/platforms/telegram/telegram";

/** 2026-07-01T10:00:00Z. */
export const NOW = 1_782_900_000_000;
const SECRET = "hook-Secret_1";
export const TOKEN = "7900000001:AAF-not-a-token";

/** Bob as Telegram describes him. */
export const BOB = { id: 5550001, is_bot: false, first_name: "Bob", last_name: "Bell", username: "bob_b" };
/** Our bot, likewise. */
export const BOT = { id: 7900000001, is_bot: true, first_name: "Acme", username: "acme_agent_bot" };
export const PRIVATE = { id: 5550001, type: "private", first_name: "Bob", last_name: "Bell" };
export const GROUP = { id: -1001234567890, type: "supergroup", title: "Acme Ops", is_forum: true };
export const CHANNEL = { id: -1009876543210, type: "channel", title: "Acme News" };

export const ACCOUNT: PlatformAccount = {
  settings: { bot_token: TOKEN, webhook_secret_token: SECRET, bot_username: "acme_agent_bot" },
};

/** The world at `NOW`, which answers no request unless told how. */
export function telegramIo(answer?: (url: string, init: RequestInit) => Response | Promise<Response>): PlatformIo {
  const refuse = (url: string): Promise<Response> => Promise.reject(new TypeError(`no network for ${url}`));
  // only what the adapter calls is stood in for
  return {
    fetch: (async (url: string, init: RequestInit) => (answer ?? refuse)(url, init)) as typeof fetch,
    now: () => NOW,
  };
}

export function webhook(body: string, secret: string | undefined = SECRET): WebhookRequest {
  return {
    method: "POST",
    url: new URL("https://agent.example/webhooks/telegram"),
    headers: new Headers(secret === undefined ? {} : { "x-telegram-bot-api-secret-token": secret }),
    body: utf8(body),
  };
}

/** The events that a body comes to. */
export async function receiveBody(
  body: string,
  account = ACCOUNT,
  io = telegramIo(),
): Promise<readonly InboundEvent[]> {
  return (await telegram.receive(webhook(body), account, io)).events;
}

/** The one event that an update comes to. */
export async function receive(update: object, account = ACCOUNT, io = telegramIo()): Promise<InboundEvent> {
  const [event, ...more] = await receiveBody(JSON.stringify({ update_id: 81, ...update }), account, io);
  if (event === undefined || more.length > 0) throw new Error(`${1 + more.length} events instead of one`);
  return event;
}

/** A message in a private chat with Bob, with more or other fields. */
export function message(fields: object): object {
  return { message: { message_id: 70, from: BOB, chat: PRIVATE, date: 1_782_899_990, ...fields } };
}

/** A message in a group, with more or other fields. */
export function groupMessage(fields: object): object {
  return message({ chat: GROUP, ...fields });
}
