/** Controls, line and paragraph separators, and the blanks between words: all of them end up as one space. */
const GAPS = /[\s\p{Cc}\u2028\u2029]+/gu;
/** Marks that reorder or hide text: bidi marks, embeddings, overrides and isolates, the soft hyphen, tag characters. */
const DECEIVING = /[\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\u{e0001}-\u{e007f}]/gu;

/**
 * One line that shows as what it is: no control characters, nothing that turns the reading direction or hides, no
 * lone surrogates. Joiners stay, since emoji and scripts need them.
 */
export function sanitizeLine(text: string): string {
  return text.toWellFormed().replaceAll(DECEIVING, "").replaceAll(GAPS, " ").trim();
}

/** Length as people count it: code points, not UTF-16 units. */
export function countChars(text: string): number {
  return Array.from(text).length;
}
