import { expect, it } from "vitest";
import { searchFiles } from "#src/tools/search-files";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

const files = {
  "src/a.ts": "import x\nconst a = 1;\nconst b = 2;\nend\n",
  "src/deep/b.ts": "const c = 3;\n",
  "docs/a.md": "no match, const\n",
  "node_modules/m/a.ts": "const hidden = 1;\n",
  ".git/HEAD": "const ref\n",
  "bin.dat": new Uint8Array([0, 99, 111, 110, 115, 116]),
};

const search = async (input: object, among: Record<string, string | Uint8Array> = files): Promise<string> =>
  (await runTool(searchFiles, input, toolContext({ workspace: memoryWorkspace(among) }))).content;

it("finds lines that match a regular expression", async () => {
  expect(await search({ pattern: "^const \\w = \\d", path: "src" })).toBe(
    "/workspace/src/a.ts:2:const a = 1;\n/workspace/src/a.ts:3:const b = 2;\n/workspace/src/deep/b.ts:1:const c = 3;",
  );
});

it("leaves out folders that others fill, and binary files", async () => {
  expect(await search({ pattern: "const", output_mode: "files_only" })).toBe(
    "/workspace/docs/a.md\n/workspace/src/a.ts\n/workspace/src/deep/b.ts",
  );
});

it("searches such a folder when the search begins there, and a single file", async () => {
  expect(await search({ pattern: "hidden", path: "node_modules/m" })).toContain("a.ts:1:const hidden");
  expect(await search({ pattern: "c", path: "src/deep/b.ts" })).toBe("/workspace/src/deep/b.ts:1:const c = 3;");
});

it("keeps to the files that a glob names", async () => {
  expect(await search({ pattern: "const", file_glob: "*.md" })).toBe("/workspace/docs/a.md:1:no match, const");
  expect(await search({ pattern: "const", path: "src", file_glob: "deep/*" })).toContain("b.ts:1");
});

it("shows lines around a match and marks what is left out between", async () => {
  const lines = Array.from({ length: 9 }, (_, i) => `line${i}`).join("\n");
  expect(await search({ pattern: "line[17]", context: 1 }, { a: lines })).toBe(
    [0, 1, 2, "", 6, 7, 8]
      .map((i) =>
        i === ""
          ? "--"
          : `/workspace/a${i === 1 || i === 7 ? ":" : "-"}${Number(i) + 1}${i === 1 || i === 7 ? ":" : "-"}line${i}`,
      )
      .join("\n"),
  );
});

it("counts matches by file", async () => {
  expect(await search({ pattern: "const", path: "src", output_mode: "count" })).toBe(
    "/workspace/src/a.ts:2\n/workspace/src/deep/b.ts:1",
  );
});

it("pages through matches", async () => {
  expect(await search({ pattern: "const", path: "src", limit: 2 })).toMatch(
    /:3:const b = 2;\n\[there are more; go on with offset 2\]$/,
  );
  expect(await search({ pattern: "const", path: "src", limit: 2, offset: 2 })).toBe(
    "/workspace/src/deep/b.ts:1:const c = 3;",
  );
  expect(await search({ pattern: "const", path: "src", offset: 9 })).toBe("No matches behind offset 9.");
});

it("finds files by glob, or by a part of the name", async () => {
  expect(await search({ pattern: "*.ts", target: "files" })).toBe("/workspace/src/a.ts\n/workspace/src/deep/b.ts");
  expect(await search({ pattern: "deep/*.ts", target: "files", path: "src" })).toBe("/workspace/src/deep/b.ts");
  expect(await search({ pattern: "bin", target: "files" })).toBe("/workspace/bin.dat");
  expect(await search({ pattern: "zzz", target: "files" })).toBe("No matches.");
});

it("refuses a pattern that cannot be searched, and a path that is not there", async () => {
  expect(await search({ pattern: "(?=a)" })).toContain(
    "pattern is not a regular expression that can be searched: look-around",
  );
  expect(await search({ pattern: "a", path: "nowhere" })).toContain("There is nothing at nowhere.");
});

it("says which files were too large or too many", async () => {
  const many = Object.fromEntries(Array.from({ length: 510 }, (_, i) => [`f${i}`, "x\n"]));
  const content = await search(
    { pattern: "x", output_mode: "count", limit: 1 },
    { ...many, big: "x".repeat(1_000_001) },
  );
  expect(content).toContain("[1 files over 1000000 bytes were left out]");
  expect(content).toContain("[10 files were not searched, narrow path or file_glob to reach them]");
});

it("ends at once for a pattern on which backtracking would not", async () => {
  expect(await search({ pattern: "(a+)+$" }, { f: `${"a".repeat(1900)}!\n` })).toBe("No matches.");
});

it("reads less for a pattern that costs more", async () => {
  const content = await search({ pattern: "(?:x?y){900}" }, { a: "x".repeat(1000), b: "x".repeat(900_000) });
  expect(content).toContain("[1 files were not searched");
});

it("cuts long lines", async () => {
  const content = await search({ pattern: "a" }, { f: "a".repeat(3000) });
  expect(content).toHaveLength("/workspace/f:1:".length + 501);
});
