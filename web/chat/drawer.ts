import { $ } from "../shared/elements";
import { focusField } from "./composer";
import { randomId } from "./random-id";
import { hrefOf } from "./session";

const drawer = $("drawer");
const main = document.querySelector("main");

/** Has the drawer of sessions, which a phone keeps shut, open and shut; and the button in it begin a new chat. */
export function startDrawer(): void {
  $("menu").addEventListener("click", () => setDrawer(true));
  for (const id of ["shut", "veil", "sessions"]) $(id).addEventListener("click", () => setDrawer(false));
  $("new").addEventListener("click", () => {
    location.hash = hrefOf(`main:web:dm:${randomId()}`);
    setDrawer(false);
    focusField();
  });
}

export function setDrawer(isOpen: boolean): void {
  document.body.classList.toggle("drawn", isOpen);
  if (main !== null) main.inert = isOpen;
  $("menu").setAttribute("aria-expanded", String(isOpen));
  if (isOpen) $("shut").focus();
  else if (drawer.contains(document.activeElement)) $("menu").focus();
}

export function isDrawerOpen(): boolean {
  return document.body.classList.contains("drawn");
}
