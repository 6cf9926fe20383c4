const MIN_CHARS = 12;
const JUDGED_CHARS = 256;

/**
 * True for a text that no person made up: letters and digits change too often for words, or it is a long number in
 * hexadecimal digits. Words, versions, names with a year and paths are not.
 */
export function looksRandom(value: string): boolean {
  const letters = value.slice(0, JUDGED_CHARS).replaceAll(/[^A-Za-z0-9]/g, "");
  if (letters.length < MIN_CHARS) return false;
  const digits = letters.replaceAll(/[^0-9]/g, "").length;
  if (/^[0-9a-f]+$/i.test(letters)) return letters.length >= 16 && digits >= 2 && digits < letters.length;
  const share = changes(letters) / (letters.length - 1);
  if (digits > 0) return share >= (letters.length < 20 ? 0.22 : 0.16);
  // without a digit: capitals in a row and alone, more often than words begin
  return letters.length >= 20 && /[a-z][A-Z]{2,}|[A-Z]{2,}[a-z]/.test(letters) && share >= 0.12;
}

/** How often the kind of letter changes from one to the next; a capital that begins a word is one change. */
function changes(letters: string): number {
  let count = 0;
  let before = kindOf(letters.charCodeAt(0));
  for (let at = 1; at < letters.length; at++) {
    const here = kindOf(letters.charCodeAt(at));
    if (before !== here && !(before === UPPER && here === LOWER)) count += 1;
    before = here;
  }
  return count;
}

const [DIGIT, UPPER, LOWER] = [0, 1, 2] as const;

function kindOf(code: number): 0 | 1 | 2 {
  if (code < 58) return DIGIT;
  return code < 91 ? UPPER : LOWER;
}
