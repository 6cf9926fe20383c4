import type { Attachment } from "#src/domain/message";
import { field, listField, numberField, optional, textField } from "./read-field";

/** Which field of a message holds which kind of file, and the type of files that say none. */
const FILES = [
  { name: "voice", kind: "voice", mime: "audio/ogg" },
  { name: "audio", kind: "audio", mime: "audio/mpeg" },
  { name: "video", kind: "video", mime: "video/mp4" },
  { name: "video_note", kind: "video", mime: "video/mp4" },
  { name: "animation", kind: "video", mime: "video/mp4" },
  { name: "document", kind: "file", mime: undefined },
] as const;

/** Files and places of a message. Source: https://core.telegram.org/bots/api#message */
export function readAttachments(message: unknown): readonly Attachment[] {
  const photo = largest(listField(message, "photo"));
  // an animation comes as a document too, for clients that do not know animations
  const files = FILES.filter(({ name }) => name !== "document" || field(message, "animation") === undefined);
  return [
    ...readFile(photo, "image", "image/jpeg"),
    ...files.flatMap(({ name, kind, mime }) => readFile(field(message, name), kind, mime)),
    ...readSticker(field(message, "sticker")),
    ...readPlace(message),
  ];
}

function readFile(file: unknown, kind: Attachment["kind"], mime: string | undefined): readonly Attachment[] {
  const id = textField(file, "file_id");
  if (id === undefined) return [];
  const attachment: Attachment = {
    kind,
    id,
    ...optional("mime", textField(file, "mime_type") ?? mime),
    ...optional("name", textField(file, "file_name")),
    ...optional("size", numberField(file, "file_size")),
  };
  return [attachment];
}

function readSticker(sticker: unknown): readonly Attachment[] {
  const moving = field(sticker, "is_animated") === true ? "application/x-tgsticker" : undefined;
  return readFile(sticker, "sticker", field(sticker, "is_video") === true ? "video/webm" : (moving ?? "image/webp"));
}

/** A place on the map, alone or as a venue with a name; its coordinates are a `geo:` URI (RFC 5870). */
function readPlace(message: unknown): readonly Attachment[] {
  const venue = field(message, "venue");
  const place = field(venue, "location") ?? field(message, "location");
  const latitude = numberField(place, "latitude");
  const longitude = numberField(place, "longitude");
  if (latitude === undefined || longitude === undefined) return [];
  const name = [textField(venue, "title"), textField(venue, "address")].filter(Boolean).join(", ");
  return [
    { kind: "location", url: `geo:${latitude},${longitude}`, ...optional("name", name === "" ? undefined : name) },
  ];
}

/** A photo comes in several sizes, mostly the largest last. */
function largest(sizes: readonly unknown[]): unknown {
  const area = (size: unknown): number => (numberField(size, "width") ?? 0) * (numberField(size, "height") ?? 0);
  return sizes.reduce((best, size) => (best === undefined || area(size) >= area(best) ? size : best), undefined);
}

/** What a message without text says in words: a contact, a poll, a checklist, a die. */
export function describeContent(message: unknown): string {
  const contact = field(message, "contact");
  const phone = textField(contact, "phone_number");
  if (phone !== undefined) {
    const names = [textField(contact, "first_name"), textField(contact, "last_name"), phone];
    return `Contact: ${names.filter(Boolean).join(" ")}`;
  }
  const poll = field(message, "poll");
  const question = textField(poll, "question");
  if (question !== undefined) return describeList(`Poll: ${question}`, listField(poll, "options"));
  const checklist = field(message, "checklist");
  const title = textField(checklist, "title");
  if (title !== undefined) return describeList(`Checklist: ${title}`, listField(checklist, "tasks"));
  const dice = field(message, "dice");
  const value = numberField(dice, "value");
  return value === undefined ? "" : `${textField(dice, "emoji") ?? "🎲"} ${value}`;
}

function describeList(head: string, items: readonly unknown[]): string {
  return [head, ...items.map((item) => `- ${textField(item, "text") ?? ""}`)].join("\n");
}
