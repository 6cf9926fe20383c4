import { $ } from "./elements";
import { kept } from "./keep";

/** What a page does about the door. */
interface DoorListeners {
  /** The page is shut until somebody has a token. */
  readonly onShut: () => void;
  /** Somebody typed a token in; it is kept already. */
  readonly onToken: () => void;
}

const door = $("door", HTMLDialogElement);
const field = $("token", HTMLInputElement);
let listeners: DoorListeners | undefined;

/** Has the door keep what is typed into it, and tell the page. */
export function startDoor(told: DoorListeners): void {
  listeners = told;
  door.addEventListener("cancel", (event) => event.preventDefault());
  $("door-form").addEventListener("submit", (event) => {
    event.preventDefault();
    kept.set("token", field.value.trim());
    field.value = "";
    told.onToken();
  });
  $("leave").addEventListener("click", () => {
    kept.remove("token");
    location.reload();
  });
}

/** Asks for a token; the sentence says what was wrong with the last one. */
export function askForToken(sentence: string): void {
  listeners?.onShut();
  $("wrong").textContent = sentence;
  $("wrong").hidden = sentence === "";
  field.setAttribute("aria-invalid", String(sentence !== ""));
  if (!door.open) door.showModal();
  field.focus();
}

/** Whether the page asks for a token at the moment. */
export function isAtDoor(): boolean {
  return door.open;
}

/** Lets the person in. */
export function leaveDoor(): void {
  if (door.open) door.close();
}
