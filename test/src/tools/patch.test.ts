import { expect, it } from "vitest";
import { patch } from "#src/tools/patch";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

const v4a = (...lines: string[]): object => ({
  mode: "patch",
  patch: ["*** Begin Patch", ...lines, "*** End Patch"].join("\n"),
});

it("replaces a text and shows the diff", async () => {
  const workspace = memoryWorkspace({ "a.txt": "one\ntwo\n" });
  const input = { path: "a.txt", old_string: "two", new_string: "three" };
  const result = await runTool(patch, input, toolContext({ workspace }));
  expect(result.content).toBe("Changed 1 place in a.txt.\n--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three");
  expect(workspace.files()).toEqual({ "/workspace/a.txt": "one\nthree\n" });
});

it("says how it found a text that was not quoted exactly", async () => {
  const workspace = memoryWorkspace({ a: "x  =  1\n" });
  const result = await runTool(
    patch,
    { path: "a", old_string: "x = 1", new_string: "x = 2" },
    toolContext({ workspace }),
  );
  expect(result.content).toContain("found by: blanks");
});

it("keeps a byte order mark", async () => {
  const workspace = memoryWorkspace({ a: new Uint8Array([0xef, 0xbb, 0xbf, 0x61]) });
  await runTool(patch, { path: "a", old_string: "a", new_string: "b" }, toolContext({ workspace }));
  expect(await workspace.readFile("a")).toEqual(new Uint8Array([0xef, 0xbb, 0xbf, 0x62]));
});

it.each([
  ["a missing field", { path: "a", old_string: "x" }, "needs path, old_string and new_string"],
  ["an empty old_string", { path: "a", old_string: "", new_string: "x" }, "old_string is empty"],
  ["equal texts", { path: "a", old_string: "x", new_string: "x" }, "are the same"],
  ["a missing file", { path: "b", old_string: "x", new_string: "y" }, "There is no file b."],
  ["a binary file", { path: "bin", old_string: "x", new_string: "y" }, "not a text file"],
  ["a folder", { path: "src", old_string: "x", new_string: "y" }, "is a folder"],
  ["a text in several places", { path: "a", old_string: "a", new_string: "y" }, "matches 2 places, at lines 1, 2"],
  ["an empty patch", { mode: "patch" }, "Mode patch needs patch"],
  ["a patch without files", { mode: "patch", patch: "hello" }, "is not a header"],
])("refuses %s and changes nothing", async (_, input, sentence) => {
  const files = { a: "a\na\n", bin: new Uint8Array([0]), "src/x": "" };
  const workspace = memoryWorkspace(files);
  const result = await runTool(patch, input, toolContext({ workspace }));
  expect(result).toEqual({ content: expect.stringContaining(sentence), isError: true });
  expect(workspace.mutations).toEqual([]);
});

it("adds, changes, moves and deletes files in one patch", async () => {
  const workspace = memoryWorkspace({ old: "a\nb\n", dead: "x\n", kept: "k\n" });
  const input = v4a(
    "*** Add File: sub/new",
    "+hello",
    "*** Update File: old",
    "*** Move to: moved",
    "@@",
    "-b",
    "+c",
    "*** Delete File: dead",
  );
  const result = await runTool(patch, input, toolContext({ workspace }));
  expect(workspace.files()).toEqual({
    "/workspace/kept": "k\n",
    "/workspace/sub/new": "hello\n",
    "/workspace/moved": "a\nc\n",
  });
  expect(result.content).toContain("Created sub/new.\nDeleted old.\nCreated moved.\nDeleted dead.\n");
});

it("writes nothing when one hunk does not fit", async () => {
  const workspace = memoryWorkspace({ a: "1\n", b: "2\n" });
  const input = v4a("*** Update File: a", "-1", "+x", "*** Update File: b", "-9", "+y");
  const result = await runTool(patch, input, toolContext({ workspace }));
  expect(result).toEqual({
    content: expect.stringContaining("Nothing was changed. b: hunk 1 does not match"),
    isError: true,
  });
  expect(workspace.mutations).toEqual([]);
});

it("changes a file twice in one patch", async () => {
  const workspace = memoryWorkspace({ a: "1\n2\n" });
  const input = v4a("*** Update File: a", "-1", "+x", "*** Update File: ./a", "-2", "+y");
  await runTool(patch, input, toolContext({ workspace }));
  expect(workspace.files()).toEqual({ "/workspace/a": "x\ny\n" });
});

it("neither adds over a file nor moves over one", async () => {
  const workspace = memoryWorkspace({ a: "1\n", b: "2\n" });
  const add = await runTool(patch, v4a("*** Add File: a", "+other"), toolContext({ workspace }));
  const move = await runTool(patch, v4a("*** Move File: a -> b"), toolContext({ workspace }));
  expect(add.content).toContain("a: exists already");
  expect(move.content).toContain("b: exists already");
  expect(workspace.mutations).toEqual([]);
});

it.each([0, 1, 2, 3])("ends as one run would when it was cut off after %i changes and runs again", async (done) => {
  const files = { old: "a\nb\n", dead: "x\n" };
  const input = v4a(
    "*** Add File: new",
    "+hello",
    "*** Update File: old",
    "*** Move to: moved",
    "-b",
    "+c",
    "*** Delete File: dead",
  );
  const whole = memoryWorkspace(files);
  await runTool(patch, input, toolContext({ workspace: whole }));

  const workspace = memoryWorkspace(files);
  let left = done;
  const cutOff = async (): Promise<void> => {
    if (left-- === 0) throw new TypeError("the process ended");
  };
  const crashing = {
    ...workspace,
    writeFile: async (path: string, bytes: Uint8Array, key: string) => {
      await cutOff();
      return workspace.writeFile(path, bytes, key);
    },
    removeFile: async (path: string, key: string) => {
      await cutOff();
      return workspace.removeFile(path, key);
    },
  };
  await expect(runTool(patch, input, toolContext({ workspace: crashing }))).rejects.toThrow("the process ended");
  const again = await runTool(patch, input, toolContext({ workspace }));
  expect(again.isError).toBeUndefined();
  expect(workspace.files()).toEqual(whole.files());
  expect(new Set(workspace.mutations).size).toBe(workspace.mutations.length);
});

it("does not apply an edit twice that runs again after a crash", async () => {
  const workspace = memoryWorkspace({ a: "one\n" });
  const input = { path: "a", old_string: "one", new_string: "one\ntwo" };
  await runTool(patch, input, toolContext({ workspace }));
  await runTool(patch, input, toolContext({ workspace }));
  expect(workspace.files()).toEqual({ "/workspace/a": "one\ntwo\n" });
});

it("cuts a long diff", async () => {
  const workspace = memoryWorkspace({ a: "x\n" });
  const result = await runTool(
    patch,
    { path: "a", old_string: "x", new_string: "y\n".repeat(9000) },
    toolContext({ workspace }),
  );
  expect(result.content.length).toBeLessThan(8200);
  expect(result.content).toMatch(/\[\d+ more characters of diff\]$/);
});
