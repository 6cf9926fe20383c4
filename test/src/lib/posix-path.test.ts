import { expect, it } from "vitest";
import { normalizePath, pathsOverlap, resolvePath } from "#src/lib/posix-path";

it.each([
  ["a/./b//c/", "a/b/c"],
  ["a/../b", "b"],
  ["../a/..", ".."],
  ["../../a", "../../a"],
  ["./", "."],
  ["a/..", "."],
  ["/../a", "/a"],
  ["/", "/"],
  ["/a/b/../..", "/"],
])("brings %s into its normal form %s", (path, normal) => {
  expect(normalizePath(path)).toBe(normal);
});

it("resolves relative paths and leaves absolute ones", () => {
  expect(resolvePath("/work", "../a")).toBe("/a");
  expect(resolvePath("/work", "/b/")).toBe("/b");
});

it.each([
  ["/a", "/a", true],
  ["/a", "/a/b", true],
  ["/a/b", "/a", true],
  ["/", "/a", true],
  ["/a", "/ab", false],
  ["/a/b", "/a/c", false],
])("tells whether %s and %s overlap: %s", (a, b, expected) => {
  expect(pathsOverlap(a, b)).toBe(expected);
});
