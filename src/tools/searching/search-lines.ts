/** Characters of a line that are searched and kept. */
const MAX_LINE_CHARS = 2000;
/** Characters of a line that are shown. */
const SHOWN_LINE_CHARS = 500;

/** The lines of one file that match: each with its number and, around it, the lines that were asked for. */
export interface FileMatches {
  readonly path: string;
  readonly lines: readonly string[];
  /** Indexes into `lines`. */
  readonly hits: readonly number[];
}

/** Looks for a pattern in a text, line by line. */
export function searchLines(path: string, text: string, matches: (line: string) => boolean): FileMatches {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, "").slice(0, MAX_LINE_CHARS));
  if (lines.at(-1) === "") lines.pop();
  const hits = lines.flatMap((line, index) => (matches(line) ? [index] : []));
  return { path, lines, hits };
}

/** Matches as they are shown: `path:12:text`, context as `path-11-text`, `--` where lines are left out. */
export function renderMatches({ path, lines, hits }: FileMatches, context: number): string[] {
  const isHit = new Set(hits);
  const wanted = new Set(hits.flatMap((hit) => Array.from({ length: 2 * context + 1 }, (_, i) => hit - context + i)));
  const indexes = Array.from(wanted)
    .filter((index) => index >= 0 && index < lines.length)
    .sort((a, b) => a - b);
  return indexes.flatMap((index, i) => {
    const previous = indexes[i - 1];
    const gap = context > 0 && previous !== undefined && previous !== index - 1 ? ["--"] : [];
    const mark = isHit.has(index) ? ":" : "-";
    return [...gap, `${path}${mark}${index + 1}${mark}${shown(lines[index] ?? "")}`];
  });
}

function shown(line: string): string {
  return line.length > SHOWN_LINE_CHARS ? `${line.slice(0, SHOWN_LINE_CHARS).toWellFormed()}…` : line;
}
