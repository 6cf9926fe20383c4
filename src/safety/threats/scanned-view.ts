/** A text in the form that patterns read, and up to where a match may begin. */
export interface ScannedView {
  readonly text: string;
  readonly limit: number;
}

/** Characters of a text that are scanned; an attack that begins before the end is read to its own end. */
export const MAX_SCANNED_CHARS = 1_048_576;
/** Characters of a text that are searched for what has many forms. */
export const MAX_SEARCHED_CHARS = 65_536;
const MARGIN_CHARS = 4_096;

/** The two forms of a text that rules read, in lower case and without look-alike forms of letters (NFKC). */
export interface ScannedText {
  readonly prose: ScannedView;
  readonly lines: ScannedView;
}

/** Prepares a text for the rules. */
export function readScanned(text: string): ScannedText {
  return { prose: viewOf(text, toProse), lines: viewOf(text, toLines) };
}

/** The beginning of a text, for rules that cost more. */
export function beginningOf({ prose, lines }: ScannedText): ScannedText {
  return { prose: cut(prose), lines: cut(lines) };
}

function cut({ text, limit }: ScannedView): ScannedView {
  return { text: text.slice(0, MAX_SEARCHED_CHARS + MARGIN_CHARS), limit: Math.min(limit, MAX_SEARCHED_CHARS) };
}

function viewOf(text: string, form: (part: string) => string): ScannedView {
  const head = form(text.slice(0, MAX_SCANNED_CHARS));
  const tail = text.slice(MAX_SCANNED_CHARS, MAX_SCANNED_CHARS + MARGIN_CHARS);
  return { text: tail === "" ? head : head + form(tail), limit: head.length };
}

function toProse(part: string): string {
  return normalize(part).replaceAll(/\s+/g, " ");
}

/** A command that a backslash carries over a line break is one line. */
function toLines(part: string): string {
  return normalize(part).replaceAll(/\\\r?\n/g, " ");
}

function normalize(part: string): string {
  return part.normalize("NFKC").toLowerCase().replaceAll(/[’‘]/g, "'").replaceAll(/[“”]/g, '"');
}
