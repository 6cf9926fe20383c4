import type { LiveQuestion } from "#src/domain/live";
import { $, el } from "../shared/elements";
import { focusField } from "./composer";
import { transmit } from "./connection";
import { markdown } from "./markdown";
import { randomId } from "./random-id";
import { keepEnd } from "./scroll";
import { toast } from "./toasts";

/** Shows the question that a turn waits on; undefined when it waits on none. */
export function showQuestion(question: LiveQuestion | undefined): void {
  $("asking").replaceChildren(...(question === undefined ? [] : [questionNode(question)]));
  if (question !== undefined) keepEnd();
}

export function closeQuestion(id: string): void {
  const [shown] = $("asking").children;
  if (shown?.getAttribute("data-id") === id) showQuestion(undefined);
}

function questionNode({ id, text, choices }: LiveQuestion): HTMLElement {
  const buttons = choices.map(({ label, value, style }) => {
    const press = (): void => {
      if (!transmit({ type: "action", id: randomId(), value })) return toast("Not connected: press again in a moment.");
      for (const button of buttons) button.disabled = true;
      focusField();
    };
    return el("button", { type: "button", class: style, onclick: press }, label);
  });
  const hint = buttons.length === 0 ? "Write your answer below." : "Or write an answer of your own below.";
  return el(
    "section",
    { class: "question", "aria-label": "Question", "data-id": id },
    el("div", { class: "body" }, markdown(text)),
    el("div", { class: "choices" }, ...buttons),
    el("p", { class: "hint" }, hint),
  );
}
