import { similarity } from "#src/lib/similarity";
import { findText } from "./find-text";

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

/** The text after a replacement, or why it could not be made. */
export type Replaced =
  | { readonly text: string; readonly count: number; readonly strategy: string }
  /** The new text stands there already, and the old one nowhere. */
  | { readonly isDone: true }
  | { readonly problem: string };

/** Characters of a new text that are enough to say that it is there already and not something else like it. */
const MIN_DONE_CHARS = 8;
/** Places that an error names. */
const MAX_NAMED_PLACES = 10;
/** How alike a line must be to be shown as what may have been meant. */
const HINT_SIMILARITY = 0.5;
const HINT_LINES = 5;
/** Lines looked at for the hint. */
const MAX_HINT_LINES = 20_000;

/** Replaces a text that a model quoted; what it quoted inexactly is found as long as only one place can be meant. */
export function replaceText(source: string, replacement: Replacement): Replaced {
  const { text, oldText, newText, restore } = withPlainLineEnds(source, replacement);
  const found = findText(text, oldText);
  const isDone = newText.trim().length >= MIN_DONE_CHARS && text.includes(newText);
  if (found === undefined) return isDone ? { isDone } : { problem: `old_string was not found.${hint(text, oldText)}` };
  const { places, strategy, isLoose, adapt } = found;
  if (places.length > 1 && (!replacement.replaceAll || isLoose))
    return {
      problem: ambiguous(
        text,
        places.map(({ start }) => start),
        isLoose,
      ),
    };
  if (isLoose && isDone) return { isDone };
  let result = "";
  let at = 0;
  for (const place of places) {
    result += text.slice(at, place.start) + adapt(newText, place);
    at = place.end;
  }
  return { text: restore(result + text.slice(at)), count: places.length, strategy };
}

/** A file that ends all its lines with CR LF is edited as if with LF, which is what models write. */
function withPlainLineEnds(source: string, { oldText, newText }: Replacement) {
  const isCrLf = source.includes("\r\n") && !/(?<!\r)\n/.test(source);
  const plain = (text: string): string => (isCrLf ? text.replaceAll("\r\n", "\n") : text);
  const restore = (text: string): string => (isCrLf ? text.replaceAll("\n", "\r\n") : text);
  return { text: plain(source), oldText: plain(oldText), newText: plain(newText), restore };
}

function ambiguous(text: string, starts: readonly number[], isLoose: boolean): string {
  const lines = starts.slice(0, MAX_NAMED_PLACES).map((start) => lineAt(text, start));
  const more = starts.length > MAX_NAMED_PLACES ? ", …" : "";
  const like = isLoose ? "is not there, and what is like it" : "";
  const ask = isLoose ? "Quote the file exactly" : "Give more lines around it, or set replace_all";
  return `old_string ${like}${like === "" ? "" : " "}matches ${starts.length} places, at lines ${lines.join(", ")}${more}. ${ask}.`;
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** The lines that are most like the first that was wanted, for a model to quote. */
function hint(text: string, wanted: string): string {
  const first = wanted.split("\n").find((line) => line.trim() !== "") ?? "";
  const lines = text.split("\n").slice(0, MAX_HINT_LINES);
  let best = { index: -1, likeness: HINT_SIMILARITY };
  for (const [index, line] of lines.entries()) {
    const likeness = similarity(line, first);
    if (likeness > best.likeness) best = { index, likeness };
  }
  if (best.index === -1) return " Read the file again and quote it exactly.";
  const shown = lines.slice(best.index, best.index + Math.min(HINT_LINES, wanted.split("\n").length));
  return ` The nearest is at line ${best.index + 1}:\n${shown.join("\n")}`;
}
