import { $, el } from "../shared/elements";

/** Milliseconds that a note stays. */
const NOTE_MS = 10_000;

/** Tells what went wrong, for a while. */
export function toast(sentence: string): void {
  const note = el("div", {}, el("span", {}, sentence));
  note.append(
    el("button", { class: "quiet", type: "button", "aria-label": "Dismiss", onclick: () => note.remove() }, "✕"),
  );
  $("toasts").append(note);
  setTimeout(() => note.remove(), NOTE_MS);
}

/** Tells of an error that was thrown. */
export function toastError(error: unknown): void {
  toast(error instanceof Error ? error.message : String(error));
}
