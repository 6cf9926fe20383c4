import { isAtDoor } from "../shared/door";
import { enterField, stop } from "./composer";
import { isDrawerOpen, setDrawer } from "./drawer";
import { clearFilter, enterFilter, isFilter } from "./sessions";

/** Has the keys do what the page says that they do. */
export function startKeys(): void {
  document.addEventListener("keydown", onKey);
  document.querySelector(".skip")?.addEventListener("click", (event) => {
    event.preventDefault();
    enterField();
  });
}

function onKey(event: KeyboardEvent): void {
  if (isAtDoor()) return;
  const isTyping = event.target instanceof Element && event.target.matches("input, textarea");
  if (event.key === "Escape") onEscape(event);
  else if (event.key === "/" && !isTyping) enterField();
  else if (event.key.toLowerCase() === "k" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    if (matchMedia("(max-width: 48rem)").matches) setDrawer(true);
    enterFilter();
  }
}

function onEscape(event: KeyboardEvent): void {
  if (isDrawerOpen()) setDrawer(false);
  else if (isFilter(event.target)) {
    clearFilter();
    enterField();
  } else if (!event.isComposing) stop();
}
