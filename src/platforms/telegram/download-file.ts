import { GatewayError } from "#src/domain/errors";
import type { Attachment } from "#src/domain/message";
import type { PlatformAccount, PlatformIo } from "#src/domain/platform";
import { callPlatform } from "../call-platform";
import { type TelegramApi, TelegramRefusal } from "./api";
import { fileUrl } from "./api-url";
import { numberField, textField } from "./read-field";

/** Milliseconds for a file of 20 MB, the most that the Bot API hands out. */
const DOWNLOAD_TIMEOUT_MS = 60_000;
const LABEL = "Telegram";

interface Connection {
  readonly api: TelegramApi;
  readonly account: PlatformAccount;
  readonly io: PlatformIo;
}

/**
 * Fetches a file by its id. Source: https://core.telegram.org/bots/api#getfile
 *
 * @throws GatewayError `too_large` over `maxBytes`, `not_found` for what is no file
 */
export async function downloadFile(
  { api, account, io }: Connection,
  attachment: Attachment,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<{ readonly bytes: Uint8Array; readonly mime: string }> {
  if (attachment.id === undefined) throw new GatewayError("not_found", "The attachment is no file of Telegram's.");
  const file = await askForFile(api, attachment.id, signal);
  const size = numberField(file, "file_size") ?? attachment.size ?? 0;
  if (size > maxBytes) throw tooLarge(maxBytes);
  const path = textField(file, "file_path") ?? "";
  // a Bot API server of one's own answers with a path on its own disk
  if (path === "" || path.startsWith("/") || path.split("/").includes("..")) {
    throw new GatewayError("refused", `${LABEL} does not hand this file out.`);
  }
  const url = fileUrl(account, path);
  const response = await callPlatform(io, { url, init: {}, signal, timeoutMs: DOWNLOAD_TIMEOUT_MS, label: LABEL });
  if (!response.ok) {
    await response.body?.cancel();
    throw new GatewayError("refused", `${LABEL} answered ${response.status} to the download.`, {
      status: response.status,
    });
  }
  const bytes = await readAtMost(response, maxBytes, signal);
  return { bytes, mime: attachment.mime ?? response.headers.get("content-type") ?? "application/octet-stream" };
}

async function askForFile(api: TelegramApi, fileId: string, signal: AbortSignal): Promise<unknown> {
  try {
    return await api.call("getFile", { file_id: fileId }, signal);
  } catch (error) {
    const isTooBig = error instanceof TelegramRefusal && /too big/i.test(error.description);
    throw isTooBig ? new GatewayError("too_large", `${LABEL} hands out no files over 20 MB.`, { cause: error }) : error;
  }
}

async function readAtMost(response: Response, maxBytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  try {
    // the body of a response is a stream of bytes
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      length += part.length;
      if (length > maxBytes) throw tooLarge(maxBytes);
      parts.push(part);
    }
  } catch (error) {
    if (error instanceof GatewayError) throw error;
    if (signal.aborted) throw new GatewayError("aborted", "The download was ended.");
    throw new GatewayError("unconfirmed", `The download from ${LABEL} broke off.`);
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError("too_large", `The file is larger than ${maxBytes} bytes.`);
}
