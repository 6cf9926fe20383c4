import type { TranscriptMessage } from "#src/domain/live";
import { $, el } from "../shared/elements";
import { messageNode } from "./message-node";
import { dayOf } from "./times";
import { showResult } from "./tool-folds";

/** A message that is shown; a result that its call shows has no element. */
interface Row {
  /** All of the message, to see whether it has changed. */
  readonly digest: string;
  readonly node: HTMLElement | undefined;
}

const log = $("log");
/** By the messages' ids. */
const rows = new Map<string, Row>();

/** Shows a message at its place; says whether it is new, or another one than before. */
export function showMessage(message: TranscriptMessage): boolean {
  const digest = JSON.stringify(message);
  if (rows.get(message.id)?.digest === digest) return false;
  forgetMessage(message.id);
  const node = message.role === "tool" ? showResult(message) : messageNode(message);
  rows.set(message.id, { digest, node });
  if (node !== undefined) place(node, message);
  return true;
}

/** Forgets all messages but these. */
export function keepMessages(ids: ReadonlySet<string>): void {
  for (const id of rows.keys()) if (!ids.has(id)) forgetMessage(id);
}

export function clearTranscript(): void {
  rows.clear();
  log.replaceChildren();
}

export function isTranscriptEmpty(): boolean {
  return rows.size === 0;
}

/** Whether messages are read out as they come: not those that were there before. */
export function setReadOut(isReadOut: boolean): void {
  log.setAttribute("aria-live", isReadOut ? "polite" : "off");
}

/** Ids are row numbers; a row of several tool results adds the result's number after a point. */
export function compareIds(left: string, right: string): number {
  const [leftRow = 0, leftPart = 0] = left.split(".").map(Number);
  const [rightRow = 0, rightPart = 0] = right.split(".").map(Number);
  return leftRow - rightRow || leftPart - rightPart;
}

export function firstId(): string | undefined {
  return [...rows.keys()].sort(compareIds)[0];
}

export function lastId(): string | undefined {
  return [...rows.keys()].sort(compareIds).at(-1);
}

/** The id to resume after: a row of tool results is asked for whole again, for it may have been cut off. */
export function resumeId(): string | undefined {
  const last = lastId();
  return last?.includes(".") === true ? String(Number.parseInt(last, 10) - 1) : last;
}

/** Whether it is of the session's first row: there is nothing before it. */
export function isFirstRow(id: string): boolean {
  return Number.parseInt(id, 10) <= 1;
}

function forgetMessage(id: string): void {
  const node = rows.get(id)?.node;
  const next = node?.nextElementSibling;
  node?.remove();
  rows.delete(id);
  markDay(next);
}

function place(node: HTMLElement, { id, created_at }: TranscriptMessage): void {
  node.dataset["id"] = id;
  node.dataset["at"] = created_at;
  let before = log.lastElementChild;
  while (before !== null && compareIds(noteOf(before, "id"), id) > 0) before = before.previousElementSibling;
  if (before === null) log.prepend(node);
  else before.after(node);
  markDay(node);
  markDay(node.nextElementSibling);
}

/** Names the day above the first message of each. */
function markDay(node: Element | null | undefined): void {
  if (node?.isConnected !== true) return;
  const day = dayOf(noteOf(node, "at"));
  const before = node.previousElementSibling;
  node.querySelector(":scope > .day")?.remove();
  if (before === null || dayOf(noteOf(before, "at")) !== day) node.prepend(el("p", { class: "day" }, day));
}

/** What {@link place} noted at an element. */
function noteOf(node: Element, name: "id" | "at"): string {
  return node.getAttribute(`data-${name}`) ?? "";
}
