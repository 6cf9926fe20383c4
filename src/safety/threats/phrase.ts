/** At most so many words of any kind, within a sentence. For patterns over prose. */
export function words(most: number): string {
  return `(?:[^\\s.!?;]+ ){0,${most}}?`;
}

/** At most so many words with no sign in them. */
export function plainWords(most: number): string {
  return `(?:[\\w\\u00AA-\\u1FFF\\u3040-\\uFFFF]+ ){0,${most}}?`;
}

/** At most so many words that can stand before a noun: no preposition opens another thought. */
export function modifiers(most: number): string {
  return `(?:(?!(?:about|in|on|for|from|with|if|when|while|until|to|at|that|which|because|but|so|then|by)\\b)[^\\s.!?;]+ ){0,${most}}?`;
}

/** One of the words, whole. */
export function oneOf(...alternatives: readonly string[]): string {
  return `(?:${alternatives.join("|")})`;
}

/** A global pattern of parts written one after the other. */
export function phrase(...parts: readonly string[]): RegExp {
  return new RegExp(parts.join(""), "g");
}

/** A global pattern that finds what any of the patterns finds. */
export function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join("|"), "g");
}

/** A pattern of patterns that follow one another. */
export function inOrder(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join(""));
}
