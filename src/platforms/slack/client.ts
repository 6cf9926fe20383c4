import { GatewayError } from "#src/domain/errors";
import type {
  DeliveryTarget,
  OutboundMessage,
  PlatformAccount,
  PlatformClient,
  PlatformIo,
  SendOptions,
  SentMessage,
} from "#src/domain/platform";
import { messageBlocks } from "./blocks";
import { type Payload, payloadIn, payloadsIn, textIn } from "./fields";
import { fetchFile, sendFile } from "./files";
import { toMrkdwn } from "./mrkdwn";
import { escapeText } from "./mrkdwn-inline";
import { callSlack, type SlackApi, slackApi } from "./web-api";

/** Marks our messages in the channel's history, where their key is then found. */
const METADATA_TYPE = "talaria_delivery";
const HISTORY_PAGE = 200;
const MAX_HISTORY_PAGES = 10;

/** Speaks to one Slack workspace. @throws GatewayError `not_configured` */
export function openSlack(account: PlatformAccount, io: PlatformIo): PlatformClient {
  const api = slackApi(account, io);
  return {
    send: (target, message, options) => send(api, target, message, options),
    edit: (target, messageId, message, options) => edit(api, { target, messageId, message }, options.signal),
    findSent: (target, key, options) => findSent(api, target, key, options),
    typing: (target, signal) => typing(api, target, signal),
    fetchAttachment: (attachment, options) => fetchFile(api, attachment, options),
  };
}

async function send(
  api: SlackApi,
  target: DeliveryTarget,
  message: OutboundMessage,
  options: SendOptions,
): Promise<SentMessage> {
  const { file, buttons = [] } = message;
  const text = toMrkdwn(message.markdown);
  if (file !== undefined) {
    // an upload takes no metadata: the id of its first block carries the key, so there must be one
    const blocks = messageBlocks(text.trim() === "" ? escapeText(file.name) : text, buttons, options.key);
    return sendFile(api, { target, file, blocks }, options.signal);
  }
  const answer = await callSlack(api, {
    method: "chat.postMessage",
    args: {
      channel: target.chatId,
      ...(target.threadId === undefined ? {} : { thread_ts: target.threadId }),
      text,
      ...(buttons.length === 0 ? {} : { blocks: messageBlocks(text, buttons) }),
      unfurl_links: false,
      unfurl_media: false,
      metadata: { event_type: METADATA_TYPE, event_payload: { key: options.key } },
    },
    signal: options.signal,
  });
  const messageId = textIn(answer, "ts");
  if (messageId === undefined) throw new GatewayError("unconfirmed", "Slack's answer to chat.postMessage has no ts.");
  return { messageId };
}

interface Edit {
  readonly target: DeliveryTarget;
  readonly messageId: string;
  readonly message: OutboundMessage;
}

/** The empty list takes former buttons away; metadata that is not named stays, and with it the key. */
async function edit(api: SlackApi, { target, messageId, message }: Edit, signal: AbortSignal): Promise<void> {
  const text = toMrkdwn(message.markdown);
  const buttons = message.buttons ?? [];
  const blocks = buttons.length === 0 ? [] : messageBlocks(text, buttons);
  const args = { channel: target.chatId, ts: messageId, text, blocks };
  await callSlack(api, { method: "chat.update", args, signal });
}

/** Source: https://docs.slack.dev/messaging/message-metadata */
async function findSent(
  api: SlackApi,
  target: DeliveryTarget,
  key: string,
  options: { readonly sinceMs: number; readonly signal: AbortSignal },
): Promise<SentMessage | undefined> {
  let cursor: string | undefined;
  for (let page = 0; page < MAX_HISTORY_PAGES; page++) {
    const answer = await callSlack(api, {
      method: target.threadId === undefined ? "conversations.history" : "conversations.replies",
      args: {
        channel: target.chatId,
        ...(target.threadId === undefined ? {} : { ts: target.threadId }),
        oldest: (options.sinceMs / 1000).toFixed(6),
        inclusive: true,
        include_all_metadata: true,
        limit: HISTORY_PAGE,
        ...(cursor === undefined ? {} : { cursor }),
      },
      signal: options.signal,
      encoding: "form",
    });
    const messageId = textIn(
      payloadsIn(answer, "messages").find((message) => isSentWith(message, key)),
      "ts",
    );
    if (messageId !== undefined) return { messageId };
    cursor = textIn(payloadIn(answer, "response_metadata"), "next_cursor");
    if (cursor === undefined) return undefined;
  }
  return undefined;
}

function isSentWith(message: Payload, key: string): boolean {
  const metadata = payloadIn(message, "metadata");
  const isOurs = textIn(metadata, "event_type") === METADATA_TYPE;
  if (isOurs && textIn(payloadIn(metadata, "event_payload"), "key") === key) return true;
  return payloadsIn(message, "blocks").some((block) => textIn(block, "block_id") === key);
}

/** Slack shows a status in threads only, and only to apps with the assistant's scope; it clears with the answer. */
async function typing(api: SlackApi, target: DeliveryTarget, signal: AbortSignal): Promise<void> {
  if (target.threadId === undefined) return;
  const args = { channel_id: target.chatId, thread_ts: target.threadId, status: "is thinking..." };
  await callSlack(api, { method: "assistant.threads.setStatus", args, signal }).catch(() => undefined);
}
