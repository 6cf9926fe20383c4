import type { JsonValue } from "#src/domain/json";
import { type TextTest, compileOr, searchPattern } from "./compile-pattern";

/** Matchers of this form are lists of names; all others are patterns. */
const LIST = /^[A-Za-z0-9_\- ,|]*$/;

/**
 * Makes the test of a matcher of Claude Code, which is given all names that what it looks at goes by: nothing and `*`
 * take everything, names apart by `|` or `,` take those, all else is a pattern that may match anywhere.
 * Source: https://code.claude.com/docs/en/hooks
 */
export function claudeMatcher(matcher: JsonValue | undefined): (names: readonly string[]) => boolean {
  if (typeof matcher !== "string" || isEverything(matcher)) return () => true;
  const test = LIST.test(matcher) ? listTest(matcher) : compileOr(matcher, searchPattern, () => true);
  return (names) => names.some(test);
}

/** Whether a matcher of Claude Code takes everything. */
export function isEverything(matcher: string): boolean {
  return matcher.trim() === "" || matcher.trim() === "*";
}

/** Whether it is a pattern, and no list of names. */
export function isClaudePattern(matcher: string): boolean {
  return !isEverything(matcher) && !LIST.test(matcher);
}

function listTest(list: string): TextTest {
  const names = new Set(list.split(/[|,]/).map((name) => name.trim()));
  return (text) => names.has(text);
}
