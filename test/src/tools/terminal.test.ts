import { expect, it } from "vitest";
import type { ExecResult, ToolContext } from "#src/domain/tool";
import { terminal } from "#src/tools/terminal";
import { fakeProcesses } from "../../support/fake-processes";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

type Exec = ToolContext["workspace"]["exec"];

const DONE: ExecResult = { exitCode: 0, stdout: "", stderr: "", timedOut: false, cwd: "/workspace" };

async function answerTo(result: Partial<ExecResult>, args: unknown = { command: "x" }, asked: unknown[] = []) {
  const exec: Exec = (command, { key, timeoutMs, workdir }) => {
    asked.push({ command, key, timeoutMs, workdir });
    return Promise.resolve({ ...DONE, ...result });
  };
  const context = { callKey: "call-1", signal: new AbortController().signal, workspace: { exec } } as ToolContext;
  const outcome = await terminal.execute(terminal.parse(args), context);
  if ("ask" in outcome) throw new Error("asked");
  return { ...outcome, answer: JSON.parse(outcome.content) as Record<string, unknown> };
}

it("answers output, exit code and directory, and takes a failed command for a result", async () => {
  const { answer, isError } = await answerTo({ stdout: "out\n", stderr: "err\n", exitCode: 3, cwd: "/workspace/d" });
  expect(answer).toEqual({ output: "out\nerr\n", exit_code: 3, cwd: "/workspace/d" });
  expect(isError).toBeUndefined();
});

it("runs the command under the key of the call, within the time that was asked for", async () => {
  const asked: unknown[] = [];
  await answerTo({}, { command: "ls -l", timeout: 5, workdir: "sub" }, asked);
  await answerTo({}, { command: "ls" }, asked);
  expect(asked).toEqual([
    { command: "ls -l", key: "call-1", timeoutMs: 5000, workdir: "sub" },
    { command: "ls", key: "call-1", timeoutMs: 180_000, workdir: undefined },
  ]);
});

it("says that a command did not end in time", async () => {
  const { answer } = await answerTo({ exitCode: 124, timedOut: true, stdout: "half" });
  expect(answer).toMatchObject({ output: "half", exit_code: 124, error: expect.stringContaining("in time") });
});

it("begins stderr on a line of its own", async () => {
  expect((await answerTo({ stdout: "out", stderr: "err" })).answer["output"]).toBe("out\nerr");
});

it("leaves colours out, and the middle of a long output", async () => {
  const stdout = Array.from({ length: 3000 }, (_, i) => `\u001B[32mline ${i + 1}\u001B[0m\n`).join("");
  const { answer } = await answerTo({ stdout });
  const output = String(answer["output"]);
  expect(output).toMatch(/^line 1\n/);
  expect(output).toContain("line 800\n[... 9801 bytes on 1000 lines left out ...]\nline 1801\n");
  expect(output).toMatch(/line 3000\n$/);
  expect(String((await answerTo({ stdout: "x".repeat(100_000) })).answer["output"]).length).toBeLessThanOrEqual(50_000);
});

it("refuses a time that is none, naming the field", () => {
  expect(() => terminal.parse({ command: "ls", timeout: 0 })).toThrow("timeout");
  expect(() => terminal.parse({ command: "ls", timeout: 3601 })).toThrow("timeout");
  expect(() => terminal.parse({ command: "" })).toThrow("command");
  expect(() => terminal.parse({})).toThrow("command");
});

it("tells beside the output what else there is to know", async () => {
  const { answer } = await answerTo({ notes: ["f changed on both sides."] });
  expect(answer["notes"]).toEqual(["f changed on both sides."]);
});

it("shows what a long command prints, without colours", async () => {
  const shown: string[] = [];
  const exec: Exec = async (_, { onOutput, isTerminal }) => {
    onOutput?.("\u001B[32mhalf\u001B[0m");
    return { ...DONE, stdout: String(isTerminal) };
  };
  const context = toolContext({ workspace: { ...memoryWorkspace(), exec }, onProgress: (text) => shown.push(text) });
  const { content } = await runTool(terminal, { command: "make", pty: true }, context);
  expect(shown).toEqual(["half"]);
  expect(content).toContain('"output":"true"');
});

it("starts a background command under the key of the call, and says where to look", async () => {
  const processes = fakeProcesses();
  const context = toolContext({ workspace: { ...memoryWorkspace(), processes } });
  const args = { command: "npm run dev", background: true, workdir: "app", watch_patterns: ["ready"] };
  const { content } = await runTool(terminal, args, context);
  expect(JSON.parse(content)).toEqual({
    process_id: "p1",
    status: "running",
    hint: "A message will tell you; there is no need to wait.",
  });
  expect(processes.started).toEqual([
    {
      command: "npm run dev",
      key: "call-1",
      sessionKey: "main:test:dm:1",
      isTerminal: false,
      tellsEnd: false,
      watch: ["ready"],
      workdir: "app",
    },
  ]);
});

it("says what only background commands have, and where there are none", async () => {
  const foreground = await runTool(terminal, { command: "ls", notify_on_complete: true }, toolContext());
  expect(foreground).toMatchObject({ isError: true, content: expect.stringContaining("background: true") });
  const nowhere = await runTool(terminal, { command: "ls", background: true }, toolContext());
  expect(nowhere).toMatchObject({ isError: true, content: expect.stringContaining("background") });
});
