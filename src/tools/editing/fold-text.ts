/** A text made comparable, with the place in the source of each of its characters. */
export interface FoldedText {
  readonly text: string;
  /** Start in the source of what this character was folded from; -1 within one that folds to several. */
  readonly starts: readonly number[];
  /** End in the source, likewise: -1 before the last character of such a one. */
  readonly ends: readonly number[];
}

/** One way of making texts comparable: the pieces that are folded, and what each becomes. */
export interface Folding {
  readonly pieces: RegExp;
  readonly fold: (piece: string) => string;
}

/** Runs of blanks within a line count as one blank. */
export const blanks: Folding = { pieces: /[^\S\n]+/g, fold: () => " " };

const PLAIN: ReadonlyMap<string, string> = new Map(
  [
    ["‘’‚‛′", "'"],
    ["“”„‟″«»", '"'],
    ["‐‑‒–—―−", "-"],
    ["\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u3000", " "],
    ["…", "..."],
    ["\u200b\u2060\ufeff", ""],
  ].flatMap(([from = "", to = ""]) => Array.from(from, (char): [string, string] => [char, to])),
);

/** Typographic quotes, dashes and spaces count as their plain ones, and composed letters as decomposed ones. */
export const typography: Folding = {
  pieces: /[^\p{ASCII}]\p{M}*|\p{ASCII}\p{M}+/gu,
  fold: (piece) => PLAIN.get(piece) ?? piece.normalize("NFC"),
};

/** Folds a text whose places do not matter. */
export function foldPlainly(source: string, { pieces, fold }: Folding): string {
  return source.replaceAll(pieces, fold);
}

/** Folds a text and remembers where everything came from. */
export function foldText(source: string, { pieces, fold }: Folding): FoldedText {
  let text = "";
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (folded: string, start: number, end: number): void => {
    for (let i = 0; i < folded.length; i++) {
      starts.push(i === 0 ? start : -1);
      ends.push(i === folded.length - 1 ? end : -1);
    }
    text += folded;
  };
  let at = 0;
  for (const match of source.matchAll(pieces)) {
    for (; at < match.index; at++) add(source[at] ?? "", at, at + 1);
    add(fold(match[0]), at, at + match[0].length);
    at += match[0].length;
  }
  for (; at < source.length; at++) add(source[at] ?? "", at, at + 1);
  return { text, starts, ends };
}
