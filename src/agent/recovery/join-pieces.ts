/** Characters at a seam that may have been said twice. */
const MAX_OVERLAP_CHARS = 400;
/** Shortest overlap that is no coincidence. */
const MIN_OVERLAP_CHARS = 12;

/** Two pieces of one answer as one text: what the second repeats of the first's end stands once. */
export function joinPieces(before: string, next: string): string {
  if (before === "") return next;
  const longest = Math.min(MAX_OVERLAP_CHARS, before.length, next.length);
  for (let length = longest; length >= MIN_OVERLAP_CHARS; length--) {
    if (before.endsWith(next.slice(0, length))) return before + next.slice(length);
  }
  return before + next;
}
