import { GatewayError } from "#src/domain/errors";
import type { Attachment, Message } from "#src/domain/message";
import { toBase64, toHex } from "#src/lib/encoding";
import { sha256 } from "#src/lib/hmac";
import type { SessionCore } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** Bytes of pictures that one model request carries at the most, newest first. */
const MAX_IMAGE_BYTES = 12 * 1024 * 1024;

/** Bytes of messages: R2 where it is bound, else the session's own SQLite, in pieces. */
export interface SessionMedia {
  /** Fetches what this turn's messages bring, into the store and the workspace; what fails is said in the message. */
  fetchFor(turn: RunningTurn): Promise<void>;
  /** Stores what came along as data: URLs, so that a message row only names it. */
  keep(attachments: readonly Attachment[]): Promise<readonly Attachment[]>;
  /** Pictures of the given rows as data: URLs, by media key. */
  imagesOf(rows: readonly Message[], isWanted: boolean): Promise<ReadonlyMap<string, string>>;
  read(mediaKey: string): Promise<{ readonly bytes: Uint8Array; readonly mime: string } | undefined>;
}

export function openSessionMedia(core: Omit<SessionCore, "media">, bucket: R2Bucket | undefined): SessionMedia {
  async function save(bytes: Uint8Array, mime: string): Promise<string> {
    const key = `${toHex(await sha256(bytes)).slice(0, 40)}.${encodeURIComponent(mime)}`;
    if (bucket === undefined) core.store.transaction(() => core.store.saveMedia(key, bytes));
    else await bucket.put(`${core.key}/${key}`, bytes);
    return key;
  }

  async function read(mediaKey: string): Promise<{ readonly bytes: Uint8Array; readonly mime: string } | undefined> {
    const mime = mimeOf(mediaKey);
    if (mime === undefined || !core.store.exists()) return undefined;
    const bytes =
      bucket === undefined ? core.store.media(mediaKey) : await fromBucket(bucket, `${core.key}/${mediaKey}`);
    return bytes === undefined ? undefined : { bytes, mime };
  }

  async function fetched(turn: RunningTurn, row: Message, attachment: Attachment, index: number): Promise<Attachment> {
    if (!isToFetch(attachment, turn)) return attachment;
    try {
      const { bytes, mime } = await bytesOf(turn, attachment);
      const name = fileName(attachment, mime, `${row.id}-${index}`);
      const path = `/workspace/uploads/${name}`;
      const [mediaKey] = await Promise.all([
        save(bytes, mime),
        core.workspace().writeFile(path, bytes, `${core.key}#upload#${row.id}#${index}`),
      ]);
      return { ...attachment, mediaKey, path, mime, size: bytes.length };
    } catch (error) {
      const problem = error instanceof GatewayError ? error.message : "it could not be fetched";
      if (!(error instanceof GatewayError)) console.error("attachment could not be fetched", error);
      return { ...attachment, problem };
    }
  }

  async function bytesOf(
    turn: RunningTurn,
    attachment: Attachment,
  ): Promise<{ readonly bytes: Uint8Array; readonly mime: string }> {
    const { media } = await core.environment();
    const route = await core.routeOf(turn.record.origin);
    if (route?.client.fetchAttachment === undefined)
      throw new GatewayError("not_configured", "files of this platform cannot be fetched.");
    return route.client.fetchAttachment(attachment, { maxBytes: media.maxBytes, signal: turn.control.stopped });
  }

  async function kept(attachment: Attachment, maxBytes: number): Promise<Attachment> {
    const { url, ...rest } = attachment;
    if (url?.startsWith("data:") !== true) return attachment;
    try {
      const { bytes, mime } = await fromDataUrl(url, maxBytes);
      return { ...rest, mediaKey: await save(bytes, mime), mime, size: bytes.length };
    } catch (error) {
      return { ...rest, problem: error instanceof GatewayError ? error.message : "it could not be read." };
    }
  }

  function isToFetch(attachment: Attachment, turn: RunningTurn): boolean {
    if (attachment.mediaKey !== undefined || attachment.problem !== undefined || attachment.kind === "location")
      return false;
    return core.isMessenger(turn.record.origin);
  }

  return {
    async fetchFor(turn) {
      const rows = core
        .rows()
        .filter((row) => row.turnId === turn.record.id && row.attachments?.some((one) => isToFetch(one, turn)));
      for (const row of rows) {
        const attachments = await Promise.all(
          (row.attachments ?? []).map((attachment, index) => fetched(turn, row, attachment, index)),
        );
        core.replace({ ...row, attachments });
      }
    },
    async keep(attachments) {
      const { media } = await core.environment();
      return Promise.all(attachments.map((attachment) => kept(attachment, media.maxBytes)));
    },
    async imagesOf(rows, isWanted) {
      const images = new Map<string, string>();
      if (!isWanted) return images;
      let left = MAX_IMAGE_BYTES;
      const keys = rows
        .flatMap((row) => row.attachments ?? [])
        .filter((one) => one.kind === "image" && one.mediaKey !== undefined);
      for (const { mediaKey } of keys.reverse()) {
        const found = mediaKey === undefined ? undefined : await read(mediaKey);
        if (mediaKey === undefined || found === undefined) continue;
        left -= found.bytes.length;
        if (left < 0) break;
        images.set(mediaKey, `data:${found.mime};base64,${toBase64(found.bytes)}`);
      }
      return images;
    },
    read,
  };
}

/** The type that stands in a media key; undefined for what is none. */
function mimeOf(mediaKey: string): string | undefined {
  try {
    return decodeURIComponent(mediaKey.slice(mediaKey.indexOf(".") + 1));
  } catch {
    return undefined; // a lone percent sign
  }
}

async function fromBucket(bucket: R2Bucket, key: string): Promise<Uint8Array | undefined> {
  const object = await bucket.get(key);
  return object === null ? undefined : new Uint8Array(await object.arrayBuffer());
}

async function fromDataUrl(
  url: string,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly mime: string }> {
  if (url.length > maxBytes * 1.4) throw new GatewayError("too_large", `it is larger than ${maxBytes} bytes.`);
  const response = await fetch(url).catch(() => undefined);
  if (response === undefined) throw new GatewayError("bad_request", "its data: URL cannot be read.");
  return {
    bytes: new Uint8Array(await response.arrayBuffer()),
    mime: response.headers.get("content-type") ?? "application/octet-stream",
  };
}

/** A name that is safe as a path and does not clash: the sender's own, led by the message's id. */
function fileName(attachment: Attachment, mime: string, id: string): string {
  const fallback = `${attachment.kind}.${(mime.split("/")[1] ?? "bin").replaceAll(/[^\w]/g, "").slice(0, 8) || "bin"}`;
  const name = (attachment.name ?? fallback)
    .replaceAll(/[^\p{L}\p{N}._ -]/gu, "_")
    .replace(/^\.+/, "")
    .slice(-100);
  return `${id}-${name || fallback}`;
}
