import { el } from "../shared/elements";

/** Marks inside of marks; what is nested deeper is text. */
export const MAX_NESTING = 8;
const ESCAPABLE = "\\`*_{}[]()#+-.!|~<>";
const LINK_TARGET = /\(\s{0,9}<?((?:[^\s<>()]|\([^\s<>()]*\))*)>?(?:\s{1,9}"[^"]{0,300}")?\s{0,9}\)/y;
const BARE_URL = /https?:\/\/[^\s<>"'`]+/y;

/** The tags that a mark stands for, from the outside in. */
const EMPHASIS: Readonly<Record<string, readonly ("em" | "strong" | "s")[]>> = {
  "*": ["em"],
  "**": ["strong"],
  "***": ["strong", "em"],
  _: ["em"],
  __: ["strong"],
  ___: ["strong", "em"],
  "~~": ["s"],
};

interface Place {
  readonly depth: number;
  readonly isInLink: boolean;
}

interface Scope extends Place {
  /** Marks that have no end in this text. */
  readonly hopeless: Set<string>;
}

/** What begins at a place, and where it ends. */
interface Found {
  readonly node: Node | string;
  readonly end: number;
}

/** Adds the inline marks of one paragraph; a mark without its end is text. */
export function addInline(
  source: string,
  parent: Element,
  { depth, isInLink }: Place = { depth: 0, isInLink: false },
): void {
  const scope: Scope = { depth, isInLink, hopeless: new Set() };
  let plain = "";
  let at = 0;
  while (at < source.length) {
    const found = depth <= MAX_NESTING ? inlineAt(source, at, scope) : undefined;
    const { node, end } = found ?? { node: source.charAt(at), end: at + 1 };
    at = end;
    if (typeof node === "string") plain += node;
    else {
      parent.append(plain, node);
      plain = "";
    }
  }
  parent.append(plain);
}

/** What begins here; undefined for plain text. */
function inlineAt(source: string, at: number, scope: Scope): Found | undefined {
  const mark = source[at];
  const next = source[at + 1] ?? " ";
  if (mark === "\\" && ESCAPABLE.includes(next)) return { node: next, end: at + 2 };
  if (mark === "\n") return { node: el("br"), end: at + 1 };
  if (mark === "`") return codeSpan(source, at, scope);
  if (mark === "*" || mark === "_" || mark === "~") return emphasis(source, at, scope);
  if (scope.isInLink) return undefined;
  if (mark === "[" || (mark === "!" && next === "[")) return link(source, at + (mark === "!" ? 1 : 0), scope);
  if (mark === "h" && !isWord(source[at - 1])) return bareLink(source, at);
  return undefined;
}

function codeSpan(source: string, at: number, { hopeless }: Scope): Found {
  const mark = "`".repeat(Math.min(runLength(source, at), 20));
  const start = at + mark.length;
  let end = hopeless.has(mark) ? -1 : source.indexOf(mark, start);
  while (end !== -1 && source[end + mark.length] === "`") end = source.indexOf(mark, end + runLength(source, end));
  if (end === -1) {
    hopeless.add(mark);
    return { node: mark, end: start };
  }
  const code = source.slice(start, end);
  const isPadded = code.startsWith(" ") && code.endsWith(" ") && code.trim() !== "";
  return { node: el("code", {}, isPadded ? code.slice(1, -1) : code), end: end + mark.length };
}

function emphasis(source: string, at: number, { hopeless, depth, isInLink }: Scope): Found {
  const start = at + runLength(source, at);
  const mark = source.slice(at, start);
  const tags = EMPHASIS[mark] ?? [];
  const asText = { node: mark, end: start };
  const [outer, inner = outer] = tags;
  const opens = /\S/.test(source[start] ?? " ") && !(mark.startsWith("_") && isWord(source[at - 1]));
  if (outer === undefined || inner === undefined || !opens || hopeless.has(mark)) return asText;
  const end = closingMark(source, start, mark);
  if (end === -1) {
    hopeless.add(mark);
    return asText;
  }
  const node = el(inner);
  addInline(source.slice(start, end), node, { depth: depth + 1, isInLink });
  return { node: tags.length > 1 ? el(outer, {}, node) : node, end: end + mark.length };
}

/** Where a run of exactly this mark follows a character that is no blank. */
function closingMark(source: string, from: number, mark: string): number {
  for (let at = source.indexOf(mark, from); at !== -1; at = source.indexOf(mark, at)) {
    const end = at + runLength(source, at);
    const isInWord = mark.startsWith("_") && isWord(source[end]);
    if (end - at === mark.length && /\S/.test(source[at - 1] ?? "") && !isInWord) return at;
    at = end;
  }
  return -1;
}

function link(source: string, open: number, { depth }: Scope): Found | undefined {
  let close = open;
  let level = 0;
  const limit = Math.min(source.length, open + 1000);
  for (; close < limit; close += 1) {
    if (source[close] === "[") level += 1;
    if (source[close] === "]" && --level === 0) break;
  }
  LINK_TARGET.lastIndex = close + 1;
  const found = source[close] === "]" ? LINK_TARGET.exec(source.slice(0, close + 3000)) : null;
  if (found === null) return undefined;
  const [whole, target = ""] = found;
  const end = close + 1 + whole.length;
  const words = source.slice(open + 1, close);
  const anchor = anchorTo(target);
  if (anchor === undefined) return { node: source.slice(open, end), end };
  addInline(words === "" ? target : words, anchor, { depth: depth + 1, isInLink: true });
  return { node: anchor, end };
}

function bareLink(source: string, at: number): Found | undefined {
  BARE_URL.lastIndex = at;
  const found = BARE_URL.exec(source)?.[0].replace(/[.,;:!?*_~'")\]]{1,20}$/, "");
  const anchor = found === undefined ? undefined : anchorTo(found);
  if (found === undefined || anchor === undefined) return undefined;
  anchor.append(found);
  return { node: anchor, end: at + found.length };
}

/** A link that leaves the page in a tab of its own; only to the web. */
function anchorTo(target: string): HTMLAnchorElement | undefined {
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  return el("a", { href: target, target: "_blank", rel: "noopener noreferrer nofollow", title: target });
}

/** How often the character that stands there stands there in a row. */
function runLength(source: string, at: number): number {
  let end = at;
  while (end < source.length && source[end] === source[at]) end += 1;
  return end - at;
}

function isWord(character: string | undefined): boolean {
  return /\w/.test(character ?? " ");
}
