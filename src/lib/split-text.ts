import { type CodeFence, closingLine, openingLine, readFenceLine } from "./code-fence";

/** What a platform counts when it limits a text. */
export type TextUnit = "utf16" | "codepoint" | "byte";

export interface SplitOptions {
  /** Longest piece in `unit`, its counter and fences included. */
  readonly limit: number;
  readonly unit: TextUnit;
}

/** Units that a character takes, by its code point. */
const WIDTH: Record<TextUnit, (codePoint: number) => number> = {
  utf16: (codePoint) => (codePoint > 0xffff ? 2 : 1),
  codepoint: () => 1,
  byte: (codePoint) => (codePoint < 0x80 ? 1 : codePoint < 0x800 ? 2 : codePoint < 0x10000 ? 3 : 4),
};
const BLANK = /[ \t\r\n]/;
const FENCE_MARK = /[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?:`{3}|~{3})/y;
/** What reads badly in two pieces: code spans, links, addresses. At the start of a line half a span opens a fence. */
const SPANS = /^[ \t>]*`{3,}[^`\n]+`+|(?<!`)(`+)(?!`)[^`\n]+\1(?!`)|!?\[[^[\]\n]*\]\([^()\s]*\)|https?:\/\/[^\s()]+/g;
const LONG_CODE_SPAN = /(?<!`)(`{3,})([^`\n]+)\1(?!`)/g;

/** How far a cut moves back so that marks within a line do not begin the next piece, where they would open a fence. */
const MAX_STEPS_BACK = 64;

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/**
 * Splits a Markdown text into messages of at most `limit`, each ending in its place ` (i/n)`. Cuts fall at a newline,
 * else at a blank, else between characters as people see them; a code fence is closed and opened again around a cut,
 * and only blanks are lost. Where the limit leaves no room, counters go first, then fences; a single character is
 * never cut, even when it alone is over the limit.
 *
 * @throws RangeError when the limit is not at least 1
 */
export function splitText(text: string, { limit, unit }: SplitOptions): string[] {
  if (!(limit >= 1)) throw new RangeError(`a text cannot be split into pieces of ${limit}`);
  const width = WIDTH[unit];
  if (reach(text, 0, limit, width) === text.length) return [text];
  const body = text.replace(/^(?:[ \t]*\r?\n)+/, "").trimEnd();
  if (reach(body, 0, limit, width) === body.length) return [body];
  const loose = unfoldMarks(body, (part) => measure(part, width) * 2 > limit);
  return (
    withCounters(loose, limit, width) ??
    cutAll({ text: loose, width, room: limit, beforeCounter: 0, fences: true }) ??
    cutAll({ text: body, width, room: limit, beforeCounter: 0, fences: false }) ?? [body]
  );
}

type Width = (codePoint: number) => number;

interface Cutting {
  readonly text: string;
  readonly width: Width;
  /** Units for a piece, without its counter. */
  readonly room: number;
  /** Units of the newline that keeps a counter off a closing fence. */
  readonly beforeCounter: number;
  /** Whether code fences are kept whole. */
  readonly fences: boolean;
}

/** Where a piece begins. */
interface Start {
  readonly at: number;
  readonly fence: CodeFence | undefined;
  readonly isMidLine: boolean;
}

/** Where a piece ends, and the fence that is open there. */
interface End {
  readonly at: number;
  readonly fence: CodeFence | undefined;
}

function withCounters(text: string, limit: number, width: Width): string[] | undefined {
  for (let digits = String(Math.ceil(text.length / limit)).length; ; digits++) {
    const reserved = " (/)".length + 2 * digits;
    if (reserved * 2 > limit) return undefined;
    const pieces = cutAll({ text, width, room: limit - reserved, beforeCounter: 1, fences: true });
    if (pieces === undefined || pieces.length === 1) return pieces;
    if (String(pieces.length).length > digits) continue;
    return pieces.map((piece, index) => {
      const counter = ` (${index + 1}/${pieces.length})`;
      // room for the newline was kept behind fences, but not behind a long run of their marks within a line
      const isApart = endsInMark(piece) && measure(piece + counter, width) < limit;
      return `${piece}${isApart ? "\n" : ""}${counter}`;
    });
  }
}

/** Pieces of the whole text, or undefined when the room cannot hold its fences. */
function cutAll(cutting: Cutting): string[] | undefined {
  const { text, width, room } = cutting;
  const nextNewline = newlineFinder(text);
  const pieces: string[] = [];
  let start: Start = { at: 0, fence: undefined, isMidLine: false };
  while (start.at < text.length) {
    const head = headOf(start);
    const end = findEnd(cutting, start, room - measure(head, width), nextNewline);
    if (end === undefined) return undefined;
    const content = text.slice(start.at, end.at);
    const piece =
      end.fence === undefined
        ? head + content.replace(/[ \t\r\n]+$/, "")
        : `${head}${content}\n${closingLine(end.fence)}`;
    if (piece.trim() !== "") pieces.push(piece);
    start = startAfter(text, end);
  }
  return pieces.length === 0 ? undefined : pieces;
}

function headOf({ fence, isMidLine }: Start): string {
  return fence === undefined ? "" : `${openingLine(fence)}\n${isMidLine ? fence.quote : ""}`;
}

/** The end of the piece that begins at `start` and has `room` units for text and closing fence. */
function findEnd(cutting: Cutting, start: Start, room: number, nextNewline: (from: number) => number): End | undefined {
  const { text, width, fences } = cutting;
  const closeCost = (fence: CodeFence): number => 1 + measure(closingLine(fence), width) + cutting.beforeCounter;
  let fence = start.fence;
  let lineStart = start.at;
  let used = 0;
  let best: End | undefined;
  for (;;) {
    const lineEnd = nextNewline(lineStart);
    const isContinued = start.isMidLine && lineStart === start.at;
    // a line far over the room is not worth reading whole: a fence line that long was unfolded before
    const isWhole = lineEnd - lineStart <= 2 * cutting.room;
    const line = text.slice(lineStart, isWhole ? lineEnd : lineStart + 2 * cutting.room);
    const after = !fences || isContinued ? { fence, isMark: false } : readFenceLine(line, fence);
    const lineUnits = isWhole ? measure(line, width) : Infinity;
    const cost = after.fence === undefined ? (after.isMark ? cutting.beforeCounter : 0) : closeCost(after.fence);
    if (used + lineUnits + cost > room) {
      if (after.isMark) return best;
      const roomInLine = room - (fence === undefined ? 0 : closeCost(fence));
      return endInLine(cutting, { start, fence, lineStart, lineEnd, room: roomInLine }, best);
    }
    if (lineEnd === text.length) return { at: lineEnd, fence: after.fence };
    const opens = after.isMark && after.fence !== undefined;
    if (!opens) best = { at: lineEnd, fence: after.fence };
    fence = after.fence;
    used += lineUnits + 1;
    lineStart = lineEnd + 1;
  }
}

interface Line {
  readonly start: Start;
  readonly fence: CodeFence | undefined;
  readonly lineStart: number;
  readonly lineEnd: number;
  /** Units from the start of the piece. */
  readonly room: number;
}

/** Chooses between the last newline and a place within the line that does not fit any more. */
function endInLine(cutting: Cutting, line: Line, best: End | undefined): End | undefined {
  const { text, width } = cutting;
  const { start, fence } = line;
  const max = line.room < 1 ? start.at : reach(text, start.at, line.room, width);
  const isLate = (at: number): boolean => (at - start.at) * 2 >= max - start.at;
  if (best !== undefined && (isLate(best.at) || max <= line.lineStart)) return best;
  if (max <= line.lineStart && (fence !== undefined || line.lineStart > start.at)) return undefined;
  const spans = fence === undefined ? spansOf(cutting, line, max) : [];
  const soft = lastBlank(text, line, max, spans);
  if (soft !== undefined && isLate(soft)) return { at: soft, fence };
  const early = soft === undefined ? best : { at: soft, fence };
  if (early !== undefined && wordFits(cutting, early.at, max)) return early;
  const at = hardCut(text, line, max, spans);
  // a character that only the counters leave no room for is worth more than they are
  if (cutting.beforeCounter > 0 && !isBoundary(text, start.at, at)) return undefined;
  return { at, fence };
}

/** The last place in the line where a blank parts the text. */
function lastBlank(
  text: string,
  { start, fence, lineStart }: Line,
  max: number,
  spans: readonly Span[],
): number | undefined {
  let first = Math.max(lineStart, start.at);
  while (first < max && BLANK.test(text[first] ?? "")) first++;
  // code keeps its blanks: there the cut falls behind one, elsewhere before it
  const behind = fence === undefined ? 0 : 1;
  for (let at = max; at > first; at--) {
    const blank = at - behind;
    if (!BLANK.test(text[blank] ?? "") || spanAround(spans, at) !== undefined) continue;
    if (!opensFence(text, at) && isBoundary(text, blank, blank + 1)) return at;
  }
  return undefined;
}

/** A place between two characters, when no blank will do. */
function hardCut(text: string, { start }: Line, max: number, spans: readonly Span[]): number {
  const span = spanAround(spans, max);
  const wanted = span === undefined || span.start === start.at ? max : span.start;
  const places = Array.from({ length: MAX_STEPS_BACK }, (_, steps) => wanted - steps);
  const at = places.find((place) => place > start.at && !opensFence(text, place)) ?? wanted;
  const boundary = clusterStart(text, start.at, at);
  if (boundary > start.at) return boundary;
  // a character as people see it that alone is too long is cut between code points, and those never
  return Math.max(max, start.at + ((text.codePointAt(start.at) ?? 0) > 0xffff ? 2 : 1));
}

/** Whether what stands unbroken after an early cut fits the next piece. */
function wordFits({ text, width, room }: Cutting, from: number, max: number): boolean {
  let end = max;
  while (end < text.length && end - from <= room && !BLANK.test(text[end] ?? "")) end++;
  return measure(text.slice(from, end).trim(), width) <= room;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

function spansOf({ text, width, room }: Cutting, { lineStart, lineEnd, start }: Line, max: number): Span[] {
  const from = Math.max(lineStart, start.at);
  const window = text.slice(from, Math.min(lineEnd, max + room));
  return Array.from(window.matchAll(SPANS))
    .filter(([span]) => measure(span, width) <= room)
    .map((match) => ({ start: from + match.index, end: from + match.index + match[0].length }));
}

function spanAround(spans: readonly Span[], at: number): Span | undefined {
  return spans.find((span) => span.start < at && at < span.end);
}

/** Where the text goes on after a cut: blanks are dropped, but not the indentation of the next line. */
function startAfter(text: string, end: End): Start {
  if (end.fence !== undefined) return startInFence(text, end.at, end.fence);
  let at = end.at;
  let afterNewline = -1;
  while (at < text.length && BLANK.test(text[at] ?? "")) {
    at += 1;
    if (text[at - 1] === "\n") afterNewline = at;
  }
  if (at === text.length) return { at, fence: undefined, isMidLine: false };
  return afterNewline === -1
    ? { at, fence: undefined, isMidLine: true }
    : { at: afterNewline, fence: undefined, isMidLine: false };
}

function startInFence(text: string, cut: number, fence: CodeFence): Start {
  if (text[cut] !== "\n") return { at: cut, fence: cut === text.length ? undefined : fence, isMidLine: true };
  const at = cut + 1;
  const newline = text.indexOf("\n", at);
  const lineEnd = newline === -1 ? text.length : newline;
  const next = readFenceLine(text.slice(at, lineEnd), fence);
  if (next.fence === fence) return { at, fence, isMidLine: false };
  // the fence was closed at the cut already: its own closing line would open another one
  const isClosing = next.isMark && next.fence === undefined;
  return startAfter(text, { at: isClosing ? lineEnd : cut, fence: undefined });
}

/**
 * Says in lines of its own what a cut could otherwise fall into or overlook: code between triple backticks on one line,
 * text behind an opening fence, and the end of a fence that ends with its quotation.
 */
function unfoldMarks(text: string, isLong: (part: string) => boolean): string {
  if (!text.includes("```") && !text.includes("~~~")) return text;
  let fence: CodeFence | undefined;
  return text
    .split("\n")
    .map((line) => {
      const before = fence;
      const after = readFenceLine(line, before);
      fence = after.fence;
      const isQuoteOver = before !== undefined && fence !== before && !(after.isMark && fence === undefined);
      const ending = isQuoteOver ? `${closingLine(before)}\n` : "";
      if ((before !== undefined && !isQuoteOver) || !isLong(line)) return ending + line;
      if (fence === undefined) return ending + unfoldCodeSpans(line, isLong);
      fence = { ...fence, tag: "" };
      const markEnd = line.indexOf(fence.mark) + fence.mark.length;
      return `${ending}${line.slice(0, markEnd)}\n${fence.quote}${line.slice(markEnd).trim()}`;
    })
    .join("\n");
}

function unfoldCodeSpans(line: string, isLong: (part: string) => boolean): string {
  return line.replaceAll(LONG_CODE_SPAN, (span: string, mark: string, code: string, index: number) => {
    if (!isLong(span)) return span;
    const before = line.slice(0, index).trim() === "" ? "" : "\n";
    const after = line.slice(index + span.length).trim() === "" ? "" : "\n";
    return `${before}${mark}\n${code}\n${mark}${after}`;
  });
}

function endsInMark(piece: string): boolean {
  return (
    /(?:`{3}|~{3})[ \t]*$/.test(piece.slice(-64)) &&
    /^[ \t>]*[`~]+[ \t]*$/.test(piece.slice(piece.lastIndexOf("\n") + 1))
  );
}

function opensFence(text: string, at: number): boolean {
  FENCE_MARK.lastIndex = at;
  return FENCE_MARK.test(text);
}

/** Looks newlines up in a text that is read forwards, so that one long line is searched once. */
function newlineFinder(text: string): (from: number) => number {
  let found = -1;
  let searchedFrom = 0;
  return (from) => {
    if (from < searchedFrom || found < from) {
      const newline = text.indexOf("\n", from);
      found = newline === -1 ? text.length : newline;
    }
    searchedFrom = from;
    return found;
  };
}

function measure(text: string, width: Width): number {
  let units = 0;
  for (let at = 0; at < text.length; at++) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) at += 1;
    units += width(codePoint);
  }
  return units;
}

/** The furthest index whose text, from `from` on, takes at most `room` units. */
function reach(text: string, from: number, room: number, width: Width): number {
  let left = room;
  let at = from;
  while (at < text.length) {
    const codePoint = text.codePointAt(at) ?? 0;
    left -= width(codePoint);
    if (left < 0) return at;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return at;
}

function isBoundary(text: string, from: number, at: number): boolean {
  return clusterStart(text, from, at) === at;
}

/** Start of the character, as people see it, that holds `at`; `from` is the start of one before it. */
function clusterStart(text: string, from: number, at: number): number {
  if (at <= from || at >= text.length) return at;
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  // below U+0300 nothing joins but a carriage return and its newline
  if (before < 0x300 && after < 0x300 && after !== 0x0a) return at;
  const segment = segmenter.segment(text.slice(from, at + 2)).containing(at - from);
  return segment === undefined ? at : from + segment.index;
}
