import { readFenceLine } from "#src/lib/code-fence";
import { type TableRows, readTable } from "./markdown-table";

/** A part of a Markdown text that is shown in one way. Every block takes whole lines. */
export type Block =
  | { readonly type: "code"; readonly tag: string; readonly text: string }
  | { readonly type: "heading"; readonly text: string }
  | { readonly type: "quote"; readonly blocks: readonly Block[] }
  | { readonly type: "table"; readonly rows: TableRows }
  | { readonly type: "rule" }
  /** Lines of text, with what stands before the first: indentation and a bullet, number or box. */
  | { readonly type: "text"; readonly lead: string; readonly text: string };

const HEADING = /^ {0,3}#{1,6}[ \t]+(.*)$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^(?:[ \t]*>)+ ?/;
const ITEM = /^([ \t]*)(?:[-*+]|(\d{1,9}[.)]))[ \t]+(.*)$/;
const BOX = /^\[([ xX])\][ \t]+/;

/** Parts a Markdown text into blocks. Quotations within quotations count as one. */
export function parseBlocks(lines: readonly string[]): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const { block, taken } =
      readCode(lines, at) ?? readQuote(lines, at) ?? readTableBlock(lines, at) ?? readLine(lines, at);
    blocks.push(block);
    at += taken;
  }
  return blocks;
}

interface Reading {
  readonly block: Block;
  /** Lines that the block takes. */
  readonly taken: number;
}

function readCode(lines: readonly string[], at: number): Reading | undefined {
  const opened = readFenceLine(lines[at] ?? "", undefined).fence;
  if (opened === undefined || opened.quote !== "") return undefined;
  const closing = lines.findIndex((line, index) => index > at && readFenceLine(line, opened).fence === undefined);
  const end = closing === -1 ? lines.length : closing;
  const margin = new RegExp(`^[ \\t]{0,${(lines[at] ?? "").indexOf(opened.mark)}}`);
  const text = lines
    .slice(at + 1, end)
    .map((line) => line.replace(margin, ""))
    .join("\n");
  return { block: { type: "code", tag: opened.tag, text }, taken: end + 1 - at };
}

function readQuote(lines: readonly string[], at: number): Reading | undefined {
  if (!QUOTE.test(lines[at] ?? "")) return undefined;
  const after = lines.findIndex((line, index) => index > at && !QUOTE.test(line));
  const end = after === -1 ? lines.length : after;
  const quoted = lines.slice(at, end).map((line) => line.replace(QUOTE, ""));
  return { block: { type: "quote", blocks: parseBlocks(quoted) }, taken: end - at };
}

function readTableBlock(lines: readonly string[], at: number): Reading | undefined {
  const table = readTable(lines, at);
  return table === undefined ? undefined : { block: { type: "table", rows: table.rows }, taken: table.taken };
}

function readLine(lines: readonly string[], at: number): Reading {
  const line = (lines[at] ?? "").trimEnd();
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined)
    return { block: { type: "heading", text: heading.replace(/(?:^|[ \t])#+$/, "").trim() }, taken: 1 };
  if (RULE.test(line)) return { block: { type: "rule" }, taken: 1 };
  const { lead, rest } = readLead(line);
  // marks may stand around several lines, so lines that go on are read with the first
  const ends = lines.findIndex((_, index) => index > at && (line === "" || !isPlainLine(lines, index)));
  const end = ends === -1 ? lines.length : ends;
  const more = lines.slice(at + 1, end).map((next) => next.trimEnd());
  return { block: { type: "text", lead, text: [rest, ...more].join("\n") }, taken: end - at };
}

function readLead(line: string): { readonly lead: string; readonly rest: string } {
  const [, indent = "", number, item] = ITEM.exec(line) ?? [];
  if (item === undefined) return { lead: "", rest: line };
  const box = BOX.exec(item);
  if (box !== null) return { lead: `${indent}${box[1] === " " ? "☐" : "☑"} `, rest: item.slice(box[0].length) };
  return { lead: `${indent}${number ?? "•"} `, rest: item };
}

function isPlainLine(lines: readonly string[], at: number): boolean {
  const line = lines[at] ?? "";
  const isOther = line.trim() === "" || HEADING.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);
  return !isOther && !readFenceLine(line, undefined).isMark && readTable(lines, at) === undefined;
}
