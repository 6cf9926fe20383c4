import type { TranscriptMessage } from "#src/domain/live";
import { el } from "../shared/elements";
import { readMedia } from "./api";
import { copyButton } from "./copy-button";
import { markdown } from "./markdown";
import { inView } from "./session";
import { timeOf } from "./times";
import { toastError } from "./toasts";
import { foldOf } from "./tool-folds";

type ShownAttachment = NonNullable<TranscriptMessage["attachments"]>[number];

/** Words for the kinds of messages that need some. */
const TAGS: Readonly<Partial<Record<TranscriptMessage["kind"], string>>> = {
  steer: "added meanwhile",
  partial: "cut off",
  answer: "answer",
  notice: "note",
};

/** A message of a person or of the agent, as it is shown. */
export function messageNode(message: TranscriptMessage): HTMLElement {
  const { role, kind, content, author, created_at } = message;
  const isAgent = role === "assistant";
  const isMine = role === "user" && (author?.id ?? "owner") === "owner";
  const who = isAgent ? "Talaria" : isMine ? "You" : (author?.name ?? author?.id);
  const meta = el("div", { class: "meta" }, el("b", {}, who), timeOf(created_at));
  const tag = TAGS[kind];
  if (tag !== undefined) meta.append(el("span", { class: "tag" }, tag));
  if (isAgent && content !== "") meta.append(copyButton(content, "Copy message", "quiet copy-all"));
  const side = role === "user" && !isMine ? " others" : "";
  const node = el("article", { class: `message ${role} ${kind}${side}` }, meta);
  if (content !== "") node.append(el("div", { class: "body" }, isAgent ? markdown(content) : content));
  for (const attachment of message.attachments ?? []) node.append(attachmentNode(attachment));
  for (const call of message.tool_calls ?? []) node.append(foldOf(message.turn_id, call));
  return node;
}

function attachmentNode({ kind, name, mediaKey, problem }: ShownAttachment): HTMLElement {
  const label = name ?? kind;
  if (mediaKey === undefined) return absent(problem === undefined ? label : `${label}: ${problem}`);
  const { sessionKey } = inView;
  const fetched = async (): Promise<string> => URL.createObjectURL(await readMedia(sessionKey, mediaKey));
  return kind === "image" ? imageNode(label, name ?? "Picture", fetched) : saveButton(label, fetched);
}

function imageNode(label: string, alt: string, fetched: () => Promise<string>): HTMLElement {
  const image = el("img", { alt });
  image.addEventListener("load", () => URL.revokeObjectURL(image.src));
  void fetched().then(
    (url) => (image.src = url),
    () => image.replaceWith(absent(`${label}: not here any more`)),
  );
  return image;
}

function saveButton(label: string, fetched: () => Promise<string>): HTMLElement {
  const save = async (): Promise<void> => el("a", { href: await fetched(), download: label }).click();
  return el("button", { class: "file", type: "button", onclick: () => void save().catch(toastError) }, `Save ${label}`);
}

function absent(words: string): HTMLElement {
  return el("span", { class: "file tag" }, words);
}
