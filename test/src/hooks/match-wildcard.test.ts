import { expect, it } from "vitest";
import { wildcardMatcher } from "#src/hooks/match-wildcard";

it.each([
  ["git push", "git push", true],
  ["git push", "git push -f", false],
  ["git *", "git push", true],
  ["*", "", true],
  ["a*b*c", "a-b-c", true],
  ["a*b*c", "a-c-b", false],
  ["ab*ab", "ab", false],
  ["*.ts", "x.tsx", false],
])("%s and %s: %s", (pattern, text, isMatch) => {
  expect(wildcardMatcher(pattern)(text)).toBe(isMatch);
});
