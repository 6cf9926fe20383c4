const MAX_HELD_CHARS = 8_192;
const BLOCK_BEGIN = "-----BEGIN ";
const BLOCK_END = "-----END ";

/**
 * How much of a text that is still growing may be redacted and passed on: up to the end of its last whole line, and
 * never into a private key that has not ended. Hold the rest back, put the next piece behind it, and ask again; at the end
 * redact what is left. A line that does not end within 8,192 characters is cut at its last blank, or as it is.
 */
export function redactableLength(text: string): number {
  const block = openBlock(text);
  const end = block ?? text.length;
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (end - line <= MAX_HELD_CHARS && text.length - line <= 8 * MAX_HELD_CHARS) return line;
  if (block !== undefined && text.length - block <= 8 * MAX_HELD_CHARS) return block;
  const blank = text.lastIndexOf(" ") + 1;
  return blank > line ? blank : text.length;
}

/** Where a private key begins that has not ended. */
function openBlock(text: string): number | undefined {
  const begin = text.lastIndexOf(BLOCK_BEGIN);
  return begin < 0 || text.indexOf(BLOCK_END, begin) >= 0 ? undefined : begin;
}
