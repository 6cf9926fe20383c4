import * as fc from "fast-check";
import { expect, it } from "vitest";
import { unifiedDiff } from "#src/lib/unified-diff";

const lines = (...all: (string | number)[]): string => all.map((line) => `${line}\n`).join("");

it("is empty for equal texts", () => {
  expect(unifiedDiff("a\n", "a\n")).toBe("");
});

it("shows a change with three lines around it", () => {
  const before = lines(1, 2, 3, 4, 5, 6, 7, 8, 9);
  expect(unifiedDiff(before, before.replace("5", "five"))).toBe("@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8");
});

it("makes hunks of their own for changes that lie apart", () => {
  const before = lines(...Array.from({ length: 20 }, (_, i) => i));
  const after = before.replace("0\n", "").replace("19\n", "");
  expect(unifiedDiff(before, after)).toBe("@@ -1,4 +1,3 @@\n-0\n 1\n 2\n 3\n@@ -17,4 +16,3 @@\n 16\n 17\n 18\n-19");
});

it("counts lines of a new and of an emptied file as diffs do", () => {
  expect(unifiedDiff("", "a\n")).toBe("@@ -0,0 +1,1 @@\n+a");
  expect(unifiedDiff("a\n", "")).toBe("@@ -1,1 +0,0 @@\n-a");
});

it("shows that the last newline is missing", () => {
  expect(unifiedDiff("a", "a\n")).toBe("@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a");
});

it("takes files that are too different to compare as one block", () => {
  const long = (word: string): string => lines(...Array.from({ length: 3000 }, (_, i) => `${word} ${i}`));
  expect(unifiedDiff(long("a"), long("b"))).toMatch(/^@@ -1,3000 \+1,3000 @@\n-a 0\n/);
});

it("holds both texts", () => {
  const text = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 }).map((all) => lines(...all));
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after);
      const body = unifiedDiff(before, after).split("\n");
      const side = (without: string): string[] =>
        body.filter((line) => !line.startsWith("@@") && !line.startsWith(without)).map((line) => line.slice(1));
      const isPart = (part: readonly string[], whole: string): boolean => {
        let at = 0;
        const all = whole.split("\n");
        return part.every((line) => (at = all.indexOf(line, at) + 1) > 0);
      };
      expect(isPart(side("+"), before) && isPart(side("-"), after)).toBe(true);
    }),
    { seed: 5, numRuns: 300 },
  );
});
