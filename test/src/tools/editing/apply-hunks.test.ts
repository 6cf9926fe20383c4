import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyHunks } from "#src/tools/editing/apply-hunks";
import type { PatchHunk } from "#src/tools/editing/parse-patch";

function hunk(lines: readonly string[], rest: Partial<PatchHunk> = {}): PatchHunk {
  const pick = (without: string): string[] => lines.filter((line) => line[0] !== without).map((line) => line.slice(1));
  return { anchors: [], before: pick("+"), after: pick("-"), isAtEnd: false, ...rest };
}

const text = "class A\n  f\n    return 1\nclass B\n  f\n    return 1\n";

it("applies hunks in order", () => {
  const hunks = [hunk([" a", "-b", "+x"]), hunk([" d", "+e"])];
  expect(applyHunks("a\nb\nc\nd\n", hunks)).toEqual({ text: "a\nx\nc\nd\ne\n", isDone: false });
});

it("looks behind the anchor", () => {
  const change = hunk(["-    return 1", "+    return 2"], { anchors: ["class B"] });
  expect(applyHunks(text, [change])).toMatchObject({ text: text.replace(/return 1\n$/, "return 2\n") });
});

it("refuses lines that stand in several places, and names them", () => {
  const change = hunk(["-    return 1", "+    return 2"]);
  expect(applyHunks(text, [change])).toEqual({
    problem: expect.stringContaining("hunk 1 matches 2 places, at lines 3, 6"),
  });
});

it("takes the place at the end of the file when told so", () => {
  const change = hunk(["-    return 1", "+    return 2"], { isAtEnd: true });
  expect(applyHunks(text, [change])).toMatchObject({ text: text.replace(/return 1\n$/, "return 2\n") });
});

it("adds behind the anchor, and without one at the end", () => {
  expect(applyHunks("a\nb\n", [hunk(["+x"], { anchors: ["a"] })])).toMatchObject({ text: "a\nx\nb\n" });
  expect(applyHunks("a\nb", [hunk(["+x"])])).toMatchObject({ text: "a\nb\nx" });
});

it("refuses an addition whose anchor is not there", () => {
  expect(applyHunks("a\n", [hunk(["+x"], { anchors: ["zz"] })])).toEqual({ problem: expect.stringContaining('"zz"') });
});

it("finds lines whose blanks differ, and keeps the file's own context", () => {
  expect(applyHunks("\ta  \n\tb\n", [hunk([" a", "-b", "+x"])])).toMatchObject({ text: "\ta  \nx\n" });
});

it("says which lines do not match", () => {
  expect(applyHunks("a\n", [hunk([" a"]), hunk(["-q", "+r"])])).toEqual({
    problem: expect.stringContaining('hunk 2 does not match: its lines, from "q" on'),
  });
});

it("keeps CR LF", () => {
  expect(applyHunks("a\r\nb\r\n", [hunk(["-b", "+x"])])).toMatchObject({ text: "a\r\nx\r\n" });
});

describe("properties", () => {
  // lines that differ from each other, so that every place is the only one
  const file = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 30 });
  const edit = fc.record({
    at: fc.nat(29),
    drop: fc.nat(3),
    add: fc.array(fc.stringMatching(/^[A-Z]{1,6}$/), { maxLength: 3 }),
  });

  function oneHunk(
    lines: readonly string[],
    { at, drop, add }: { at: number; drop: number; add: string[] },
  ): PatchHunk {
    const start = at % lines.length;
    const end = Math.min(lines.length, start + drop);
    const head = lines.slice(Math.max(0, start - 2), start);
    const tail = lines.slice(end, end + 2);
    return {
      anchors: [],
      before: [...head, ...lines.slice(start, end), ...tail],
      after: [...head, ...add, ...tail],
      isAtEnd: false,
    };
  }

  const toText = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

  it("comes back to the same file when a patch is turned round", () => {
    fc.assert(
      fc.property(file, edit, (lines, change) => {
        const forth = oneHunk(lines, change);
        fc.pre(forth.before.length > 0 && forth.after.length > 0);
        fc.pre(new Set(change.add).size === change.add.length);
        const there = applyHunks(toText(lines), [forth]);
        if ("problem" in there) throw new TypeError(there.problem);
        const back = applyHunks(there.text, [{ ...forth, before: forth.after, after: forth.before }]);
        expect(back).toMatchObject({ text: toText(lines) });
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  it("changes nothing the second time when it drops or replaces lines", () => {
    fc.assert(
      fc.property(file, edit, (lines, change) => {
        const forth = oneHunk(lines, { ...change, drop: change.drop + 1 });
        fc.pre(forth.after.length > 0);
        const once = applyHunks(toText(lines), [forth]);
        if ("problem" in once) throw new TypeError(once.problem);
        expect(applyHunks(once.text, [forth])).toEqual({ text: once.text, isDone: true });
      }),
      { seed: 8, numRuns: 300 },
    );
  });
});
