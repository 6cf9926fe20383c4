/** Characters that a context file may have at the least, however small the model's window. */
const MIN_CHARS = 20_000;
const MAX_CHARS = 500_000;
/** Share of the window that one file may fill. */
const WINDOW_SHARE = 0.06;
const CHARS_PER_TOKEN = 4;
const HEAD_SHARE = 0.7;
const TAIL_SHARE = 0.2;

/** Characters of one context file that a model with this window is shown. */
export function contextFileChars(contextTokens: number, own = 0): number {
  if (own > 0) return own;
  return Math.floor(Math.min(MAX_CHARS, Math.max(MIN_CHARS, contextTokens * WINDOW_SHARE * CHARS_PER_TOKEN)));
}

/** A text that fits as it is; of a longer one most of the beginning, some of the end, and what was left out. */
export function cutContext(text: string, maxChars: number, path: string): string {
  if (text.length <= maxChars) return text;
  const head = text.slice(0, Math.floor(maxChars * HEAD_SHARE)).toWellFormed();
  const tail = text.slice(-Math.floor(maxChars * TAIL_SHARE)).toWellFormed();
  const left = text.length - head.length - tail.length;
  return `${head}\n\n[... ${left} of ${text.length} characters are left out here; read ${path} for them ...]\n\n${tail}`;
}
