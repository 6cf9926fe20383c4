import { expect, it } from "vitest";
import { decodeUtf8, utf8 } from "#src/lib/encoding";
import type { BaseFiles, StoredNode, WorkspaceQuota } from "#src/workspace/base-files";
import { type OverlayTree, createOverlayTree } from "#src/workspace/overlay-tree";
import { nameOf, parentOf } from "#src/workspace/workspace-path";

const QUOTA: WorkspaceQuota = { maxNodes: 100, maxBytes: 1000, maxFileBytes: 500 };

/** Committed files, by path; a text is a file's content, null a folder. */
function baseOf(files: Readonly<Record<string, string | null>>): BaseFiles {
  const nodeOf = (content: string | null): StoredNode =>
    content === null
      ? { kind: "directory", size: 0, mode: 0o755, modifiedAt: 1 }
      : { kind: "file", size: utf8(content).length, mode: 0o644, modifiedAt: 1 };
  const nodes = new Map(Object.entries(files).map(([path, content]) => [path, nodeOf(content)]));
  return {
    find: (path) => nodes.get(path),
    children: (folder) =>
      new Map([...nodes].filter(([path]) => parentOf(path) === folder).map(([path, node]) => [nameOf(path), node])),
    read: (path) => utf8(files[path] ?? ""),
    totals: { nodes: nodes.size, bytes: [...nodes.values()].reduce((sum, { size }) => sum + size, 0) },
  };
}

const treeOver = (files: Readonly<Record<string, string | null>>, quota = QUOTA): OverlayTree =>
  createOverlayTree({ base: baseOf(files), quota, now: () => 2 });

const changesOf = (tree: OverlayTree) =>
  tree.changes().map(({ path, node, content }) => [path, node?.kind ?? "gone", content && decodeUtf8(content)]);

it("changes nothing by being read", () => {
  const tree = treeOver({ "/workspace/f": "text" });
  expect(decodeUtf8(tree.read("/workspace/f"))).toBe("text");
  expect(tree.names("/")).toEqual(["tmp", "workspace"]);
  expect(tree.changes()).toEqual([]);
});

it("shows what was written over what is committed, and hides what was removed", () => {
  const tree = treeOver({ "/workspace/a": "old", "/workspace/b": "other" });
  tree.write("/workspace/a", utf8("new"));
  tree.remove("/workspace/b");
  tree.write("/workspace/c", utf8("c"));
  expect(decodeUtf8(tree.read("/workspace/a"))).toBe("new");
  expect(tree.names("/workspace")).toEqual(["a", "c"]);
  expect(() => tree.read("/workspace/b")).toThrow("ENOENT");
  expect(changesOf(tree)).toEqual([
    ["/workspace/a", "file", "new"],
    ["/workspace/b", "gone", undefined],
    ["/workspace/c", "file", "c"],
  ]);
});

it("has nothing to commit of what came and went", () => {
  const tree = treeOver({ "/workspace/d": null });
  tree.write("/workspace/d/f", utf8("x"));
  tree.remove("/workspace/d/f");
  tree.remove("/workspace/d");
  tree.makeFolder("/workspace/d");
  expect(tree.changes()).toEqual([]);
});

it("appends to committed and to new content, often and cheaply", () => {
  const tree = treeOver({ "/workspace/f": "ab" });
  for (let i = 0; i < 100; i++) tree.append("/workspace/f", utf8(String(i % 10)));
  tree.append("/workspace/new", utf8("1"));
  tree.append("/workspace/new", utf8("2"));
  expect(decodeUtf8(tree.read("/workspace/f"))).toBe(`ab${"0123456789".repeat(10)}`);
  expect(decodeUtf8(tree.read("/workspace/new"))).toBe("12");
});

it("does not change what an earlier read gave when it appends", () => {
  const tree = treeOver({});
  tree.append("/workspace/f", utf8("a"));
  const before = tree.read("/workspace/f");
  tree.append("/workspace/f", utf8("b"));
  expect(decodeUtf8(before)).toBe("a");
});

