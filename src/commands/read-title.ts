import { countChars, sanitizeLine } from "#src/lib/sanitize-line";

/** Longest title of a conversation, in characters as people count them. */
const MAX_TITLE_CHARS = 100;

/** A title as it may be shown anywhere, or the sentence that says why it may not. Empty when none was given. */
export function readTitle(text: string): { readonly title: string } | { readonly problem: string } {
  const title = sanitizeLine(text);
  const chars = countChars(title);
  if (chars <= MAX_TITLE_CHARS) return { title };
  return { problem: `A title has at most ${MAX_TITLE_CHARS} characters; this one has ${chars}.` };
}
