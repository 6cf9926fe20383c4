import { GatewayError } from "#src/domain/errors";
import type { Attachment } from "#src/domain/message";
import type { DeliveryTarget, OutboundFile, SentMessage } from "#src/domain/platform";
import { callPlatform } from "../call-platform";
import { type Payload, payloadIn, payloadsIn, textIn } from "./fields";
import { callSlack, type SlackApi } from "./web-api";

/** Milliseconds for the bytes of one file. */
const TRANSFER_TIMEOUT_MS = 60_000;
const MAX_REDIRECTS = 3;

/** A file and the message that shows it. */
export interface FileMessage {
  readonly target: DeliveryTarget;
  readonly file: OutboundFile;
  readonly blocks: readonly Payload[];
}

/**
 * Uploads a file and shows it in a conversation. Nothing is to be seen before the last of the three calls.
 * Source: https://docs.slack.dev/messaging/working-with-files#upload
 */
export async function sendFile(api: SlackApi, message: FileMessage, signal: AbortSignal): Promise<SentMessage> {
  const { target, file, blocks } = message;
  const id = await invisibly(uploadBytes(api, file, signal));
  const answer = await callSlack(api, {
    method: "files.completeUploadExternal",
    args: {
      files: [{ id, title: file.name }],
      channel_id: target.chatId,
      ...(target.threadId === undefined ? {} : { thread_ts: target.threadId }),
      blocks,
    },
    signal,
  });
  return { messageId: shareIn(answer, target.chatId) ?? id };
}

async function uploadBytes(api: SlackApi, file: OutboundFile, signal: AbortSignal): Promise<string> {
  const args = { filename: file.name, length: file.bytes.length };
  const slot = await callSlack(api, { method: "files.getUploadURLExternal", args, signal, encoding: "form" });
  const url = textIn(slot, "upload_url");
  const id = textIn(slot, "file_id");
  if (url === undefined || id === undefined || !isSlackAddress(url, api)) {
    throw new GatewayError("refused", "Slack gave no address of its own to upload the file to.");
  }
  const response = await callPlatform(api.io, {
    url,
    init: { method: "POST", body: file.bytes, headers: { "content-type": "application/octet-stream" } },
    signal,
    timeoutMs: TRANSFER_TIMEOUT_MS,
    label: "Slack",
  });
  await response.body?.cancel();
  if (!response.ok) {
    throw new GatewayError("refused", `Slack answered ${response.status} to the upload.`, { status: response.status });
  }
  return id;
}

/** A step that nobody sees may be done again: what is unconfirmed of it is harmless. */
async function invisibly<T>(step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.code !== "unconfirmed") throw error;
    throw new GatewayError("unavailable", error.message, { cause: error });
  }
}

/** The message that a file was shared by, where Slack already says it. */
function shareIn(answer: Payload, chatId: string): string | undefined {
  const shares = payloadIn(payloadsIn(answer, "files")[0], "shares");
  return ["public", "private"]
    .flatMap((kind) => payloadsIn(payloadIn(shares, kind), chatId))
    .map((share) => textIn(share, "ts"))
    .find((ts) => ts !== undefined);
}

export interface FetchOptions {
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Fetches a file that someone sent. The token goes to Slack's hosts only, also after a redirect.
 *
 * @throws GatewayError `too_large` | `refused` | what {@link callPlatform} throws
 */
export async function fetchFile(
  api: SlackApi,
  attachment: Attachment,
  options: FetchOptions,
): Promise<{ readonly bytes: Uint8Array; readonly mime: string }> {
  const { maxBytes, signal } = options;
  if ((attachment.size ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const response = await download(api, await addressOf(api, attachment, signal), signal);
  const mime =
    (response.headers.get("content-type") ?? attachment.mime ?? "application/octet-stream").split(";")[0] ?? "";
  const isDownload = (response.headers.get("content-disposition") ?? "").startsWith("attachment");
  // a token without the scope files:read is shown the login page, with status 200
  if (mime.trim() === "text/html" && !(attachment.mime === "text/html" && isDownload)) {
    await response.body?.cancel();
    throw new GatewayError(
      "refused",
      "Slack showed a login page instead of the file; the app needs the scope files:read.",
    );
  }
  return { bytes: await readUpTo(response, maxBytes), mime: mime.trim() };
}

/** Files of other workspaces come as an id alone. */
async function addressOf(api: SlackApi, attachment: Attachment, signal: AbortSignal): Promise<string> {
  if (attachment.url !== undefined) return attachment.url;
  if (attachment.id === undefined) throw new GatewayError("refused", "Slack gave no address of the file.");
  const answer = await callSlack(api, {
    method: "files.info",
    args: { file: attachment.id },
    signal,
    encoding: "form",
  });
  const file = payloadIn(answer, "file");
  const url = textIn(file, "url_private_download") ?? textIn(file, "url_private");
  if (url === undefined) throw new GatewayError("refused", "Slack gave no address of the file.");
  return url;
}

async function download(api: SlackApi, address: string, signal: AbortSignal): Promise<Response> {
  let url = address;
  for (let hop = 0; hop <= MAX_REDIRECTS; hop++) {
    if (!isSlackAddress(url, api)) throw new GatewayError("refused", "The file is not on a host of Slack's.");
    const response = await callPlatform(api.io, {
      url,
      init: { headers: { authorization: `Bearer ${api.token}` } },
      signal,
      timeoutMs: TRANSFER_TIMEOUT_MS,
      label: "Slack",
    });
    if (response.ok) return response;
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (response.status < 300 || response.status > 399 || location === null || !URL.canParse(location, url)) {
      throw new GatewayError("refused", `Slack answered ${response.status} for the file.`, { status: response.status });
    }
    url = new URL(location, url).href;
  }
  throw new GatewayError("refused", "Slack redirected the file too often.");
}

/** Whether an address may see the token or the files: Slack's hosts over TLS, or the host that the operator named. */
export function isSlackAddress(address: string, api: Pick<SlackApi, "base">): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (URL.canParse(api.base) && url.origin === new URL(api.base).origin) return true;
  const isSlack = url.hostname === "slack-files.com" || url.hostname.endsWith(".slack.com");
  return url.protocol === "https:" && url.port === "" && isSlack;
}

async function readUpTo(response: Response, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // the length that a header promises is not what comes: bytes are counted as they do
  for await (const chunk of response.body ?? []) {
    length += chunk.length;
    if (length > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("too_large", `The file is larger than ${maxBytes} bytes.`);
}
