import { expect, it } from "vitest";
import { compileOr, patternProblem, searchPattern, wholePattern } from "#src/hooks/compile-pattern";

it("searches anywhere, or takes the whole", () => {
  expect(searchPattern("rm -rf|mkfs")("sudo mkfs.ext4")).toBe(true);
  expect(wholePattern("term|terminal")("terminal")).toBe(true);
  expect(wholePattern("term")("terminal")).toBe(false);
  expect(wholePattern("(?i)BASH|sh")("bash")).toBe(true);
});

it.each(["(", "a".repeat(513), "(?=a)", "(a)\\1", "a)(b", "(?:a{900}){2}"])("refuses %s", (pattern) => {
  expect(patternProblem(pattern)).toEqual(expect.any(String));
});

it("does instead what it is told when a pattern cannot be read", () => {
  expect(compileOr("(", searchPattern, () => true)("x")).toBe(true);
  expect(compileOr("x", searchPattern, () => false)("axb")).toBe(true);
});

it("takes patterns that would hang a backtracking engine", () => {
  expect(searchPattern("^(a+)+$")(`${"a".repeat(5000)}!`)).toBe(false);
});
