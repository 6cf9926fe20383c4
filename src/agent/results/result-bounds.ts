import type { Message } from "#src/domain/message";
import type { ResultBounds } from "../bound-result";

const CHARS_PER_TOKEN = 4;
/** Share of the model's window that one result may fill, and the results of one answer together. */
const RESULT_SHARE = 0.15;
const ANSWER_SHARE = 0.3;
/** Characters that a small window's results may have all the same. */
const MIN_RESULT_CHARS = 8000;
const MIN_ANSWER_CHARS = 16_000;

/** An operator's bounds, made smaller where the model's window is. */
export function resultBounds(bounds: ResultBounds, contextTokens: number): ResultBounds {
  const windowChars = contextTokens * CHARS_PER_TOKEN;
  return {
    maxChars: Math.min(bounds.maxChars, Math.max(MIN_RESULT_CHARS, Math.floor(windowChars * RESULT_SHARE))),
    turnMaxChars: Math.min(bounds.turnMaxChars, Math.max(MIN_ANSWER_CHARS, Math.floor(windowChars * ANSWER_SHARE))),
    previewChars: bounds.previewChars,
  };
}

/**
 * Characters of the results that the turn's latest answer has so far. They are read from the rows, so a restart between
 * two segments forgets none; what earlier answers got is not counted, for compaction takes care of that.
 */
export function answerResultChars(rows: readonly Message[], turnId: number): number {
  const own = rows.filter((row) => row.turnId === turnId);
  const answer = own.findLastIndex((row) => row.role === "assistant" && row.toolCalls !== undefined);
  return own
    .slice(answer + 1)
    .flatMap((row) => row.toolResults ?? [])
    .reduce((sum, result) => sum + result.content.length, 0);
}
