// zero-width, joining and direction marks: text that a person does not see but a model reads
const INVISIBLE = /[\u200B-\u200D\u2060\u2062-\u2064\uFEFF\u202A-\u202E\u2066-\u2069]/;

/** The first character that people cannot see, as `U+200B`; undefined when there is none. */
export function findInvisible(text: string): string | undefined {
  const code = INVISIBLE.exec(text)?.[0].charCodeAt(0);
  return code === undefined ? undefined : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}
