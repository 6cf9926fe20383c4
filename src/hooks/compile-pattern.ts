import { RE2JS } from "re2js";

/** Longest pattern and longest text that it is tried on, in characters. */
const MAX_PATTERN_CHARS = 512;
const MAX_SUBJECT_CHARS = 64 * 1024;

/** Instructions that a compiled pattern may have: with the longest text that is well below a second. */
const MAX_STEPS = 1000;

export type TextTest = (text: string) => boolean;

/**
 * Compiles a pattern that an operator wrote, as a search anywhere in a text. RE2 takes time in proportion to text times
 * pattern, so no pattern can hang an event; look-around and references back do not exist there and are refused.
 *
 * @throws SyntaxError one clause that says what is wrong with it
 */
export function searchPattern(pattern: string): TextTest {
  if (pattern.length > MAX_PATTERN_CHARS) throw new SyntaxError(`longer than ${MAX_PATTERN_CHARS} characters`);
  const compiled = compile(pattern);
  if (compiled.programSize() > MAX_STEPS) throw new SyntaxError("its counted repetitions make it too long");
  return (text) => compiled.matcher(text.slice(0, MAX_SUBJECT_CHARS)).find();
}

function compile(pattern: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch (error) {
    throw new SyntaxError(error instanceof Error ? error.message : "it cannot be read", { cause: error });
  }
}

/**
 * The same, for the whole of a text.
 *
 * @throws SyntaxError one clause that says what is wrong with it
 */
export function wholePattern(pattern: string): TextTest {
  const [flags = ""] = /^\(\?i\)/.exec(pattern) ?? [];
  // told apart, so that a pattern like "a)(b" is not made whole by the group around it
  searchPattern(pattern);
  return searchPattern(`${flags}^(?:${pattern.slice(flags.length)})$`);
}

/** What is wrong with a pattern; undefined when nothing is. */
export function patternProblem(pattern: string): string | undefined {
  try {
    wholePattern(pattern);
    return undefined;
  } catch (error) {
    return error instanceof SyntaxError ? error.message : "it cannot be read";
  }
}

/** Compiles a pattern, or gives what to do instead when it cannot be. */
export function compileOr(pattern: string, compile: (pattern: string) => TextTest, instead: TextTest): TextTest {
  try {
    return compile(pattern);
  } catch {
    return instead;
  }
}
