/** A stretch of text with one look. Code has no other look beside it. */
export interface Run {
  readonly text: string;
  readonly strong?: boolean;
  readonly em?: boolean;
  readonly strike?: boolean;
  readonly code?: boolean;
  readonly url?: string;
}

type Look = Omit<Run, "text">;

/** Something that was opened and not closed yet, with the runs since. */
interface Frame {
  readonly char: string;
  readonly count: number;
  readonly runs: Run[];
}

const PLAIN = /[^\\`![<*_~h]+/y;
const ESCAPE = /\\([!-/:-@[-`{-~\n])/y;
const CODE_MARK = /`+/y;
const LINK =
  /!?\[((?:[^[\]\\]|\\[\s\S]|\[[^[\]]*\])*)\]\(\s*(<[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)/y;
const BRACKETED_ADDRESS = /<((?:https?:\/\/|mailto:)[^\s<>]+)>/y;
const ADDRESS = /https?:\/\/[^\s<>"'`*|\\)\]]+/y;
const DELIMITER = /\*+|_+|~+/y;
const WORD = /[\p{L}\p{N}]/u;
/** What Telegram takes as the target of a link; others are written out. */
const LINK_TARGET = /^(?:https?:\/\/|tg:\/\/|mailto:|tel:)[^\s]+$/i;

/**
 * Reads bold, italic, struck out text, code and links of ordinary Markdown. What is not closed stays as it was typed.
 * Within `plainLabels` no links are read, for links do not hold links.
 */
export function parseInline(text: string, plainLabels = false): readonly Run[] {
  const root: Frame = { char: "", count: 0, runs: [] };
  const stack = [root];
  let at = 0;
  while (at < text.length) {
    const piece = readPiece(text, at, plainLabels);
    if (piece.delimiter === undefined) stack.at(-1)?.runs.push(...piece.runs);
    else applyDelimiter(stack, piece.delimiter, text[at - 1], text[piece.end]);
    at = piece.end;
  }
  while (stack.length > 1) dropTop(stack);
  return merge(root.runs);
}

interface Piece {
  readonly runs: readonly Run[];
  readonly delimiter?: string;
  readonly end: number;
}

function readPiece(text: string, at: number, plainLabels: boolean): Piece {
  const plain = matchAt(PLAIN, text, at);
  if (plain !== undefined) return { runs: [{ text: plain[0] }], end: at + plain[0].length };
  const escape = matchAt(ESCAPE, text, at);
  if (escape !== undefined) return { runs: [{ text: escape[1] ?? "" }], end: at + 2 };
  const delimiter = matchAt(DELIMITER, text, at);
  if (delimiter !== undefined) return { runs: [], delimiter: delimiter[0], end: at + delimiter[0].length };
  return (
    readCode(text, at) ?? (plainLabels ? undefined : readLink(text, at)) ?? readAddress(text, at) ?? literal(text, at)
  );
}

function literal(text: string, at: number): Piece {
  const mark = matchAt(CODE_MARK, text, at)?.[0] ?? text[at] ?? "";
  return { runs: [{ text: mark }], end: at + mark.length };
}

function readCode(text: string, at: number): Piece | undefined {
  const mark = matchAt(CODE_MARK, text, at)?.[0];
  if (mark === undefined) return undefined;
  let end = text.indexOf(mark, at + mark.length);
  // a longer run does not close a shorter one
  while (end !== -1 && (text[end + mark.length] === "`" || text[end - 1] === "`")) {
    end = text.indexOf(mark, end + 1);
  }
  if (end === -1) return undefined;
  const inner = text.slice(at + mark.length, end).replaceAll("\n", " ");
  const isPadded = inner.startsWith(" ") && inner.endsWith(" ") && inner.trim() !== "";
  return { runs: [{ text: isPadded ? inner.slice(1, -1) : inner, code: true }], end: end + mark.length };
}

function readLink(text: string, at: number): Piece | undefined {
  const [whole, label = "", target = ""] = matchAt(LINK, text, at) ?? [];
  if (whole === undefined) return undefined;
  const url = target.replace(/^<(.*)>$/, "$1");
  const words = parseInline(label, true);
  const shown = words.length === 0 ? [{ text: url }] : words;
  const isTarget = LINK_TARGET.test(url);
  // code cannot be a link, and a target that is none is written behind its words
  const runs = isTarget
    ? shown.map((run) => (run.code === true ? run : { ...run, url }))
    : [...shown, { text: ` (${url})` }];
  return { runs: url === "" ? shown : runs, end: at + whole.length };
}

function readAddress(text: string, at: number): Piece | undefined {
  const [whole, address] = matchAt(BRACKETED_ADDRESS, text, at) ?? matchAt(ADDRESS, text, at) ?? [];
  return whole === undefined ? undefined : { runs: [{ text: address ?? whole }], end: at + whole.length };
}

/** Closes what a run of `*`, `_` or `~` closes, and opens with the rest of it. */
function applyDelimiter(stack: Frame[], run: string, before: string | undefined, after: string | undefined): void {
  const [char = ""] = run;
  // an underscore within a word is one
  const isInWord = (beside: string | undefined): boolean => char === "_" && beside !== undefined && WORD.test(beside);
  const canClose = before !== undefined && !/\s/.test(before) && !isInWord(after);
  const canOpen = after !== undefined && !/\s/.test(after) && !isInWord(before);
  const least = char === "~" ? 2 : 1;
  let left = run.length;
  while (left >= least) {
    if (!canClose) break;
    const opener = stack.findLastIndex((frame) => frame.char === char && frame.count >= least);
    if (opener === -1) break;
    while (stack.length - 1 > opener) dropTop(stack);
    left -= closeTop(stack, left);
  }
  if (left >= least && canOpen) stack.push({ char, count: left, runs: [] });
  else stack.at(-1)?.runs.push({ text: char.repeat(left) });
}

/** Gives what was opened last its look, by two marks or by one; says by how many. */
function closeTop(stack: Frame[], left: number): number {
  const top = stack.pop();
  if (top === undefined) return left;
  const used = Math.min(left, top.count) >= 2 ? 2 : 1;
  const look: Look = top.char === "~" ? { strike: true } : used === 2 ? { strong: true } : { em: true };
  const runs = top.runs.map((run) => (run.code === true ? run : { ...run, ...look }));
  if (top.count > used) stack.push({ char: top.char, count: top.count - used, runs });
  else stack.at(-1)?.runs.push(...runs);
  return used;
}

/** What was opened and never closed is text. */
function dropTop(stack: Frame[]): void {
  const top = stack.pop();
  if (top !== undefined) stack.at(-1)?.runs.push({ text: top.char.repeat(top.count) }, ...top.runs);
}

/** Runs of one look that stand side by side become one: Telegram would read `_a__b_` as something else. */
function merge(runs: readonly Run[]): readonly Run[] {
  const merged: Run[] = [];
  for (const run of runs) {
    const last = merged.at(-1);
    if (run.text === "") continue;
    if (last !== undefined && hasSameLook(last, run))
      merged[merged.length - 1] = { ...last, text: last.text + run.text };
    else merged.push(run);
  }
  return merged;
}

function hasSameLook(a: Run, b: Run): boolean {
  const names = ["strong", "em", "strike", "code"] as const;
  return a.url === b.url && names.every((name) => (a[name] ?? false) === (b[name] ?? false));
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}