it("changes a mode without rewriting the content", () => {
  const tree = treeOver({ "/workspace/f": "text" });
  tree.touch("/workspace/f", { mode: 0o755 });
  expect(tree.changes()).toEqual([
    { path: "/workspace/f", node: { kind: "file", size: 4, mode: 0o755, modifiedAt: 1 } },
  ]);
});

it("follows links in folders always and the last one when asked", () => {
  const tree = treeOver({ "/workspace/d": null, "/workspace/d/f": "x" });
  tree.makeLink("/workspace/up", "./d/../d");
  tree.makeLink("/workspace/d/g", "f");
  expect(tree.resolve("/workspace/up/g", "open", true)).toBe("/workspace/d/f");
  expect(tree.resolve("/workspace/up/g", "open", false)).toBe("/workspace/d/g");
  expect(tree.resolve("/workspace/up/none/x", "open", true)).toBe("/workspace/d/none/x");
});

it("gives up on links that lead in a circle or through a file", () => {
  const tree = treeOver({ "/workspace/f": "x" });
  tree.makeLink("/workspace/a", "b");
  tree.makeLink("/workspace/b", "a");
  tree.makeLink("/workspace/top", "/");
  expect(() => tree.resolve("/workspace/a", "open", true)).toThrow("ELOOP");
  expect(() => tree.resolve("/workspace/f/x", "open", true)).toThrow("ENOTDIR");
  expect(tree.resolve("/workspace/top/../x", "open", true)).toBe("/workspace/x");
  expect(tree.resolve("/workspace/top", "open", true)).toBe("/");
});

it("refuses what a file system refuses", () => {
  const tree = treeOver({ "/workspace/f": "x", "/workspace/d": null, "/workspace/d/g": "x" });
  expect(() => tree.write("/workspace/none/x", utf8(""))).toThrow("ENOENT");
  expect(() => tree.write("/workspace/f/x", utf8(""))).toThrow("ENOTDIR");
  expect(() => tree.write("/workspace/d", utf8(""))).toThrow("EISDIR");
  expect(() => tree.makeFolder("/workspace/f")).toThrow("EEXIST");
  expect(() => tree.remove("/workspace/d")).toThrow("ENOTEMPTY");
  expect(() => tree.remove("/workspace/none")).toThrow("ENOENT");
  expect(() => tree.write(`/workspace/${"n".repeat(256)}`, utf8(""))).toThrow("ENAMETOOLONG");
});

it("keeps a workspace within its quota, and lets a full one shrink", () => {
  const tree = treeOver({ "/workspace/f": "x".repeat(450), "/workspace/g": "x".repeat(450) });
  expect(() => tree.write("/workspace/h", new Uint8Array(501))).toThrow("EFBIG");
  expect(() => tree.write("/workspace/h", new Uint8Array(101))).toThrow("ENOSPC");
  tree.write("/workspace/f", new Uint8Array(10));
  tree.remove("/workspace/g");
  tree.write("/workspace/h", new Uint8Array(500));
  expect(tree.changes()).toHaveLength(3);
});

it("bounds the number of files", () => {
  const tree = treeOver({ "/workspace/f": "x" }, { ...QUOTA, maxNodes: 2 });
  tree.makeFolder("/workspace/d");
  expect(() => tree.makeFolder("/workspace/e")).toThrow("ENOSPC");
  tree.remove("/workspace/f");
  tree.makeFolder("/workspace/e");
});

it("keeps the folders that are always there, and forgets the system's own", () => {
  const tree = treeOver({});
  tree.makeFolders("/usr/bin");
  tree.makeFolders("/dev");
  tree.write("/usr/bin/ls", utf8("x"));
  tree.seal();
  expect(() => tree.write("/usr/bin/ls", utf8("y"))).toThrow("EROFS");
  expect(() => tree.makeFolder("/usr/local")).toThrow("EROFS");
  tree.write("/dev/x", utf8("y"));
  tree.remove("/workspace");
  expect(tree.find("/workspace")?.kind).toBe("directory");
  expect(tree.changes()).toEqual([]);
});
