import type { Attachment } from "#src/domain/message";
import type {
  Button,
  DeliveryTarget,
  OutboundMessage,
  PlatformAccount,
  PlatformClient,
  PlatformIo,
  SendOptions,
  SentMessage,
} from "#src/domain/platform";
import { GatewayError } from "#src/domain/errors";
import { type Parameters, type TelegramApi, TelegramRefusal, createApi } from "./api";
import { downloadFile } from "./download-file";
import { renderMarkdownV2 } from "./markdown-v2";
import { idField } from "./read-field";
import { captionsOf, sendFile } from "./send-file";

/** UTF-16 units of one message, counted after its marks were read. */
const MAX_TEXT = 4096;
/** Bytes of what a button sends back. */
const MAX_CALLBACK_BYTES = 64;
/** Characters of the note that answers a button press. */
const MAX_NOTE = 200;
/** Characters of a label up to which buttons stand side by side on a phone. */
const SHORT_LABEL = 12;
const BUTTONS_PER_ROW = 3;

/** Speaks to Telegram as one bot. */
export function openClient(account: PlatformAccount, io: PlatformIo): PlatformClient {
  const api = createApi(account, io);
  return {
    send: (target, message, options) => send(api, target, message, options),
    edit: (target, messageId, message, options) => edit(api, target, messageId, message, options),
    async typing(target, signal) {
      await api.call("sendChatAction", { ...chatOf(target), action: "typing" }, signal);
    },
    async acknowledge({ callbackId, text }, signal) {
      const note = text === undefined ? {} : { text: text.slice(0, MAX_NOTE) };
      await api.call("answerCallbackQuery", { callback_query_id: callbackId, ...note }, signal);
    },
    fetchAttachment: (attachment: Attachment, options) => downloadFile({ api, account, io }, attachment, options),
  };
}

/** Sends a text, or a file with its text below it; a text too long for that follows as a message of its own. */
async function send(
  api: TelegramApi,
  target: DeliveryTarget,
  message: OutboundMessage,
  { signal }: SendOptions,
): Promise<SentMessage> {
  const place = { ...chatOf(target), ...replyOf(target) };
  const full = { ...place, ...keyboardOf(message.buttons) };
  if (message.file !== undefined) {
    const captions = captionsOf(message.markdown);
    const isWhole = captions.length > 0 || message.markdown.trim() === "";
    const result = await sendFile(api, message.file, captions, isWhole ? full : place, signal);
    if (isWhole) return sentMessage(result);
  }
  return sentMessage(await callWithText(api, "sendMessage", full, message.markdown, signal));
}

/** Replaces a text of ours; that it says so already is fine. */
async function edit(
  api: TelegramApi,
  target: DeliveryTarget,
  messageId: string,
  message: OutboundMessage,
  { signal }: SendOptions,
): Promise<void> {
  const parameters = {
    chat_id: numberOf(target.chatId),
    message_id: numberOf(messageId),
    ...keyboardOf(message.buttons),
  };
  try {
    await callWithText(api, "editMessageText", parameters, message.markdown, signal);
  } catch (error) {
    if (!(error instanceof TelegramRefusal && /message is not modified/i.test(error.description))) throw error;
  }
}

/** Sends Markdown with its marks, and as it was written when Telegram cannot read them or they take too much room. */
async function callWithText(
  api: TelegramApi,
  method: string,
  parameters: Parameters,
  markdown: string,
  signal: AbortSignal,
): Promise<unknown> {
  const withoutPreview = { ...parameters, link_preview_options: { is_disabled: true } };
  const { text, seen, hasMarks } = renderMarkdownV2(markdown);
  if (seen === "" || seen.length > MAX_TEXT) return api.call(method, { ...withoutPreview, text: markdown }, signal);
  if (!hasMarks) return api.call(method, { ...withoutPreview, text: seen }, signal);
  try {
    return await api.call(method, { ...withoutPreview, text, parse_mode: "MarkdownV2" }, signal);
  } catch (error) {
    if (!(error instanceof TelegramRefusal && isAboutMarks(error.description))) throw error;
    return api.call(method, { ...withoutPreview, text: markdown }, signal);
  }
}

/** Whether the marks of a text, rather than the chat or the person, are why it was refused. */
function isAboutMarks(description: string): boolean {
  return /can't parse entities|too[ _]long|ENTITY_|text is empty|text must be non-empty/i.test(description);
}

/** A general topic has no thread id when one sends to it. */
function chatOf({ chatId, threadId }: DeliveryTarget): Parameters {
  const isInTopic = threadId !== undefined && threadId !== "1";
  return { chat_id: numberOf(chatId), ...(isInTopic ? { message_thread_id: numberOf(threadId) } : {}) };
}

/** Ids are numbers on the wire; one that a number cannot hold exactly, or a name, goes as it is. */
function numberOf(id: string): number | string {
  const number = Number(id);
  return id !== "" && Number.isSafeInteger(number) ? number : id;
}

function replyOf({ replyTo }: DeliveryTarget): Parameters {
  if (replyTo === undefined) return {};
  return { reply_parameters: { message_id: numberOf(replyTo), allow_sending_without_reply: true } };
}

/** Buttons in rows; one whose value Telegram would refuse is left out rather than the whole message. */
function keyboardOf(buttons: readonly Button[] = []): Parameters {
  const fitting = buttons.filter(
    ({ value }) => value !== "" && new TextEncoder().encode(value).length <= MAX_CALLBACK_BYTES,
  );
  if (fitting.length === 0) return {};
  const perRow = fitting.every(({ label }) => label.length <= SHORT_LABEL) ? BUTTONS_PER_ROW : 1;
  const keys = fitting.map(({ label, value, style }) => ({
    text: label,
    callback_data: value,
    ...(style === undefined ? {} : { style }),
  }));
  const rows = Array.from({ length: Math.ceil(keys.length / perRow) }, (_, row) =>
    keys.slice(row * perRow, (row + 1) * perRow),
  );
  return { reply_markup: { inline_keyboard: rows } };
}

function sentMessage(result: unknown): SentMessage {
  const messageId = idField(result, "message_id");
  if (messageId === undefined) throw new GatewayError("unconfirmed", "Telegram's answer names no message.");
  return { messageId };
}
