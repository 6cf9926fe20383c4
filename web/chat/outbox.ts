import type { TranscriptMessage } from "#src/domain/live";
import { $, el } from "../shared/elements";
import { keptHere } from "../shared/keep";
import { connection, transmit } from "./connection";
import { randomId } from "./random-id";
import { scrollToEnd } from "./scroll";
import { inView } from "./session";
import { compareIds, isTranscriptEmpty, lastId, showMessage } from "./transcript";

/** What was sent stays here, and is sent again, until the transcript shows it. */
interface Entry {
  /** Lets the server drop what it already has. */
  readonly id: string;
  readonly text: string;
  /** The last message that was there when it was first sent. */
  after?: string;
  /** Number of the connection that carried it. */
  carriedBy?: number;
  /** It is time that it was confirmed. */
  isLate?: boolean;
}

/** Milliseconds after which a message that the transcript does not show is called unconfirmed. */
const UNCONFIRMED_MS = 15_000;

let entries: Entry[] = [];

/** Sends a person's words, as soon as there is a connection. */
export function send(text: string): void {
  entries.push({ id: randomId(), text });
  flushOutbox();
  showOutbox();
  scrollToEnd();
}

/** Takes up what this tab still has to send to the session in view. */
export function restoreOutbox(): void {
  // what flushOutbox wrote
  entries = JSON.parse(keptHere.get(placeOf()) ?? "[]") as Entry[];
}

/** Sends what this connection has not carried yet. */
export function flushOutbox(): void {
  for (const entry of entries) {
    if (entry.carriedBy === connection.number || !transmit({ type: "send", id: entry.id, text: entry.text })) continue;
    entry.carriedBy = connection.number;
    entry.after ??= lastId() ?? "0";
    entry.isLate = false;
    setTimeout(lookForLate, UNCONFIRMED_MS, entry);
  }
  keptHere.set(placeOf(), JSON.stringify(entries.map(({ id, text, after }) => ({ id, text, after }))));
}

/** Shows a message of the session; one of a person may be what was sent from here. */
export function takeMessage(message: TranscriptMessage): void {
  if (showMessage(message) && message.role === "user") confirmSent(message);
}

export function showOutbox(): void {
  $("outbox").replaceChildren(...entries.map(pendingNode));
  showEmpty();
}

/** Greets a newcomer when there is nothing to show. */
export function showEmpty(): void {
  $("empty").hidden = !connection.isGreeted || !isTranscriptEmpty() || entries.length > 0;
}

/** The transcript has no client ids: the first entry with these words, sent before this row was there, is the one. */
function confirmSent({ id, content }: TranscriptMessage): void {
  const isIt = ({ text, after }: Entry): boolean =>
    text === content.trim() && after !== undefined && compareIds(id, after) > 0;
  const found = entries.find(isIt);
  if (found === undefined) return;
  entries = entries.filter((entry) => entry !== found);
  // a twin waits for a row of its own
  for (const twin of entries.filter(isIt)) twin.after = id;
  flushOutbox();
  showOutbox();
}

function lookForLate(entry: Entry): void {
  if (!entries.includes(entry) || entry.carriedBy !== connection.number) return;
  entry.isLate = true;
  showOutbox();
}

function pendingNode(entry: Entry): HTMLElement {
  const state = entry.carriedBy === connection.number ? "Sending…" : "Waits for the connection";
  const meta = el("div", { class: "meta", role: "status" });
  if (entry.isLate !== true) meta.append(state);
  else
    meta.append(
      "Not confirmed.",
      button("Send again", () => sendAgain(entry)),
      button("Discard", () => discard(entry)),
    );
  return el("article", { class: "message user pending" }, meta, el("div", { class: "body" }, entry.text));
}

function button(label: string, onclick: () => void): HTMLElement {
  return el("button", { class: "quiet", type: "button", onclick }, label);
}

function sendAgain(entry: Entry): void {
  delete entry.carriedBy;
  flushOutbox();
  showOutbox();
}

function discard(entry: Entry): void {
  entries = entries.filter((other) => other !== entry);
  flushOutbox();
  showOutbox();
}

function placeOf(): string {
  return `outbox.${inView.sessionKey}`;
}
