import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineMatcher } from "#src/lib/linear-regex";

it.each([
  ["foo", "a foo b", true],
  ["^foo$", "foo", true],
  ["^foo$", "foo ", false],
  ["\\bfoo\\b", "a foo-b", true],
  ["\\bfoo\\b", "afoo", false],
  ["a.c", "abc", true],
  ["[^a-c]+x", "abx", false],
  ["[]a]", "]", true],
  ["[a\\]]", "]", true],
  ["[a-]", "-", true],
  ["(?i)HeLLo", "say hello", true],
  ["(?i)[^a]", "A", false],
  ["(?:ab){2,3}$", "xababab", true],
  ["(?:ab){2}$", "ab", false],
  ["x{0}y", "y", true],
  ["a{,3}", "a{,3}", true],
  ["(?<name>a)|(?P<other>b)", "b", true],
  ["\\x41\\u0042\\u{43}", "ABC", true],
  ["\\d+\\.\\d*", "v1.", true],
  [".", "😀", true],
  ["^.$", "😀", true],
  ["[😀-😂]", "😁", true],
  ["é", "É", false],
  ["(?i)é", "É", true],
  ["a||b", "", true],
  ["(a*)*b", "aaab", true],
  ["\\Aab\\z", "ab", true],
])("matches %s against %j: %s", (pattern, line, expected) => {
  expect(lineMatcher(pattern).matches(line)).toBe(expected);
});

it.each([
  ["(", "a ( without its )"],
  ["a)", "a ) without its ("],
  ["*a", "a * with nothing before it"],
  ["a**", "a repetition of a repetition"],
  ["a{3,1}", "bounds are in the wrong order"],
  ["a{1,100000}", "a repetition over 1000"],
  ["(?:a{1000}){1000}", "too long"],
  ["[a", "a [ without its ]"],
  ["[]", "an empty class"],
  ["[z-a]", "ends are in the wrong order"],
  ["(?=a)", "look-around"],
  ["(?<!a)b", "look-around"],
  ["(a)\\1", "references to groups"],
  ["\\p{L}", "\\p is not supported"],
  ["\\", "a backslash with nothing behind it"],
  ["(?s)a", "the flag s is not supported"],
  ["(".repeat(60), "nested deeper"],
])("refuses %s and says why", (pattern, why) => {
  expect(() => lineMatcher(pattern)).toThrow(
    expect.objectContaining({ name: "SyntaxError", message: expect.stringContaining(why) }),
  );
});

it.each(["(a+)+$", "^(a|a)*$", "(a|aa)+$", "^(([a-z])+.)+[A-Z]([a-z])+$", ".*.*.*.*.*x", "(?:a?){30}a{30}"])(
  "ends at once for %s, on which backtracking would not",
  (pattern) => {
    expect(lineMatcher(pattern).matches(`${"a".repeat(2000)}!`)).toBe(pattern.endsWith("a{30}"));
  },
);

describe("properties", () => {
  const piece = fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "\\b", "^", "$", "\\w", "(a|b)", "(?:ab|)", "(ab)");
  const quantifier = fc.constantFrom("", "", "*", "+", "?", "{2}", "{1,2}", "{0,}", "*?");
  const anchors = new Set(["\\b", "^", "$"]);
  const term = fc.tuple(piece, quantifier).map(([one, many]) => one + (anchors.has(one) ? "" : many));
  const pattern = fc.array(term, { minLength: 1, maxLength: 5 }).map((terms) => terms.join(""));
  const choice = fc.array(pattern, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("|"));
  const line = fc.array(fc.constantFrom("a", "b", "c", " ", "é"), { maxLength: 8 }).map((chars) => chars.join(""));

  it("answers as the engine's own regular expressions do", () => {
    fc.assert(
      fc.property(choice, line, (pattern, line) => {
        expect(lineMatcher(pattern).matches(line)).toBe(new RegExp(pattern, "u").test(line));
      }),
      { seed: 11, numRuns: 1000 },
    );
  });

  it("takes any text as a pattern or refuses it, and never fails otherwise", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), line, (pattern, line) => {
        try {
          lineMatcher(pattern).matches(line);
        } catch (error) {
          expect(error).toBeInstanceOf(SyntaxError);
        }
      }),
      { seed: 12, numRuns: 500 },
    );
  });
});
