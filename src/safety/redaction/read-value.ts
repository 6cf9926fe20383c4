/** A field's value and how it is quoted. */
export interface Value {
  readonly text: string;
  readonly start: number;
  readonly quote: string;
}

// what ends a value without quotes, in a sentence or a list, and on a line of an environment file
const BARE = /[^\s,;&"'`<>(){}[\]\\|]+/y;
const LINE_BARE = /[^\s"'`]+/y;
const MAX_QUOTED_CHARS = 8_192;

/** Reads the values of a text's fields, which must be asked for from left to right. */
export interface ValueReader {
  /** The value that begins at a place; `isLine` when nothing but it is on its line. */
  readonly read: (from: number, isLine: boolean) => Value | undefined;
}

export function createValueReader(text: string): ValueReader {
  const bare = createRunReader(text, BARE);
  const line = createRunReader(text, LINE_BARE);
  return {
    read(from, isLine) {
      const opening = /^(?:\\{0,4}["'`]|[bruf]["'])/i.exec(text.slice(from, from + 6))?.[0];
      if (opening !== undefined) return readQuoted(text, from + opening.length, opening.replace(/^[bruf]/i, ""));
      const end = (isLine ? line : bare)(from);
      if (end <= from) return undefined;
      return { text: withoutStops(text.slice(from, end)), start: from, quote: "" };
    },
  };
}

/** Ends of runs of letters; a field inside of a run ends where the run does, so that each letter is read once. */
function createRunReader(text: string, pattern: RegExp): (from: number) => number {
  const run = new RegExp(pattern);
  let [begin, end] = [0, 0];
  return (from) => {
    if (from >= begin && from < end) return end;
    run.lastIndex = from;
    [begin, end] = [from, run.test(text) ? run.lastIndex : from];
    return end;
  };
}

function withoutStops(value: string): string {
  let end = value.length;
  while (end > 0 && ".,;:!?".includes(value[end - 1] ?? " ")) end -= 1;
  return value.slice(0, end);
}

function readQuoted(text: string, start: number, quote: string): Value {
  const limit = Math.min(text.length, start + MAX_QUOTED_CHARS);
  for (let at = start; at < limit; at++) {
    const isEnd = text.startsWith(quote, at) || (text[at] === "\n" && quote !== "`");
    if (isEnd) return { text: text.slice(start, at), start, quote };
    if (text[at] === "\\" && quote.length === 1) at += 1;
  }
  return { text: text.slice(start, limit), start, quote };
}
