import { expect, it } from "vitest";
import { childOf, isWithin, joinPath, nameOf, parentOf, parsePath } from "#src/workspace/workspace-path";

it("makes one absolute path of every spelling", () => {
  expect(joinPath("/workspace", "a//./b/../c/")).toBe("/workspace/a/c");
  expect(joinPath("/workspace", "/etc/./x")).toBe("/etc/x");
  expect(joinPath("/", "")).toBe("/");
});

it("lets no path out above the root", () => {
  expect(joinPath("/workspace", "../../../../etc/passwd")).toBe("/etc/passwd");
  expect(joinPath("/", "..")).toBe("/");
});

it("takes a path apart and puts it together", () => {
  expect([parentOf("/a/b"), nameOf("/a/b"), parentOf("/a"), nameOf("/a"), parentOf("/"), nameOf("/")]).toEqual([
    "/a",
    "b",
    "/",
    "a",
    "/",
    "",
  ]);
  expect([childOf("/", "a"), childOf("/a", "b")]).toEqual(["/a", "/a/b"]);
});

it("knows what is in a folder and what only begins like it", () => {
  expect([isWithin("/a", "/a"), isWithin("/a", "/a/b"), isWithin("/a", "/ab"), isWithin("/", "/x")]).toEqual([
    true,
    true,
    false,
    true,
  ]);
});

it("refuses paths that no file system takes, and says why", () => {
  expect(() => parsePath("/", "")).toThrow("is empty");
  expect(() => parsePath("/", "a\0b")).toThrow("NUL");
  expect(() => parsePath("/", "a/".repeat(2100))).toThrow("4096 bytes");
  expect(() => parsePath("/", `a/${"é".repeat(128)}`)).toThrow("255 bytes");
  expect(parsePath("/", `a/${"é".repeat(127)}`)).toBe(`/a/${"é".repeat(127)}`);
});
