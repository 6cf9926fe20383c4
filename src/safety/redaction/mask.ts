const MIN_SHOWN_CHARS = 18;
const HEAD_CHARS = 6;
const TAIL_CHARS = 4;

/** What stands in place of a secret of which nothing may show. */
export const HIDDEN = "***";

/** What stands in place of a key that stands alone: enough of a long one to tell which it was, nothing of a short one. */
export function mask(secret: string): string {
  if (secret.length < MIN_SHOWN_CHARS) return HIDDEN;
  return `${secret.slice(0, HEAD_CHARS)}...${secret.slice(-TAIL_CHARS)}`;
}

/** True for what `mask` and its kin leave, so that nothing is masked twice. */
export function isMasked(value: string): boolean {
  return /^(?:\*{2,}|.{6}\.\.\..{4}|«redacted.*»?|\[redacted.*\]?|<redacted.*>?|x{4,}|•+|…+|\.{3,})$/is.test(value);
}
