import { StringDecoder } from "node:string_decoder";

/** A line that holds a text that is watched for. */
export interface LineMatch {
  readonly pattern: string;
  readonly line: string;
  /** Matches before this one that were left out because they came too fast. */
  readonly suppressed: number;
}

const MAX_LINE_CHARS = 64 * 1024;
const SHOWN_LINE_CHARS = 500;
const WINDOW_MS = 10_000;
const MAX_IN_WINDOW = 8;

/**
 * Looks for texts in lines as they are written. The texts are no regular expressions, of which one could stop
 * everything. At most 8 matches are told in 10 seconds; the next tells how many were not.
 */
export function watchLines(
  patterns: readonly string[],
  now: () => number,
  tell: (match: LineMatch) => void,
): (chunk: Buffer) => void {
  if (patterns.length === 0) return () => {};
  const decoder = new StringDecoder("utf8");
  let line = "";
  let windowStart = Number.NEGATIVE_INFINITY;
  let told = 0;
  let suppressed = 0;
  let isTold = false;

  function look(text: string): void {
    const pattern = isTold ? undefined : patterns.find((candidate) => text.includes(candidate));
    if (pattern === undefined) return;
    isTold = true;
    if (now() - windowStart > WINDOW_MS) {
      windowStart = now();
      told = 0;
    }
    told += 1;
    if (told > MAX_IN_WINDOW) {
      suppressed += 1;
      return;
    }
    tell({ pattern, line: text.slice(0, SHOWN_LINE_CHARS), suppressed });
    suppressed = 0;
  }

  return (chunk) => {
    const lines = (line + decoder.write(chunk)).split(/\r?\n/);
    line = (lines.pop() ?? "").slice(-MAX_LINE_CHARS);
    for (const whole of lines) {
      look(whole);
      isTold = false;
    }
    // a prompt that waits for an answer is a line that does not end
    look(line);
  };
}
