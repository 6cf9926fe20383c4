import { expect, it } from "vitest";
import { GatewayError } from "#src/domain/errors";
import type { ToolContext } from "#src/domain/tool";
import { executeCode } from "#src/tools/execute-code";
import { fakeProcesses } from "../../support/fake-processes";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

const line = (message: object): string => `\u001E${JSON.stringify(message)}\n`;

/** A script that says these things, one after each answer. */
function scripted(...says: readonly string[]) {
  const processes = fakeProcesses();
  const workspace = { ...memoryWorkspace(), processes };
  const calls: unknown[] = [];
  let next = 0;
  const say = (): void => {
    processes.print("p1", says[next++] ?? "");
    if (next >= says.length) processes.end("p1", 0);
  };
  processes.onInput = say;
  processes.onStart = say;
  const callTool: ToolContext["callTool"] = async (name, args, number) => {
    calls.push({ name, args, number });
    return { content: `result ${number}` };
  };
  return { processes, workspace, calls, context: toolContext({ workspace, callTool }) };
}

const CALL = { t: "call", n: 1, name: "read_file", args: { path: "a" } };

it("runs a script, answers its calls and gives what it printed", async () => {
  const second = line({ t: "out", text: "got\n" }) + line({ ...CALL, n: 2, name: "terminal", args: { command: "ls" } });
  const { context, calls, processes, workspace } = scripted(line(CALL), second, line({ t: "end", code: 0 }));
  const { content } = await runTool(executeCode, { code: "print('got')" }, context);
  expect(JSON.parse(content)).toEqual({ output: "got\n", exit_code: 0, tool_calls: 2, seconds: 0 });
  expect(calls).toEqual([
    { name: "read_file", args: { path: "a" }, number: 1 },
    { name: "terminal", args: { command: "ls" }, number: 2 },
  ]);
  expect(processes.inputs[0]).toBe('p1 {"n":1,"content":"result 1","is_error":false}\n');
  expect(processes.started[0]).toMatchObject({ timeoutMs: 300_000, key: "call-1#run" });
  expect(workspace.files()).toEqual({});
});

it("finds the script again after a crash, and answers only the call that may be open", async () => {
  const { context, calls, processes } = scripted(line(CALL) + line({ ...CALL, n: 2 }), line({ t: "end", code: 0 }));
  await processes.start("earlier", {
    key: "call-1#run",
    sessionKey: "s",
    isTerminal: false,
    tellsEnd: false,
    watch: [],
  });
  await runTool(executeCode, { code: "x" }, context);
  expect(processes.started).toHaveLength(1);
  expect(calls).toEqual([{ name: "read_file", args: { path: "a" }, number: 2 }]);
});

it("answers again when whether the answer came is not known", async () => {
  const { context, processes } = scripted(line(CALL), line({ t: "end", code: 0 }));
  const keys: string[] = [];
  processes.beforeInput = (key) => {
    keys.push(key);
    if (keys.length === 1) throw new GatewayError("unconfirmed", "not known");
  };
  expect((await runTool(executeCode, { code: "x" }, context)).isError).toBeUndefined();
  expect(keys).toEqual(["call-1#answer1", "call-1#answer1-again"]);
});

it("refuses other tools, background commands and too many calls, in words for the script", async () => {
  const { context, processes, calls } = scripted(
    line({ ...CALL, name: "memory" }),
    line({ ...CALL, n: 2, name: "terminal", args: { command: "x", background: true } }),
    line({ ...CALL, n: 51 }),
    line({ t: "end", code: 0 }),
  );
  await runTool(executeCode, { code: "x" }, context);
  expect(calls).toEqual([]);
  expect(processes.inputs.map((input) => /"content":"([^"]*)"/.exec(input)?.[1])).toEqual([
    "A script cannot call memory.",
    "A script runs commands in the foreground.",
    "A script may call tools 50 times.",
  ]);
});

it("says when time ran out, and when there is no Python", async () => {
  for (const [exitCode, word] of [
    [124, "300 seconds"],
    [127, "python3"],
  ] as const) {
    const processes = fakeProcesses();
    processes.onStart = (id) => {
      processes.print(id, "bash: half a line");
      processes.end(id, exitCode);
    };
    const context = toolContext({ workspace: { ...memoryWorkspace(), processes } });
    const { content } = await runTool(executeCode, { code: "x" }, context);
    expect(JSON.parse(content)).toMatchObject({ output: "bash: half a line", error: expect.stringContaining(word) });
  }
});

it("ends the script when the turn is stopped", async () => {
  const processes = fakeProcesses();
  const stopper = new AbortController();
  const context = toolContext({ workspace: { ...memoryWorkspace(), processes }, signal: stopper.signal });
  const running = runTool(executeCode, { code: "while True: pass" }, context);
  const ended = expect(running).rejects.toThrow("stopped");
  setTimeout(() => stopper.abort(new Error("stopped")), 20);
  await ended;
  expect((await processes.find("s", "p1")).status).toBe("exited");
});

it("says that it needs a real shell where there is none", async () => {
  const { content, isError } = await runTool(executeCode, { code: "x" }, toolContext());
  expect(isError).toBe(true);
  expect(content).toContain("real shell");
});
