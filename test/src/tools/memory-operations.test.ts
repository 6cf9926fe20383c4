import { expect, it } from "vitest";
import { type MemoryOperation, applyMemoryOperations, memoryChars } from "#src/tools/memory-operations";

const apply = (before: readonly string[], ...operations: MemoryOperation[]): unknown =>
  applyMemoryOperations(before, operations, 100);

it("counts the lines between entries, and characters as people do", () => {
  expect(memoryChars(["ab", "😀"])).toBe(6);
});

it.each<[string, readonly string[], MemoryOperation]>([
  ["adding", ["a"], { action: "add", content: "b" }],
  ["replacing", ["a b", "c"], { action: "replace", oldText: "a", content: "x" }],
  [
    "replacing by a text that holds the old one",
    ["tea"],
    { action: "replace", oldText: "tea", content: "tea and coffee" },
  ],
  ["removing", ["a", "b"], { action: "remove", oldText: "a" }],
])("comes to the same when %s runs twice", (_, before, operation) => {
  const once = applyMemoryOperations(before, [operation], 100);
  if ("problem" in once) throw new TypeError(once.problem);
  expect(once.entries).not.toEqual(before);
  expect(applyMemoryOperations(once.entries, [operation], 100)).toMatchObject({ entries: once.entries });
});

it("judges only the final size", () => {
  const full = ["x".repeat(95)];
  const both: MemoryOperation[] = [
    { action: "add", content: "y".repeat(50) },
    { action: "remove", oldText: "xxx" },
  ];
  expect(apply(full, ...both)).toMatchObject({ entries: ["y".repeat(50)] });
});

it("lets a document that is too long be cut down", () => {
  const before = ["x".repeat(150), "y".repeat(20)];
  expect(apply(before, { action: "remove", oldText: "y" })).toMatchObject({ entries: ["x".repeat(150)] });
});

it.each<[string, MemoryOperation, string]>([
  ["empty content", { action: "add", content: " \n" }, "needs content"],
  ["text that nobody sees", { action: "add", content: "a\u202Eb" }, "U+202E"],
  ["a separator within an entry", { action: "add", content: "a\n§\nb" }, "only §"],
  ["several entries", { action: "remove", oldText: "a" }, '2 entries contain "a": "ab", "ac"'],
  ["no old text", { action: "remove" }, "needs old_text"],
  ["an old text that is not there", { action: "replace", oldText: "zz", content: "n" }, "no entry contains"],
])("refuses %s", (_, operation, problem) => {
  expect(apply(["ab", "ac"], operation)).toEqual({ problem: expect.stringContaining(problem) });
});

it("prefers the entry that is the old text as a whole", () => {
  expect(apply(["a", "ab"], { action: "remove", oldText: "a" })).toMatchObject({ entries: ["ab"] });
});
