import { expect, it } from "vitest";
import { applySpans } from "#src/safety/redaction/span";

it("replaces parts in any order", () => {
  const spans = [
    { start: 4, end: 5, replacement: "E" },
    { start: 0, end: 2, replacement: "AB" },
  ];
  expect(applySpans("abcdef", spans)).toBe("ABcdEf");
});

it("takes parts that overlap out together, with the replacement that shows least", () => {
  const spans = [
    { start: 1, end: 3, replacement: "long mask" },
    { start: 1, end: 4, replacement: "*" },
    { start: 3, end: 5, replacement: "+" },
  ];
  expect(applySpans("abcdef", spans)).toBe("a*f");
});

it("gives the text back when there is nothing to replace", () => {
  expect(applySpans("abc", [])).toBe("abc");
});
