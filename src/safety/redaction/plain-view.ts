// what stands between the letters of a key without being seen: colours, titles, zero-width marks
const COLOUR = "\\u001B\\[[0-?]{0,32}[ -/]{0,8}[@-~]";
const TITLE = "\\u001B\\][^\\u0007\\u001B]{0,256}(?:\\u0007|\\u001B\\\\)";
const ZERO_WIDTH = "[\\u00AD\\u200B-\\u200F\\u202A-\\u202E\\u2060-\\u2064\\u2066-\\u2069\\uFEFF]";
const UNSEEN = new RegExp([COLOUR, TITLE, ZERO_WIDTH].join("|"), "g");
const WIDE = /[\uFF01-\uFF5E]/g;
const WIDE_OFFSET = 0xfee0;

/** A text as it is read, and where each of its letters stands in what was written. */
export interface PlainView {
  readonly text: string;
  /** The place in the written text of a place in the read text. */
  readonly at: (index: number) => number;
}

/** Reads a text without colours and unseen marks, full-width letters as plain ones. */
export function readPlain(written: string): PlainView {
  const narrow = written.search(WIDE) < 0 ? written : written.replaceAll(WIDE, toNarrow);
  if (narrow.search(UNSEEN) < 0) return { text: narrow, at: (index) => index };
  const kept: string[] = [];
  const starts: number[] = [];
  const shifts: number[] = [];
  let [length, done] = [0, 0];
  for (const match of narrow.matchAll(UNSEEN)) {
    kept.push(narrow.slice(done, match.index));
    length += match.index - done;
    done = match.index + match[0].length;
    starts.push(length);
    shifts.push(done - length);
  }
  kept.push(narrow.slice(done));
  return { text: kept.join(""), at: (index) => index + shiftAt(index, starts, shifts) };
}

function toNarrow(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) - WIDE_OFFSET);
}

/** The shift of the last mark that was left out at or before a place. */
function shiftAt(index: number, starts: readonly number[], shifts: readonly number[]): number {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((starts[middle] ?? 0) <= index) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (shifts[low - 1] ?? 0);
}
