import { GatewayError } from "#src/domain/errors";
import type { PlatformAccount, PlatformAdapter, PlatformIo, Received, WebhookRequest } from "#src/domain/platform";
import { decodeUtf8Strictly } from "#src/lib/encoding";
import { timingSafeEqual } from "#src/lib/timing-safe-equal";
import { openClient } from "./client";
import { parseUpdate } from "./parse-update";

/** Telegram, by the Bot API and its webhook. Source: https://core.telegram.org/bots/api */
export const telegram: PlatformAdapter = {
  name: "telegram",
  label: "Telegram",
  settings: [
    {
      key: "bot_token",
      env: "TELEGRAM_BOT_TOKEN",
      required: true,
      secret: true,
      describe: "Token that @BotFather gave for the bot.",
    },
    {
      key: "webhook_secret_token",
      env: "TELEGRAM_WEBHOOK_SECRET",
      required: true,
      secret: true,
      describe: "The `secret_token` given to setWebhook: 1 to 256 of A-Z a-z 0-9 _ -.",
    },
    {
      key: "api_base",
      env: "TELEGRAM_API_BASE",
      describe: "Host of the Bot API; https://api.telegram.org when absent.",
    },
    {
      key: "bot_username",
      env: "TELEGRAM_BOT_USERNAME",
      describe: "The bot's name without @; asked of Telegram when absent.",
    },
    {
      key: "bot_user_id",
      env: "TELEGRAM_BOT_USER_ID",
      describe: "The bot's user id; the digits before the token's colon when absent.",
    },
  ],
  // a text counts after its marks were read; updates are small, for files come by reference
  limits: { textLength: 4096, unit: "utf16", bodyBytes: 1_000_000 },
  delivery: { idempotent: false, editIntervalMs: 1000 },
  access: "strangers",
  promptHint:
    "You are talking in a Telegram chat, mostly read on a phone. Bold, italic, strikethrough, links, quotations, " +
    "lists, inline code and fenced code with a language are shown; headings become bold lines, and tables become " +
    "aligned text in a code block, so keep those narrow. Keep answers short: a few sentences or a short list, " +
    "unless more is asked for. A message holds 4096 characters; a longer answer arrives in several.",
  receive,
  open: openClient,
};

/** The secret stands in a header, so it is checked before the body is read. */
async function receive(request: WebhookRequest, account: PlatformAccount, io: PlatformIo): Promise<Received> {
  const secret = account.settings["webhook_secret_token"] ?? "";
  const given = request.headers.get("x-telegram-bot-api-secret-token") ?? "";
  if (secret === "" || !timingSafeEqual(secret, given)) {
    throw new GatewayError("signature_invalid", "The secret token of the webhook is missing or wrong.");
  }
  const body = decodeUtf8Strictly(request.body);
  if (body === undefined) throw new GatewayError("bad_request", "The body is not UTF-8.");
  return { events: await parseUpdate(body, account, io) };
}
