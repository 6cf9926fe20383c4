import type { Span } from "./span";

const BEGIN =
  /-{4,5} ?BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d:|Private-Lines: \d+/g;
const END = /-{4,5} ?END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)? ?-{4,5}|Private-MAC: ?[0-9a-fA-F]*/g;
// what the body of a cut-off block is made of: base64, headers, escaped line breaks, quoting of logs
const BODY =
  /(?:[A-Za-z0-9+/=]{8,}|Version: \S+|Comment: [^\n]*|Proc-Type: \S+|DEK-Info: \S+|\\[nr]|[\s"',>|]+|[A-Za-z0-9+/=]+$)/y;

/** Private keys in PEM, OpenPGP and PuTTY's form; one that is cut off goes up to where its letters end. */
export function findPrivateKeys(text: string): readonly Span[] {
  if (!text.includes("PRIVATE KEY") && !text.includes("PuTTY-User-Key") && !text.includes("Private-Lines:")) return [];
  const spans: Span[] = [];
  const begins = [...text.matchAll(BEGIN)];
  const ends = [...text.matchAll(END)];
  let next = 0;
  let done = 0;
  for (const [at, { index, 0: begin }] of begins.entries()) {
    if (index < done) continue;
    while ((ends[next]?.index ?? text.length) < index) next += 1;
    const from = index + begin.length;
    const end = ends[next];
    const limit = Math.min(end?.index ?? 0, begins[at + 1]?.index ?? text.length);
    const isWhole = end !== undefined && isBody(text.slice(from, limit));
    done = isWhole ? end.index + end[0].length : bodyEnd(text, from);
    if (isWhole || hasKeyLetters(text.slice(from, done))) {
      spans.push({ start: index, end: done, replacement: "[REDACTED PRIVATE KEY]" });
    }
  }
  return spans;
}

/** Programs have both marks too, and their own lines between. */
function isBody(text: string): boolean {
  const letters = text.replaceAll(/[^A-Za-z0-9+/=]/g, "").length;
  return letters > 0.8 * text.replaceAll(/\s/g, "").length || /[A-Za-z0-9+/=]{40}/.test(text);
}

/** A sentence about the mark goes on in words. */
function hasKeyLetters(text: string): boolean {
  return /[A-Za-z0-9+/=]{8}/.test(text) && /[A-Z0-9+/=]/.test(text);
}

function bodyEnd(text: string, from: number): number {
  const body = new RegExp(BODY);
  body.lastIndex = from;
  let end = from;
  while (body.test(text) && body.lastIndex > end) end = body.lastIndex;
  return end;
}
