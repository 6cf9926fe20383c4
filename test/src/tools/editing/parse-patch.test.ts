import { expect, it } from "vitest";
import { parsePatch, patchPaths } from "#src/tools/editing/parse-patch";

const whole = `*** Begin Patch
*** Add File: new.txt
+hello
+
+world
*** Update File: old.ts
*** Move to: moved.ts
@@ class A
@@ method()
 keep
-gone
+come

 blank above
@@
+end
*** End of File
*** Delete File: dead.txt
*** End Patch`;

it("reads every kind of operation", () => {
  expect(parsePatch(whole)).toEqual([
    { kind: "add", path: "new.txt", lines: ["hello", "", "world"] },
    {
      kind: "update",
      path: "old.ts",
      moveTo: "moved.ts",
      hunks: [
        {
          anchors: ["class A", "method()"],
          before: ["keep", "gone", "", "blank above"],
          after: ["keep", "come", "", "blank above"],
          isAtEnd: false,
        },
        { anchors: [], before: [], after: ["end"], isAtEnd: true },
      ],
    },
    { kind: "delete", path: "dead.txt" },
  ]);
});

it("reads the one-line form of a move", () => {
  expect(parsePatch("*** Move File: a b -> c")).toEqual([{ kind: "update", path: "a b", moveTo: "c", hunks: [] }]);
});

it("takes headers with other blanks behind the stars and around the arrow", () => {
  const text =
    "***Begin Patch\n***Delete File: a\n***  Update  File:b\n***Move to: c\n*** Move File: d->e\n***End Patch";
  expect(parsePatch(text)).toEqual([
    { kind: "delete", path: "a" },
    { kind: "update", path: "b", moveTo: "c", hunks: [] },
    { kind: "update", path: "d", moveTo: "e", hunks: [] },
  ]);
  expect(patchPaths(text)).toEqual(["a", "b", "c", "d", "e"]);
});

it("ignores what stands around the patch, and carriage returns", () => {
  const text = "```\r\n*** Begin Patch\r\n*** Delete File: a\r\n*** End Patch\r\n```";
  expect(parsePatch(text)).toEqual([{ kind: "delete", path: "a" }]);
});

it("ignores the line numbers of a unified diff", () => {
  const [operation] = parsePatch("*** Update File: a\n@@ -1,2 +1,2 @@ def f():\n-x\n+y");
  expect(operation).toMatchObject({ hunks: [{ anchors: ["def f():"] }] });
});

it("takes a first hunk without its mark", () => {
  expect(parsePatch("*** Update File: a\n-x\n+y")).toMatchObject([{ hunks: [{ before: ["x"], after: ["y"] }] }]);
});

it.each([
  ["no file", "*** Begin Patch\n*** End Patch", "The patch names no file."],
  [
    "an update without hunks",
    "*** Update File: a",
    'Line 1 of the patch ("*** Update File: a") has no hunks below it.',
  ],
  ["a line before the first file", "hello\n*** Delete File: a", 'Line 1 of the patch ("hello") is not a header'],
  ["a line without a mark", "*** Update File: a\n@@\n-x\n?y", 'Line 4 of the patch ("?y") must begin with'],
  ["an added line without a plus", "*** Add File: a\nx", 'Line 2 of the patch ("x") must begin with +'],
  ["lines below a deletion", "*** Delete File: a\n-x", "stands below *** Delete File"],
  ["a move without a target", "*** Move File: a", "does not read *** Move File: old -> new"],
])("refuses %s and names the line", (_, text, sentence) => {
  expect(() => parsePatch(text)).toThrow(
    expect.objectContaining({ code: "bad_request", message: expect.stringContaining(sentence) }),
  );
});

it("names every path that a patch touches, also one that cannot be read", () => {
  expect(patchPaths(whole)).toEqual(["new.txt", "old.ts", "moved.ts", "dead.txt"]);
  expect(patchPaths("*** Move File: a -> b\n?")).toEqual(["a", "b"]);
  expect(patchPaths("nothing")).toEqual([]);
});
