const MAX_HELD_CHARS = 8_192;
const MAX_HELD_BLOCK_CHARS = 65_536;
const BLOCK_BEGIN = "-----BEGIN ";
const BLOCK_END = "-----END ";

/**
 * How much of a text that is still growing may be redacted and passed on: up to the end of its last whole line, and
 * never into a private key that has not ended. Hold the rest back, put the next piece behind it, and ask again; at the end
 * redact what is left. A line that does not end within 8,192 characters, or a key within 65,536, is cut at a blank.
 */
export function redactableLength(text: string): number {
  const block = openBlock(text);
  const end = block ?? text.length;
  const line = text.lastIndexOf("\n", end - 1) + 1;
  if (text.length - line <= (block === undefined ? MAX_HELD_CHARS : MAX_HELD_BLOCK_CHARS)) return line;
  const blank = text.lastIndexOf(" ") + 1;
  return blank > line ? blank : text.length;
}

/** Where a private key begins whose last line has not ended. */
function openBlock(text: string): number | undefined {
  const begin = text.lastIndexOf(BLOCK_BEGIN);
  const last = begin < 0 ? -1 : text.indexOf(BLOCK_END, begin);
  return begin < 0 || (last >= 0 && text.includes("\n", last)) ? undefined : begin;
}
