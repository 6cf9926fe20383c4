import { expect, it } from "vitest";
import { globMatcher } from "#src/lib/glob";

it.each([
  ["*.ts", "src/deep/a.ts", true],
  ["*.ts", "src/a.tsx", false],
  ["a?c", "abc", true],
  ["src/*.ts", "src/a.ts", true],
  ["src/*.ts", "src/deep/a.ts", false],
  ["src/**/*.ts", "src/a.ts", true],
  ["src/**/*.ts", "src/x/y/a.ts", true],
  ["**/test/**", "a/test/b/c", true],
  ["**/test/**", "a/tests/b", false],
  ["*.{ts,js}", "a.js", true],
  ["{a,b}{1,2}", "b2", true],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["[]]x", "]x", true],
  ["a.c", "abc", false],
  ["a+(b)", "a+(b)", true],
  ["\\*", "*", true],
  ["\\*", "a", false],
  ["./src/*", "src/a", true],
  ["/src/*", "/src/a", true],
  ["*", "é😀", true],
  ["?", "😀", true],
  ["*", ".hidden", true],
  ["[", "[", true],
])("matches %s against %s: %s", (pattern, path, expected) => {
  expect(globMatcher(pattern)(path)).toBe(expected);
});

it("ends at once for a pattern made of stars", () => {
  expect(globMatcher("*a".repeat(50))("a".repeat(49) + "b".repeat(1000))).toBe(false);
});
