import { el } from "../shared/elements";
import { distanceInWords, secondsUntil } from "../shared/times";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const calendar = new Intl.DateTimeFormat(undefined, {
  weekday: "long",
  day: "numeric",
  month: "long",
  year: "numeric",
});
const DAY_MS = 86_400_000;

/** The time of day; all of it when somebody points at it. */
export function timeOf(iso: string): HTMLTimeElement {
  const date = new Date(iso);
  return el("time", { datetime: iso, title: date.toLocaleString() }, clock.format(date));
}

/** The day, in words. */
export function dayOf(iso: string): string {
  const date = new Date(iso);
  const day = date.toDateString();
  if (day === new Date().toDateString()) return "Today";
  return day === new Date(Date.now() - DAY_MS).toDateString() ? "Yesterday" : calendar.format(date);
}

/** How long ago it was. */
export function sinceThen(iso: string): string {
  const seconds = secondsUntil(Date.parse(iso));
  return seconds > -60 ? "now" : distanceInWords(seconds);
}
