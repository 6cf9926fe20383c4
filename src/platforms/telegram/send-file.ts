import type { OutboundFile } from "#src/domain/platform";
import { type Parameters, type TelegramApi, TelegramRefusal } from "./api";
import { renderMarkdownV2 } from "./markdown-v2";

/** UTF-16 units of a caption, counted after its marks were read. */
const MAX_CAPTION = 1024;
/** Bytes of a picture that is sent as one; larger ones are sent as files. */
const MAX_PHOTO_BYTES = 10_000_000;

interface Method {
  readonly name: string;
  readonly parameter: string;
  readonly fits: (file: OutboundFile) => boolean;
}

/** How files are shown, the first that fits. Source: https://core.telegram.org/bots/api#sending-files */
const METHODS: readonly Method[] = [
  { name: "sendAnimation", parameter: "animation", fits: ({ kind, mime }) => kind === "image" && mime === "image/gif" },
  {
    name: "sendPhoto",
    parameter: "photo",
    fits: ({ kind, mime, bytes }) =>
      kind === "image" && /^image\/(?:jpeg|png|webp)$/.test(mime) && bytes.length <= MAX_PHOTO_BYTES,
  },
  {
    name: "sendVoice",
    parameter: "voice",
    fits: ({ kind, mime }) => kind === "voice" && /^audio\/(?:ogg|mpeg|mp4)/.test(mime),
  },
  {
    name: "sendAudio",
    parameter: "audio",
    fits: ({ kind, mime }) => kind !== "file" && /^audio\/(?:mpeg|mp4)/.test(mime),
  },
  { name: "sendVideo", parameter: "video", fits: ({ kind, mime }) => kind === "video" && mime === "video/mp4" },
];
const DOCUMENT: Method = { name: "sendDocument", parameter: "document", fits: () => true };

/**
 * Sends a file the way Telegram shows it best, else as a document; its caption with marks, else without. `captions` are
 * what {@link captionsOf} gave.
 */
export async function sendFile(
  api: TelegramApi,
  file: OutboundFile,
  captions: readonly Parameters[],
  parameters: Parameters,
  signal: AbortSignal,
): Promise<unknown> {
  const best = METHODS.find(({ fits }) => fits(file)) ?? DOCUMENT;
  const plainest = captions.at(-1) ?? {};
  const [first, ...others] = [
    { method: best, caption: captions[0] ?? {} },
    ...captions.slice(1).map((caption) => ({ method: best, caption })),
    { method: DOCUMENT, caption: plainest },
  ] as const;
  const attempt = ({ method, caption }: { method: Method; caption: Parameters }): Promise<unknown> => {
    const blob = new Blob([new Uint8Array(file.bytes)], { type: file.mime });
    return api.call(method.name, { ...parameters, ...caption }, signal, {
      parameter: method.parameter,
      blob,
      name: file.name,
    });
  };
  let tried = attempt(first);
  for (const other of others) {
    tried = tried.catch((error: unknown) => {
      if (!isAboutContent(error)) throw error;
      return attempt(other);
    });
  }
  return tried;
}

/** Ways to put a text below a file: with its marks, then as it was written. None when it is too long for that. */
export function captionsOf(markdown: string): readonly Parameters[] {
  if (markdown.trim() === "") return [];
  const { text, seen, hasMarks } = renderMarkdownV2(markdown);
  const isMarked = hasMarks && seen !== "" && seen.length <= MAX_CAPTION;
  const marked = isMarked ? [{ caption: text, parse_mode: "MarkdownV2" }] : [];
  return markdown.length <= MAX_CAPTION ? [...marked, { caption: hasMarks ? markdown : seen }] : marked;
}

/** Whether the file or its caption is why it was refused, rather than the chat or the person. */
function isAboutContent(error: unknown): boolean {
  return (
    error instanceof TelegramRefusal &&
    error.status === 400 &&
    /entities|caption|photo|image|animation|video|voice|audio|dimensions|file/i.test(error.description)
  );
}
