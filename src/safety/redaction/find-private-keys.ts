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
  const ends = [...text.matchAll(END)].map((match) => match.index + match[0].length);
  let next = 0;
  let done = 0;
  for (const { index, 0: begin } of text.matchAll(BEGIN)) {
    if (index < done) continue;
    while (next < ends.length && (ends[next] ?? 0) <= index) next += 1;
    done = ends[next] ?? bodyEnd(text, index + begin.length);
    spans.push({ start: index, end: done, replacement: "[REDACTED PRIVATE KEY]" });
  }
  return spans;
}

function bodyEnd(text: string, from: number): number {
  const body = new RegExp(BODY);
  body.lastIndex = from;
  let end = from;
  while (body.test(text) && body.lastIndex > end) end = body.lastIndex;
  return end;
}
