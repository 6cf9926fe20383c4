import type { Message, MessageKind } from "#src/domain/message";
import { estimateTokens } from "../estimate-tokens";

/** What people see and the model does not: it neither fills the window nor is it summarised. */
const HIDDEN: ReadonlySet<MessageKind> = new Set(["command", "note", "summary", "notice", "answer"]);

/** Whether the model reads a row. */
export function isShown(row: Message): boolean {
  return !HIDDEN.has(row.kind);
}

/** Tokens that a row costs the model, roughly; none for what it is not shown. */
export function shownTokens(row: Message): number {
  return isShown(row) ? estimateTokens(row) : 0;
}

/** What the provider counted for a request, and up to which row that request went. */
export interface MeasuredRequest {
  readonly tokens: number;
  readonly lastId: number;
}

export interface RequestSize {
  readonly rows: readonly Message[];
  /** Tokens of the prompt and the tools. */
  readonly overheadTokens: number;
  /** The last request of this conversation, unless it was compacted since. */
  readonly measured?: MeasuredRequest;
}

/**
 * Tokens of the next request: what the provider counted last time and an estimate of what came since, or an estimate of
 * everything, whichever is more.
 */
export function requestTokens({ rows, overheadTokens, measured }: RequestSize): number {
  const estimate = overheadTokens + sumTokens(rows);
  if (measured === undefined) return estimate;
  return Math.max(estimate, measured.tokens + sumTokens(rows.filter((row) => row.id > measured.lastId)));
}

/** Tokens of several rows together. */
export function sumTokens(rows: readonly Message[], tokensOf: (row: Message) => number = shownTokens): number {
  return rows.reduce((sum, row) => sum + tokensOf(row), 0);
}
