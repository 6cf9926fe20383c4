import { expect, it } from "vitest";
import { writeFile } from "#src/tools/write-file";
import { fakeProcesses } from "../../support/fake-processes";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

it("creates a file, then replaces it", async () => {
  const workspace = memoryWorkspace();
  const first = await runTool(writeFile, { path: "a/b.txt", content: "é\n" }, toolContext({ workspace }));
  const second = await runTool(
    writeFile,
    { path: "a/b.txt", content: "" },
    toolContext({ workspace, callKey: "call-2" }),
  );
  expect(first.content).toBe("Created a/b.txt: 1 line, 3 bytes.");
  expect(second.content).toBe("Replaced a/b.txt: 0 lines, 0 bytes.");
  expect(workspace.files()).toEqual({ "/workspace/a/b.txt": "" });
});

it("writes once when it runs again after a crash", async () => {
  const workspace = memoryWorkspace();
  const input = { path: "a", content: "x" };
  await runTool(writeFile, input, toolContext({ workspace }));
  await runTool(writeFile, input, toolContext({ workspace }));
  expect(workspace.mutations).toEqual(["call-1 /workspace/a"]);
});

it("refuses a folder", async () => {
  const workspace = memoryWorkspace({ "src/a": "" });
  expect(await runTool(writeFile, { path: "src", content: "" }, toolContext({ workspace }))).toMatchObject({
    isError: true,
  });
});

it("says of a file outside the workspace that a real shell does not have it", async () => {
  const virtual = memoryWorkspace();
  const real = { ...memoryWorkspace(), processes: fakeProcesses() };
  const write = async (path: string, workspace = real) =>
    (await runTool(writeFile, { path, content: "x" }, toolContext({ workspace }))).content;
  expect(await write("/tmp/a.py")).toContain("1 line, 1 byte. Commands will not find it");
  expect(await write("/workspace/a.py")).toBe("Created /workspace/a.py: 1 line, 1 byte.");
  expect(await write("b.py")).toBe("Created b.py: 1 line, 1 byte.");
  const result = await runTool(writeFile, { path: "/tmp/a.py", content: "x" }, toolContext({ workspace: virtual }));
  expect(result.content).toBe("Created /tmp/a.py: 1 line, 1 byte.");
});
