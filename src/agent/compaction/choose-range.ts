import type { Message } from "#src/domain/message";
import type { CompactionLimits } from "./compaction-limits";
import type { ConversationSummary } from "./compaction-state";
import { splitAfter, splitBefore, splitPoints } from "./split-points";

/** A conversation in three parts: what stays at its beginning, what a summary will stand for, what stays at its end. */
export interface CompactionRange {
  readonly head: readonly Message[];
  /** Rows that no summary covers yet. */
  readonly middle: readonly Message[];
  readonly tail: readonly Message[];
  /** Covered rows that stay visible all the same. */
  readonly shown: readonly Message[];
}

export interface RangeInput {
  /** Rows that the model reads, oldest first; those that a summary covers may be among them. */
  readonly rows: readonly Message[];
  readonly earlier?: ConversationSummary;
  readonly limits: CompactionLimits;
  readonly tokensOf: (row: Message) => number;
  /** Turns to keep at the end, instead of what the limits say. */
  readonly keepTurns?: number;
}

/** Rows that stay at the end even when they are large. */
const MIN_TAIL_ROWS = 8;
/** By how much the wished number of rows at the end may exceed their tokens. */
const TAIL_SLACK = 1.5;

/**
 * Chooses what is summarised. The end grows backwards until its tokens are used up; both cuts are moved to where no call
 * is parted from its results. Undefined when nothing is left between beginning and end.
 */
export function chooseRange(input: RangeInput): CompactionRange | undefined {
  const { rows, earlier, limits } = input;
  const points = splitPoints(rows);
  const headEnd =
    earlier === undefined ? headLength(input, points) : rows.filter((row) => row.id < earlier.fromId).length;
  const middleStart = earlier === undefined ? headEnd : indexAfter(rows, earlier.toId);
  const wished = input.keepTurns === undefined ? tailStart(input) : turnsStart(rows, input.keepTurns);
  if (wished <= middleStart) return undefined;
  const before = splitBefore(points, wished);
  // one answer with very many calls may reach back behind the middle: then the cut is made after it
  const cut = before > middleStart ? before : (splitAfter(points, wished) ?? rows.length);
  const isWorth = cut > middleStart && cut < rows.length;
  if (!isWorth) return undefined;
  const withWords = extendToWords(rows, { cut, middleStart, maxTokens: limits.tailTokens / 2 }, input.tokensOf, points);
  const middle = rows.slice(middleStart, withWords);
  const tail = rows.slice(withWords);
  if (middle.length === 0) return undefined;
  return { head: rows.slice(0, headEnd), middle, tail, shown: unheardWords(input.rows, middle, tail, earlier) };
}

/** Rows at the beginning that stay, none of them when they alone would fill the room that the end has. */
function headLength({ rows, limits, tokensOf }: RangeInput, points: readonly boolean[]): number {
  const wished = splitAfter(points, Math.min(limits.protectFirst, rows.length)) ?? 0;
  let tokens = 0;
  const tooFar = rows.slice(0, wished).findIndex((row) => (tokens += tokensOf(row)) > limits.tailTokens);
  return tooFar === -1 ? wished : splitBefore(points, tooFar);
}

function tailStart({ rows, limits, tokensOf }: RangeInput): number {
  let start = rows.length;
  let tokens = 0;
  for (;;) {
    const row = rows[start - 1];
    if (row === undefined) return 0;
    tokens += tokensOf(row);
    const count = rows.length - start;
    const room =
      count < MIN_TAIL_ROWS
        ? Number.POSITIVE_INFINITY
        : limits.tailTokens * (count < limits.protectLast ? TAIL_SLACK : 1);
    if (tokens > room) return start;
    start--;
  }
}

/** Where the last `count` turns begin. */
function turnsStart(rows: readonly Message[], count: number): number {
  const turnIds = [...new Set(rows.map((row) => row.turnId))].slice(-Math.max(1, count));
  const first = rows.findIndex((row) => row.turnId === turnIds[0]);
  return Math.max(0, first);
}

/** Moves the cut back to the person's latest words when they stand just before it. */
function extendToWords(
  rows: readonly Message[],
  range: { readonly cut: number; readonly middleStart: number; readonly maxTokens: number },
  tokensOf: (row: Message) => number,
  points: readonly boolean[],
): number {
  const { cut, middleStart, maxTokens } = range;
  if (rows.slice(cut).some(isSaid)) return cut;
  const words = rows.findLastIndex(isSaid);
  if (words <= middleStart) return cut;
  const tokens = rows.slice(words, cut).reduce((sum, row) => sum + tokensOf(row), 0);
  const place = splitBefore(points, words);
  return tokens <= maxTokens && place > middleStart ? place : cut;
}

/** The person's latest words when the end has none: an agent that works for long must still know what for. */
function unheardWords(
  rows: readonly Message[],
  middle: readonly Message[],
  tail: readonly Message[],
  earlier: ConversationSummary | undefined,
): readonly Message[] {
  if (tail.some(isSaid)) return [];
  const last = middle.findLast(isSaid);
  return last === undefined ? rows.filter((row) => earlier?.shownIds.includes(row.id) === true) : [last];
}

/** Whether a row holds what a person said to the model. */
export function isSaid(row: Message): boolean {
  return row.role === "user" && (row.kind === "chat" || row.kind === "steer");
}

function indexAfter(rows: readonly Message[], id: number): number {
  const index = rows.findIndex((row) => row.id > id);
  return index === -1 ? rows.length : index;
}
