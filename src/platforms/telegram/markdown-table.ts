import { parseInline } from "./markdown-inline";

/** Cells of a table, the heading first; every row is as long as the heading. */
export type TableRows = readonly (readonly string[])[];

/** Blanks, in cells of a monospaced font, that a character takes twice as much of. */
const WIDE =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|[\u{20000}-\u{3FFFD}]/u;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Reads the table that begins at a line, if one does: a heading, a line of dashes, rows. */
export function readTable(
  lines: readonly string[],
  at: number,
): { readonly rows: TableRows; readonly taken: number } | undefined {
  const dashes = cellsOf(lines[at + 1] ?? "");
  const isTable = (lines[at] ?? "").includes("|") && dashes.length > 0 && dashes.every((cell) => /^:?-+:?$/.test(cell));
  if (!isTable) return undefined;
  const heading = cellsOf(lines[at] ?? "");
  if (heading.length !== dashes.length) return undefined;
  const after = lines.findIndex((line, index) => index > at + 1 && !line.includes("|"));
  const end = after === -1 ? lines.length : after;
  const rows = lines.slice(at + 2, end).map((line) => cellsOf(line));
  return {
    rows: [heading, ...rows].map((row) => heading.map((_, column) => wordsOf(row[column] ?? ""))),
    taken: end - at,
  };
}

/** The table as text for a monospaced font, its columns aligned. */
export function formatTable(rows: TableRows): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => widthOf(row[column] ?? ""))));
  const written = rows.map((row) =>
    row
      .map((cell, column) => pad(cell, widths[column] ?? 0))
      .join(" | ")
      .trimEnd(),
  );
  const line = widths.map((width) => "-".repeat(width)).join("-+-");
  return [written[0], line, ...written.slice(1)].join("\n");
}

function cellsOf(line: string): readonly string[] {
  if (!line.includes("|")) return [];
  const inner = line
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim());
}

/** What a cell says, without marks: a code block shows none. */
function wordsOf(cell: string): string {
  const unbroken = cell.replaceAll("\\|", "|").replaceAll(/<br\s*\/?>/gi, " ");
  return parseInline(unbroken)
    .map(({ text }) => text)
    .join("");
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - widthOf(cell)));
}

function widthOf(cell: string): number {
  return Array.from(segmenter.segment(cell), ({ segment }) => (WIDE.test(segment) ? 2 : 1)).reduce<number>(
    (sum, width) => sum + width,
    0,
  );
}
