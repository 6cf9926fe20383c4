const ALPHABETS = {
  word: "qW7eR2tYu9IoP4aS1dFgH8jKl3ZxC6vBnM5Q0wErT",
  hex: "3f9a07c5e81b62d4",
  upper: "Q7W2E4R3TYU5IOP6ASDF",
  safe: "qW7eR2tY-u9IoP4aS1_dFgH8jKl3ZxC6vB",
  digit: "7302958164",
} as const;

/** So many letters that look random and are always the same, so that no secret stands in the tests. */
export function letters(kind: keyof typeof ALPHABETS, count: number): string {
  const alphabet = ALPHABETS[kind];
  return Array.from({ length: count }, (_, at) => alphabet[(at * 7 + Math.floor(at / 5)) % alphabet.length]).join("");
}
