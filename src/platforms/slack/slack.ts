import { GatewayError } from "#src/domain/errors";
import type { PlatformAccount, PlatformAdapter, PlatformIo, Received, WebhookRequest } from "#src/domain/platform";
import { decodeUtf8Strictly } from "#src/lib/encoding";
import { openSlack } from "./client";
import { parsePayload } from "./fields";
import { parseEnvelope } from "./parse-event";
import { parseForm } from "./parse-interaction";
import { verifySignature } from "./verify-signature";

/** Slack over the Events API, interactivity and slash commands, all at one address. */
export const slack: PlatformAdapter = {
  name: "slack",
  label: "Slack",
  settings: [
    {
      key: "bot_token",
      env: "SLACK_BOT_TOKEN",
      required: true,
      secret: true,
      describe: "Bot token of the app (xoxb-...): OAuth & Permissions.",
    },
    {
      key: "signing_secret",
      env: "SLACK_SIGNING_SECRET",
      required: true,
      secret: true,
      describe: "Signing secret of the app: Basic Information.",
    },
    { key: "api_base", env: "SLACK_API_BASE", describe: "Address of the Web API; https://slack.com/api when unset." },
    {
      key: "bot_user_id",
      env: "SLACK_BOT_USER_ID",
      describe: "The bot's own user id (U...); taken from each event when unset.",
    },
    { key: "app_id", env: "SLACK_APP_ID", describe: "The app's id (A...); taken from each event when unset." },
    {
      key: "team_id",
      env: "SLACK_TEAM_ID",
      describe: "The workspace's id (T...), for apps that are installed in several.",
    },
  ],
  // Source: https://docs.slack.dev/reference/methods/chat.postMessage, 2026-11: 4,000 recommended, cut at 40,000
  limits: { textLength: 4000, unit: "codepoint", bodyBytes: 1_048_576 },
  delivery: { idempotent: false, editIntervalMs: 1000 },
  access: "strangers",
  // in threads Slack takes no slash commands
  commandMark: "!",
  promptHint:
    "You are talking on Slack. Bold, italics, strikethrough, links, lists, quotes and code render; headings become " +
    "bold lines and tables become code blocks, so use them sparingly. Keep answers short enough to read in a chat: a " +
    "few paragraphs at most.",
  receive: receiveSlack,
  open: openSlack,
};

async function receiveSlack(request: WebhookRequest, account: PlatformAccount, io: PlatformIo): Promise<Received> {
  const { settings } = account;
  await verifySignature(request, settings["signing_secret"] ?? "", io.now());
  const body = decodeUtf8Strictly(request.body);
  if (body === undefined) throw new GatewayError("bad_request", "Slack's request is not UTF-8.");
  const contentType = request.headers.get("content-type") ?? "";
  if (contentType.startsWith("application/x-www-form-urlencoded")) {
    return parseForm(new URLSearchParams(body), io.now());
  }
  const envelope = parsePayload(body);
  if (envelope === undefined) throw new GatewayError("bad_request", "Slack's request is not a JSON object.");
  return parseEnvelope(envelope, settings, io.now());
}
