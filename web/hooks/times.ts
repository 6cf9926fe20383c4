import { el } from "../shared/elements";
import { distanceInWords, secondsInWords, secondsUntil } from "../shared/times";

/** How long ago or ahead it is, in words that {@link refreshTimes} keeps true. */
export function timeOf(when: string | number): HTMLElement {
  const date = new Date(when);
  const at = date.getTime();
  const attributes = { datetime: date.toISOString(), title: date.toLocaleString(), "data-at": String(at) };
  return el("time", attributes, since(at));
}

export function refreshTimes(): void {
  for (const time of document.querySelectorAll("time[data-at]")) {
    const words = since(Number(time.getAttribute("data-at")));
    if (time.textContent !== words) time.textContent = words;
  }
}

function since(at: number): string {
  const seconds = secondsUntil(at);
  if (Math.abs(seconds) >= 60) return distanceInWords(seconds);
  return seconds > 0 ? secondsInWords(seconds) : "just now";
}
