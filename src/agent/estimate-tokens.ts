import type { Message } from "#src/domain/message";

/** Characters that one token stands for, on average. */
const CHARS_PER_TOKEN = 4;
/** Tokens that a picture counts for. */
const IMAGE_TOKENS = 1600;
/** Tokens that a message costs beside its text: role and framing. */
const FRAME_TOKENS = 4;

/** Tokens that a row will cost the model, roughly: characters over four. */
export function estimateTokens(row: Message): number {
  let chars = row.content.length + (row.context?.length ?? 0);
  for (const call of row.toolCalls ?? []) chars += call.name.length + call.arguments.length;
  for (const result of row.toolResults ?? []) chars += result.content.length;
  const pictures = (row.attachments ?? []).filter((attachment) => attachment.kind === "image").length;
  return FRAME_TOKENS + Math.ceil(chars / CHARS_PER_TOKEN) + pictures * IMAGE_TOKENS;
}

/**
 * Where the history that a model reads begins: the index of the first row to keep. The window grows until `budget`
 * tokens and is then cut to half of it, at the start of a turn: between cuts its beginning stays the same, so
 * providers can cache it, and the cost of a turn does not grow with the conversation.
 */
export function windowStart(rows: readonly Message[], budget: number): number {
  const sizes = rows.map(estimateTokens);
  if (sizes.reduce((sum, size) => sum + size, 0) <= budget) return 0;
  let left = budget / 2;
  let start = rows.length;
  for (let i = rows.length - 1; i >= 0; i--) {
    left -= sizes[i] ?? 0;
    if (left < 0) break;
    if (beginsTurn(rows, i)) start = i;
  }
  // one turn alone may be over half the budget: it is kept from its own beginning
  return start < rows.length ? start : lastTurnStart(rows);
}

function beginsTurn(rows: readonly Message[], i: number): boolean {
  return i === 0 || rows[i]?.turnId !== rows[i - 1]?.turnId;
}

function lastTurnStart(rows: readonly Message[]): number {
  let start = rows.length - 1;
  while (start > 0 && !beginsTurn(rows, start)) start--;
  return Math.max(0, start);
}
