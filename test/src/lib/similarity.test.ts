import { expect, it } from "vitest";
import { similarity } from "#src/lib/similarity";

it("is 1 for lines that differ only in blanks, and 0 for lines with nothing in common", () => {
  expect(similarity("  a b = c", "ab=c  ")).toBe(1);
  expect(similarity("abc", "xyz")).toBe(0);
  expect(similarity("", "  ")).toBe(1);
  expect(similarity("}", "{")).toBe(0);
});

it("lies between for lines that are alike", () => {
  expect(similarity("const total = 1;", "const sum = 1;")).toBeGreaterThan(0.5);
});
