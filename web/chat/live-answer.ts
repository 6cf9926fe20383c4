import { $, el } from "../shared/elements";
import { connect } from "./connection";
import { markdown } from "./markdown";
import { keepEnd } from "./scroll";
import { foldOf, followTurn, setCallState } from "./tool-folds";
import type { EventOf } from "./wire";

/** The turn that is under way, and what it has said since its last message. */
interface Live {
  readonly turnId: string;
  text: string;
}

/** Milliseconds between two drawings of a text: one more for so many characters, up to a limit. */
const CHARS_PER_MS = 200;
const LONGEST_WAIT_MS = 400;

let live: Live | undefined;
let isDrawing = false;

/** The turn that is under way. */
export function liveTurn(): string | undefined {
  return live?.turnId;
}

/** Shows that a turn is under way, or that none is any more. */
export function setLive(turnId: string | undefined): void {
  if (live?.turnId === turnId) return;
  followTurn(turnId);
  live = turnId === undefined ? undefined : { turnId, text: "" };
  const meta = el("div", { class: "meta" }, el("b", {}, "Talaria"));
  const node = el("article", { class: "message assistant" }, meta, el("div", { class: "body" }));
  $("live").replaceChildren(...(live === undefined ? [] : [node]));
  $("stop").hidden = live === undefined;
  drawLive();
}

/** Adds to the growing text. A gap in it means that something was missed: all is read again. */
export function grow({ turn_id, offset, text }: Omit<EventOf<"delta">, "type">): void {
  setLive(turn_id);
  if (live === undefined) return;
  if (offset > live.text.length) return connect({ isFresh: true });
  live.text = live.text.slice(0, offset) + text;
  drawLive();
}

/** A message of the turn stands where its text grew. */
export function restartText(turnId: string): void {
  if (live?.turnId === turnId) live.text = "";
}

/** Draws at most once a frame, and less often the longer the text is. */
export function drawLive(): void {
  if (isDrawing) return;
  isDrawing = true;
  const draw = (): void => {
    isDrawing = false;
    const body = $("live").querySelector(".body");
    if (body === null || live === undefined) return;
    body.replaceChildren(live.text === "" ? dots() : markdown(live.text));
    keepEnd();
  };
  const waitMs = Math.min((live?.text.length ?? 0) / CHARS_PER_MS, LONGEST_WAIT_MS);
  setTimeout(() => requestAnimationFrame(draw), waitMs);
}

/** Shows how a tool call does, with the growing answer until its message is there. */
export function showToolCall({ turn_id, call }: Omit<EventOf<"tool">, "type">): void {
  setLive(turn_id);
  const fold = foldOf(turn_id, call);
  if (!fold.isConnected) $("live").firstElementChild?.append(fold);
  setCallState(turn_id, call, call.state);
}

function dots(): HTMLElement {
  return el("span", { class: "dots" }, el("i"), el("i"), el("i"), el("span", { class: "unseen" }, "Working"));
}
