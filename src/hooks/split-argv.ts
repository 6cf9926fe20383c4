/**
 * Splits a command line into words as a POSIX shell reads them, and does nothing else that a shell does: no
 * variables, no globs, no substitution. Undefined when a quote is left open or a backslash ends it.
 */
export function splitArgv(line: string): readonly string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote: "'" | '"' | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? "";
    if (quote === "'") {
      if (char === "'") quote = undefined;
      else word = (word ?? "") + char;
    } else if (quote === '"') {
      if (char === '"') quote = undefined;
      else if (char === "\\" && ESCAPED_IN_QUOTES.has(line[at + 1] ?? "")) word = (word ?? "") + line[++at];
      else word = (word ?? "") + char;
    } else if (char === "'" || char === '"') {
      quote = char;
      word ??= "";
    } else if (char === "\\") {
      if (at + 1 >= line.length) return undefined;
      word = (word ?? "") + line[++at];
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else {
      word = (word ?? "") + char;
    }
  }
  if (quote !== undefined) return undefined;
  return word === undefined ? words : [...words, word];
}

const ESCAPED_IN_QUOTES: ReadonlySet<string> = new Set(['"', "\\"]);
