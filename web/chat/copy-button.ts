import { el } from "../shared/elements";
import { toast } from "./toasts";

/** Milliseconds that a button says that it has copied. */
const TOLD_MS = 1500;

/** A button that copies a text. */
export function copyButton(content: string, label: string, kind = "quiet"): HTMLButtonElement {
  const button = el("button", { class: kind, type: "button", "aria-label": label }, "Copy");
  button.addEventListener("click", () => void copy(content, button));
  return button;
}

async function copy(content: string, button: HTMLButtonElement): Promise<void> {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(content);
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = before), TOLD_MS);
  } catch {
    toast("The browser does not let this page copy.");
  }
}
