import type { Script, WordPart } from "./script";

/** Substitutions and compound commands within one another; deeper ones are not read. */
const MAX_DEPTH = 60;

/** The problem of a text whose rest is hidden by a quote: nothing behind it can be told apart. */
export const SINGLE_QUOTE_LEFT_OPEN = "a single quote is left open";

/** A place in a shell text that is being read, and what is known of the text so far. */
export interface Reader {
  readonly text: string;
  at: number;
  depth: number;
  /** The first thing that a shell would not take; reading goes on as well as it can. */
  problem: string | undefined;
  /** Here-documents whose bodies begin at the next line break. */
  readonly pending: PendingHereDoc[];
  /** Reads commands up to a closing parenthesis, or to the end of a text of its own: set by the grammar. */
  readonly readScript: (reader: Reader) => Script;
}

export interface PendingHereDoc {
  readonly delimiter: string;
  /** The delimiter was quoted: nothing in the body is expanded. */
  readonly isLiteral: boolean;
  /** `<<-`: leading tabs do not count. */
  readonly stripsTabs: boolean;
  /** Filled when the body is reached. */
  readonly body: WordPart[];
}

/** Begins to read a text inside of another, such as what stands between backticks. */
export function nestedReader(outer: Reader, text: string): Reader {
  return { text, at: 0, depth: outer.depth + 1, problem: undefined, pending: [], readScript: outer.readScript };
}

/** Notes that a shell would not take this; the first problem is kept. */
export function noteProblem(reader: Reader, problem: string): void {
  reader.problem ??= problem;
}

/** Whether there is room for one more level; notes the problem and ends the reading when there is not. */
export function enterLevel(reader: Reader): boolean {
  if (reader.depth < MAX_DEPTH) {
    reader.depth += 1;
    return true;
  }
  noteProblem(reader, "it is nested too deeply");
  reader.at = reader.text.length;
  return false;
}

/** Passes blanks, comments excluded: spaces, tabs, carriage returns and continued lines. */
export function skipBlanks(reader: Reader): void {
  const { text } = reader;
  for (;;) {
    const char = text[reader.at];
    if (char === " " || char === "\t" || char === "\r") reader.at += 1;
    else if (char === "\\" && text[reader.at + 1] === "\n") reader.at += 2;
    else if (char === "\\" && text.startsWith("\r\n", reader.at + 1)) reader.at += 3;
    else return;
  }
}

/** Passes the comment that begins here, if one does. Only where a word could begin is `#` a comment. */
export function skipComment(reader: Reader): void {
  if (reader.text[reader.at] !== "#") return;
  const end = reader.text.indexOf("\n", reader.at);
  reader.at = end === -1 ? reader.text.length : end;
}

/**
 * Where the arithmetic that opens with `((` at a place is closed by `))`; undefined when these parentheses are two
 * subshells instead.
 */
export function arithmeticEnd(text: string, open: number): number | undefined {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    const char = text[at];
    if (char === "(") depth += 1;
    else if (char === ")") {
      depth -= 1;
      if (depth === 1) return text[at + 1] === ")" ? at : undefined;
    }
  }
  return undefined;
}
