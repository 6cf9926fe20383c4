import { expect, it } from "vitest";
import { process } from "#src/tools/process";
import { type FakeProcesses, fakeProcesses } from "../../support/fake-processes";
import { memoryWorkspace } from "../../support/memory-workspace";
import { runTool, toolContext } from "../../support/tool-context";

const START = { key: "k", sessionKey: "main:test:dm:1", isTerminal: false, tellsEnd: false, watch: [] };

async function started(): Promise<FakeProcesses> {
  const processes = fakeProcesses();
  await processes.start("npm run dev", START);
  return processes;
}

async function ask(processes: FakeProcesses, args: unknown) {
  const context = toolContext({ workspace: { ...memoryWorkspace(), processes }, now: () => 4000 });
  const { content, isError } = await runTool(process, args, context);
  return isError === true ? content : (JSON.parse(content) as Record<string, unknown>);
}

it("lists what runs, and for how long", async () => {
  expect(await ask(await started(), { action: "list" })).toEqual({
    processes: [{ process_id: "p1", command: "npm run dev", status: "running", seconds: 3 }],
  });
});

it("shows state and last output, without colours", async () => {
  const processes = await started();
  processes.print("p1", "\u001B[1mready\u001B[0m\n");
  expect(await ask(processes, { action: "poll", process_id: "p1" })).toMatchObject({
    status: "running",
    output: "ready\n",
    log_bytes: 14,
  });
});

it("reads the log from an offset, or its end", async () => {
  const processes = await started();
  processes.print("p1", `${"a".repeat(300)}${"b".repeat(100)}`);
  const end = await ask(processes, { action: "log", process_id: "p1", limit: 100 });
  expect(end).toEqual({
    process_id: "p1",
    output: "b".repeat(100),
    offset: 300,
    next_offset: 400,
    is_end: false,
  });
  expect(await ask(processes, { action: "log", process_id: "p1", offset: 0, limit: 100 })).toMatchObject({
    output: "a".repeat(100),
    next_offset: 100,
  });
});

it("waits, and says when it still runs", async () => {
  const processes = await started();
  expect(await ask(processes, { action: "wait", process_id: "p1", timeout: 5 })).toMatchObject({
    hint: "It still runs after 5 seconds.",
  });
  processes.end("p1", 2);
  const ended = await ask(processes, { action: "wait", process_id: "p1" });
  expect(ended).toMatchObject({ status: "exited", exit_code: 2, seconds: 4 });
  expect(ended).not.toHaveProperty("hint");
});

it("gives input as it is, with Enter, or ends it", async () => {
  const processes = await started();
  await ask(processes, { action: "write", process_id: "p1", data: "y" });
  expect(processes.inputs).toEqual(["p1 y"]);
  const second = toolContext({ callKey: "call-2", workspace: { ...memoryWorkspace(), processes } });
  await runTool(process, { action: "submit", process_id: "p1", data: "name" }, second);
  const third = toolContext({ callKey: "call-3", workspace: { ...memoryWorkspace(), processes } });
  await runTool(process, { action: "close", process_id: "p1" }, third);
  expect(processes.inputs.slice(1)).toEqual(["p1 name\n", "p1 <end>"]);
});

it("gives input once for a call, however often it runs", async () => {
  const processes = await started();
  for (let run = 0; run < 2; run++) await ask(processes, { action: "submit", process_id: "p1", data: "once" });
  expect(processes.inputs).toEqual(["p1 once\n"]);
});

it("ends a process", async () => {
  expect(await ask(await started(), { action: "kill", process_id: "p1" })).toMatchObject({
    status: "exited",
    exit_code: 143,
  });
});

it("names what is missing", async () => {
  const processes = await started();
  expect(await ask(processes, { action: "poll" })).toContain("process_id");
  expect(await ask(processes, { action: "write", process_id: "p1" })).toContain("data");
  expect(() => process.parse({ action: "stop" })).toThrow("action");
  expect(await runTool(process, { action: "list" }, toolContext())).toMatchObject({ isError: true });
});
