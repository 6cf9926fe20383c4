// A small, forgiving subset of markdown that only ever makes elements and text nodes.
import { el } from "../shared/elements";
import { copyButton } from "./copy-button";
import { MAX_NESTING, addInline } from "./markdown-inline";

const FENCE = /^ {0,3}(`{3,}|~{3,})\s*([^`]*)$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;
const RULE = /^ {0,3}([-*_])(?: *\1){2,} *$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( *)([-*+]|\d{1,9}[.)])[ \t]+(\S.*)$/;

/** A run of lines that is read block by block. */
type Lines = readonly string[];

/** Reads a text as markdown; what is no mark stays text. */
export function markdown(source: string): DocumentFragment {
  const body = document.createDocumentFragment();
  addBlocks(source.replaceAll("\r\n", "\n").split("\n"), body, 0);
  return body;
}

/** Adds what the lines are, one block after the other; each reader tells where the next one begins. */
function addBlocks(lines: Lines, parent: ParentNode, depth: number): void {
  let at = 0;
  while (at < lines.length) at = isBlank(lines[at]) ? at + 1 : addBlock(lines, at, parent, depth);
}

function addBlock(lines: Lines, at: number, parent: ParentNode, depth: number): number {
  const line = lines[at] ?? "";
  const isDeep = depth >= MAX_NESTING;
  const fence = FENCE.exec(line);
  if (fence !== null) return addCode(lines, at, parent, fence);
  if (RULE.test(line)) {
    parent.append(el("hr"));
    return at + 1;
  }
  const heading = HEADING.exec(line);
  if (heading !== null) return addHeading(at, parent, heading);
  if (!isDeep && QUOTE.test(line)) return addQuote(lines, at, parent, depth);
  const item = ITEM.exec(line);
  if (!isDeep && item !== null) return addList(lines, at, parent, { depth, first: item });
  return isTable(lines, at) ? addTable(lines, at, parent) : addParagraph(lines, at, parent);
}

function addCode(lines: Lines, start: number, parent: ParentNode, [, mark = "", language = ""]: Lines): number {
  const closes = (line: string): boolean =>
    line.trim().startsWith(mark) && line.trim().replaceAll(mark.charAt(0), "") === "";
  const end = endOf(lines, start + 1, (line) => !closes(line));
  parent.append(codeBlock(lines.slice(start + 1, end).join("\n"), language.trim()));
  return end + 1;
}

function codeBlock(content: string, language: string): HTMLElement {
  return el(
    "div",
    { class: language === "" ? "code bare" : "code" },
    el("div", {}, el("span", {}, language), copyButton(content, "Copy code")),
    el("pre", { tabindex: "0", "aria-label": "Code" }, el("code", {}, content)),
  );
}

function addHeading(at: number, parent: ParentNode, [, marks = "", words = ""]: Lines): number {
  // the page's own headings are levels one and two
  const [tag = "h6"] = (["h3", "h4", "h5", "h6"] as const).slice(marks.length - 1);
  const heading = el(tag);
  addInline(words.trimEnd(), heading);
  parent.append(heading);
  return at + 1;
}

function addQuote(lines: Lines, start: number, parent: ParentNode, depth: number): number {
  const end = endOf(lines, start, (line) => QUOTE.test(line));
  const quote = el("blockquote");
  const inner = lines.slice(start, end).map((line) => line.replace(QUOTE, ""));
  addBlocks(inner, quote, depth + 1);
  parent.append(quote);
  return end;
}

interface ListStart {
  readonly depth: number;
  /** The first item, as {@link ITEM} finds it. */
  readonly first: Lines;
}

