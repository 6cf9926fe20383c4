import { expect, it } from "vitest";
import { readFile } from "#src/tools/read-file";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

const read = (files: Record<string, string | Uint8Array>, input: object): ReturnType<typeof runTool> =>
  runTool(readFile, input, toolContext({ workspace: memoryWorkspace(files) }));

it("numbers the lines", async () => {
  expect(await read({ "a.txt": "one\r\ntwo\n" }, { path: "a.txt" })).toEqual({ content: "1|one\n2|two" });
});

it("reads a range and says where to go on", async () => {
  const result = await read({ "a.txt": "1\n2\n3\n4\n" }, { path: "a.txt", offset: 2, limit: 2 });
  expect(result.content).toBe("2|2\n3|3\n[lines 2-3 of 4; go on with offset 4]");
});

it("says that a file is empty, and that an offset is behind the end", async () => {
  expect((await read({ a: "" }, { path: "a" })).content).toBe("(a is empty)");
  expect(await read({ a: "x\n" }, { path: "a", offset: 2 })).toMatchObject({ isError: true });
});

it("stops before 100,000 characters, at a whole line", async () => {
  const result = await read({ a: `${"x".repeat(999)}\n`.repeat(300) }, { path: "a", limit: 2000 });
  expect(result.content.length).toBeLessThan(100_100);
  expect(result.content).toMatch(/\[lines 1-99 of 300; go on with offset 100\]$/);
});

it("cuts one long line", async () => {
  const result = await read({ a: "x".repeat(5000) }, { path: "a" });
  expect(result.content).toMatch(/… \[3000 more characters in this line\]$/);
});

it.each([
  ["a zero byte", new Uint8Array([65, 0, 66])],
  ["what is not UTF-8", new Uint8Array([0xff, 0xfe, 0xfd])],
])("does not show a file with %s", async (_, bytes) => {
  expect(await read({ a: bytes }, { path: "a" })).toEqual({
    content: "a is not a text file (3 bytes of binary).",
    isError: true,
  });
});

it("names files like the one that is missing", async () => {
  const files = { "src/registry.ts": "", "src/other.ts": "", "docs/readme.md": "" };
  expect((await read(files, { path: "src/registri.ts" })).content).toContain(
    "Did you mean /workspace/src/registry.ts?",
  );
  expect((await read(files, { path: "README.md" })).content).toContain("/workspace/docs/readme.md");
});

it("refuses a folder", async () => {
  expect(await read({ "src/a": "" }, { path: "src" })).toEqual({ content: "src is a folder.", isError: true });
});
