/** Where a text began to repeat itself. */
export interface Repetition {
  /** The text up to the end of the first time it said what it then repeats. */
  readonly kept: string;
  /** How often the end of the text was found in it. */
  readonly count: number;
}

/** Characters of the text's end that are looked for in what is before it. */
const WINDOW_CHARS = 60;
const MIN_COUNT = 5;
/** Shortest stretch that is nothing but repetition. */
const MIN_CHARS = 400;
/** The same for rulers, blanks and tables, which consist of few characters by nature. */
const MIN_PLAIN_CHARS = 2000;
const PLAIN_CHARACTERS = 8;
/** Characters of the end that are looked at: a loop is seen while it runs. */
const MAX_CHARS = 8000;
/** Share of what is looked at that must be repetition. */
const MIN_SHARE = 0.5;

/**
 * Finds out whether a text has run into a loop at its end: its last words stand in it five times and more, in equal
 * distances, and what repeats is most of it. Cheap enough to be asked while a text streams.
 */
export function findRepetition(text: string): Repetition | undefined {
  if (text.length < MIN_CHARS) return undefined;
  const end = text.slice(-MAX_CHARS);
  const window = end.slice(-WINDOW_CHARS);
  const before = end.lastIndexOf(window, end.length - WINDOW_CHARS - 1);
  if (before === -1) return undefined;
  const period = end.length - WINDOW_CHARS - before;
  let start = text.length - period;
  while (start > 0 && text[start - 1] === text[start - 1 + period]) start--;
  const looped = text.length - start;
  const count = Math.floor(looped / period);
  const isPlain = new Set(window).size < PLAIN_CHARACTERS;
  const isLoop = count >= MIN_COUNT && looped >= (isPlain ? MIN_PLAIN_CHARS : MIN_CHARS);
  if (!isLoop || looped < end.length * MIN_SHARE) return undefined;
  // the sentence before the loop and the one that repeats may end alike: the mark belongs to what is kept
  const mark = /^[.!?…]+/.exec(text.slice(start + period, start + 2 * period))?.[0] ?? "";
  return { kept: `${text.slice(0, start + period).toWellFormed()}${mark}`.trimEnd(), count };
}
