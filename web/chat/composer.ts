import { $ } from "../shared/elements";
import { keptHere } from "../shared/keep";
import { transmit } from "./connection";
import { liveTurn } from "./live-answer";
import { send } from "./outbox";
import { inView } from "./session";

const field = $("text", HTMLTextAreaElement);
const composer = $("composer", HTMLFormElement);
const usesTouch = matchMedia("(pointer: coarse)");

/** Has the message field send, and the ideas for a newcomer fill it. */
export function startComposer(): void {
  composer.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = field.value.trim();
    if (words === "") return;
    setText("");
    send(words);
  });
  field.addEventListener("input", fitField);
  field.addEventListener("keydown", (event) => {
    const sends = event.key === "Enter" && !event.shiftKey && !event.isComposing && !usesTouch.matches;
    if (!sends) return;
    event.preventDefault();
    composer.requestSubmit();
  });
  $("stop").addEventListener("click", () => {
    stop();
    focusField();
  });
  for (const idea of $("ideas").children) idea.addEventListener("click", () => setText(idea.textContent));
}

/** Puts the focus where a person writes; a phone would open its keyboard over what there is to read. */
export function focusField(): void {
  if (!usesTouch.matches) field.focus();
}

/** Puts the focus there because the person asked for it. */
export function enterField(): void {
  field.focus();
}

/** Stops the turn that is under way. */
export function stop(): void {
  if (liveTurn() !== undefined) transmit({ type: "stop" });
}

/** Keeps what is written but not sent, for the session in view. */
export function keepDraft(): void {
  keptHere.set(`draft.${inView.sessionKey}`, field.value);
}

export function restoreDraft(): void {
  field.value = keptHere.get(`draft.${inView.sessionKey}`) ?? "";
  fitField();
}

function setText(words: string): void {
  field.value = words;
  fitField();
  focusField();
}

function fitField(): void {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight}px`;
}
