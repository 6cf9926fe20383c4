import { $ } from "../shared/elements";
import { readMessagesBefore } from "./api";
import { takeMessage } from "./outbox";
import { growAbove } from "./scroll";
import { inView } from "./session";
import { toastError } from "./toasts";
import { firstId, isFirstRow, setReadOut } from "./transcript";

const button = $("earlier");

/** Has the button above the conversation show what was before it. */
export function startEarlier(): void {
  button.addEventListener("click", () => void showEarlier().catch(toastError));
}

/** Offers what was before, when there is anything. */
export function offerEarlier(): void {
  const first = firstId();
  button.hidden = first === undefined || isFirstRow(first);
}

export function offerNothingEarlier(): void {
  button.hidden = true;
}

async function showEarlier(): Promise<void> {
  const first = firstId() ?? "";
  setReadOut(false);
  await growAbove(async () => {
    const { messages } = await readMessagesBefore(inView.sessionKey, first);
    for (const message of messages) takeMessage(message);
    if (messages.length === 0 || messages.some(({ id }) => isFirstRow(id))) offerNothingEarlier();
  });
  requestAnimationFrame(() => setReadOut(true));
}