/** A list goes on over blank lines when what follows is indented or another item of it. */
function addList(lines: Lines, start: number, parent: ParentNode, { depth, first }: ListStart): number {
  const [, indent = "", mark = ""] = first;
  const isOrdered = mark.length > 1;
  const attributes = isOrdered && mark !== "1." ? { start: String(Number.parseInt(mark, 10)) } : {};
  const list = el(isOrdered ? "ol" : "ul", attributes);
  let at = start;
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const [, itemIndent = "", itemMark, words = ""] = ITEM.exec(line) ?? [];
    const isOurs = itemIndent.length <= indent.length + 1 && (itemMark ?? "").length > 1 === isOrdered;
    if (itemMark === undefined || !isOurs || RULE.test(line)) break;
    const minIndent = itemIndent.length + 2;
    const inner = [words];
    for (at += 1; at < lines.length && belongs(lines, at, minIndent); at += 1) {
      const part = lines[at] ?? "";
      inner.push(part.slice(Math.min(indentOf(part), minIndent)));
    }
    list.append(listItem(inner, depth));
    while (lines[at]?.trim() === "" && ITEM.test(lines[at + 1] ?? "")) at += 1;
  }
  parent.append(list);
  return at;
}

function listItem([head = "", ...tail]: Lines, depth: number): HTMLElement {
  const item = el("li");
  const [, box, rest = ""] = /^\[([ xX])\] (.*)$/.exec(head) ?? [];
  if (box !== undefined) item.append(box === " " ? "☐ " : "☑ ");
  const lines = [box === undefined ? head : rest, ...tail];
  const found = lines.findIndex((line, i) => i > 0 && (isBlank(line) || startsBlock(line)));
  const first = found === -1 ? lines.length : found;
  addInline(lines.slice(0, first).join("\n"), item);
  addBlocks(lines.slice(first), item, depth + 1);
  return item;
}

/** Whether a line is still of the item above it. */
function belongs(lines: Lines, at: number, minIndent: number): boolean {
  const line = lines[at] ?? "";
  const next = lines[at + 1] ?? "";
  if (isBlank(line)) return indentOf(next) >= minIndent && !isBlank(next);
  return indentOf(line) >= minIndent || !(startsBlock(line) || isBlank(lines[at - 1]));
}

function isTable(lines: Lines, at: number): boolean {
  const head = lines[at] ?? "";
  const below = lines[at + 1] ?? "";
  if (!head.includes("|") || !below.includes("-")) return false;
  const marks = cellsOf(below);
  return marks.length === cellsOf(head).length && marks.every((mark) => /^:?-+:?$/.test(mark));
}

function addTable(lines: Lines, start: number, parent: ParentNode): number {
  const sides = cellsOf(lines[start + 1] ?? "").map(sideOf);
  const row = (line: string, tag: "th" | "td"): HTMLElement => {
    const cells = cellsOf(line);
    const made = sides.map((side, i) => {
      const cell = el(tag, { class: side, scope: tag === "th" ? "col" : undefined });
      addInline(cells[i] ?? "", cell);
      return cell;
    });
    return el("tr", {}, ...made);
  };
  const end = endOf(lines, start + 2, (line) => line.includes("|"));
  const body = el("tbody", {}, ...lines.slice(start + 2, end).map((line) => row(line, "td")));
  const table = el("table", {}, el("thead", {}, row(lines[start] ?? "", "th")), body);
  parent.append(el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" }, table));
  return end;
}

/** Where a column's text stands, by the colons of its mark. */
function sideOf(mark: string): string | undefined {
  if (!mark.endsWith(":")) return undefined;
  return mark.startsWith(":") ? "center" : "right";
}

function cellsOf(line: string): Lines {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll("\\|", "|"));
}

function addParagraph(lines: Lines, start: number, parent: ParentNode): number {
  const end = endOf(lines, start + 1, (line, at) => !isBlank(line) && !startsBlock(line) && !isTable(lines, at));
  const paragraph = el("p");
  addInline(lines.slice(start, end).join("\n"), paragraph);
  parent.append(paragraph);
  return end;
}

/** The first line from there on that is not of the kind. */
function endOf(lines: Lines, from: number, isOfKind: (line: string, at: number) => boolean): number {
  let end = from;
  while (end < lines.length && isOfKind(lines[end] ?? "", end)) end += 1;
  return end;
}

function startsBlock(line: string): boolean {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((mark) => mark.test(line));
}

function isBlank(line: string | undefined): boolean {
  return line === undefined || line.trim() === "";
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
