import { sanitizeLine } from "#src/lib/sanitize-line";

/** Longest piece of a person's words that a sentence of ours repeats, in UTF-16 units. */
const MAX_QUOTED_CHARS = 500;

/** A person's words inside one of our sentences: as code, so that nothing in them is Markdown. */
export function quoted(text: string): string {
  const line = sanitizeLine(text.slice(0, 2 * MAX_QUOTED_CHARS)).replaceAll("`", "'");
  const shown = line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS).toWellFormed()}…` : line;
  return `\`${shown}\``;
}

/** A count with its noun: `1 message`, `2 messages`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** A number with its thousands apart. */
export function grouped(count: number): string {
  return count.toLocaleString("en-US");
}

/** A length of time, to the minute from one minute on: `42 s`, `5 min`, `2 h 5 min`, `3 d 4 h`. */
export function lasting(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return withRest(`${hours} h`, minutes % 60, "min");
  return withRest(`${Math.floor(hours / 24)} d`, hours % 24, "h");
}

function withRest(whole: string, rest: number, unit: string): string {
  return rest === 0 ? whole : `${whole} ${rest} ${unit}`;
}
