import { similarity } from "#src/lib/similarity";

/** Comparisons of lines that one search may make; a larger one finds nothing rather than take seconds. */
const MAX_COMPARISONS = 5_000_000;
/** Between two anchors, how alike the lines must be on average. */
const ANCHORED_SIMILARITY = 0.6;
/** Without anchors, how many of the lines must be the same, and how alike the others. */
const CONTEXT_SHARE = 0.75;
const CONTEXT_SIMILARITY = 0.5;

/** A part of a text, as indexes into it. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** A text as lines, each with the place where it starts. */
interface Lines {
  readonly lines: readonly string[];
  readonly starts: readonly number[];
}

/** Whether the lines from an index on can stand for the wanted ones. */
type Matches = (lines: readonly string[], at: number, want: readonly string[]) => boolean;

/** Places where every line is the same as the wanted one, as `sameness` sees lines. */
export function sameLines(sameness: (line: string) => string): (text: string, wanted: string) => Place[] {
  return (text, wanted) => {
    const keys = memoised(sameness);
    return places(text, wanted, (lines, at, want) => want.every((line, i) => keys(lines[at + i] ?? "") === keys(line)));
  };
}

/** Places with the same lines when both are moved left as far as they go together: only the depth differs. */
export function sameShape(text: string, wanted: string): Place[] {
  return places(text, wanted, (lines, at, want) => {
    if (lines[at]?.trim() !== want[0]?.trim()) return false;
    const shape = outdent(want);
    return outdent(lines.slice(at, at + want.length)).every((line, i) => line === shape[i]);
  });
}

/** Places whose first and last lines are the wanted ones and whose lines between are like them. */
export function anchoredLines(text: string, wanted: string): Place[] {
  return places(text, wanted, (lines, at, want) => {
    const last = want.length - 1;
    const isAnchored = lines[at]?.trim() === want[0]?.trim() && lines[at + last]?.trim() === want[last]?.trim();
    if (want.length < 3 || !isAnchored) return false;
    const likeness = want.slice(1, last).map((line, i) => similarity(line, lines[at + 1 + i] ?? ""));
    return likeness.reduce((sum, one) => sum + one, 0) / likeness.length >= ANCHORED_SIMILARITY;
  });
}

/** Places where most lines are the same and the rest are like the wanted ones. */
export function similarLines(text: string, wanted: string): Place[] {
  return places(text, wanted, (lines, at, want) => {
    let left = Math.floor(want.length * (1 - CONTEXT_SHARE));
    return want.every((line, i) => {
      const other = lines[at + i] ?? "";
      return line.trim() === other.trim() || (left-- > 0 && similarity(line, other) >= CONTEXT_SIMILARITY);
    });
  });
}

/** Every run of as many lines as are wanted for which `matches` holds; they never overlap. */
function places(text: string, wanted: string, matches: Matches): Place[] {
  const want = wanted.replace(/\n$/, "").split("\n");
  const { lines, starts } = toLines(text);
  if (want.every((line) => line.trim() === "") || lines.length * want.length > MAX_COMPARISONS) return [];
  const found: Place[] = [];
  for (let at = 0; at + want.length <= lines.length; at++) {
    if (!matches(lines, at, want)) continue;
    const last = at + want.length - 1;
    const end = (starts[last] ?? 0) + (lines[last]?.length ?? 0);
    found.push({ start: starts[at] ?? 0, end: wanted.endsWith("\n") && end < text.length ? end + 1 : end });
    at = last;
  }
  return found;
}

function toLines(text: string): Lines {
  const lines = text.split("\n");
  let start = 0;
  const starts = lines.map((line) => (start += line.length + 1) - line.length - 1);
  return { lines, starts };
}

function outdent(lines: readonly string[]): string[] {
  const inked = lines.filter((line) => line.trim() !== "");
  const depth = Math.min(...inked.map((line) => line.length - line.trimStart().length));
  return lines.map((line) => (line.trim() === "" ? "" : line.slice(depth).trimEnd()));
}

function memoised(of: (line: string) => string): (line: string) => string {
  const known = new Map<string, string>();
  return (line) => {
    const found = known.get(line) ?? of(line);
    known.set(line, found);
    return found;
  };
}
