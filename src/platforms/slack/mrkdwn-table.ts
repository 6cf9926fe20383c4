import { plainText } from "./mrkdwn-inline";

/** Longest padded table in characters: beyond it, cells stand side by side without padding. */
const MAX_PADDED_CHARS = 8000;

/** Whether two lines are the head of a Markdown table: cells, and dashes under them. */
export function isTableStart(head: string, under: string): boolean {
  if (!head.includes("|") || !under.includes("-") || !/^[\s|:-]+$/.test(under)) return false;
  return cellsOf(under).every((cell) => /^:?-+:?$/.test(cell)) && cellsOf(under).length === cellsOf(head).length;
}

/** The rows of a table as lines of even columns, for a font in which all characters are as wide. */
export function renderTable(rows: readonly string[]): readonly string[] {
  const cells = rows.map((row) => cellsOf(row).map(plainText));
  const widths = (cells[0] ?? []).map((_, column) => Math.max(...cells.map((row) => widthOf(row[column] ?? ""))));
  const lineWidth = widths.reduce((sum, width) => sum + width + 3, 0);
  const isPadded = lineWidth * rows.length <= MAX_PADDED_CHARS;
  const lines = cells.map((row) =>
    row
      .map((cell, column) => (isPadded ? pad(cell, widths[column] ?? 0) : cell))
      .join(" | ")
      .trimEnd(),
  );
  if (!isPadded) return lines;
  return [lines[0] ?? "", widths.map((width) => "-".repeat(width)).join("-|-"), ...lines.slice(1)];
}

function cellsOf(row: string): readonly string[] {
  const inner = row
    .trim()
    .replace(/^\|/, "")
    .replace(/(?<!\\)\|$/, "");
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function pad(cell: string, width: number): string {
  return cell + " ".repeat(Math.max(0, width - widthOf(cell)));
}

/** Columns that a text takes: those of Chinese, Japanese and Korean are twice as wide. */
function widthOf(text: string): number {
  return Array.from(text).reduce(
    (sum, char) =>
      sum +
      (/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]/.test(char)
        ? 2
        : 1),
    0,
  );
}
