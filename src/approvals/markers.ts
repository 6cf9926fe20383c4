// What is only known to be something stands in a text as one of these. Unicode promises that they are no characters.
// Source: https://www.unicode.org/faq/private_use.html#noncharacters

/** A piece of text that cannot be known without running the command. */
export const UNKNOWN = "\ufdd0";
/** The home directory of whoever runs the command. */
export const HOME = "\ufdd1";
/** Something that came from the network. */
export const REMOTE = "\ufdd2";
/** Something that was decoded, decrypted or put together, and whose text is not known. */
export const DECODED = "\ufdd3";
/** Something that must not leave: a key, a password, the environment. */
export const SECRET = "\ufdd4";
/** Process ids that were looked up by name. */
export const LOOKED_UP = "\ufdd5";

/** What a shell answers whose commands nobody here knows. */
export const SHELL_OUTPUT = "\ufdd6";

/** Something that a program here put out, and no file holds. */
export const PRODUCED = "\ufdd7";

const NOT_TEXT = /[\ufdd0-\ufdd7]/u;
const ORIGINS = /[\ufdd2-\ufdd7]/gu;

/** Whether a text is known to its last character. */
export function isKnown(text: string): boolean {
  return !NOT_TEXT.test(text);
}

/** What a program makes of its input when nobody knows how it changes it: unknown, but of the same origins. */
export function changed(text: string): string {
  return UNKNOWN + originsOf(text);
}

/** Which origins a text has, each once. */
export function originsOf(text: string): string {
  return [...new Set(text.match(ORIGINS))].join("");
}
