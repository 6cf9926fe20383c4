import { afterEach, expect, it, vi } from "vitest";
import { env } from "cloudflare:workers";
import type { StartRequest } from "#src/workspace/open-workspace";
import { openHookCommands } from "../../durable-objects/sandbox-client";
import { value, withSidecar } from "../support/sidecar-sandbox";
import { until } from "../support/until";

afterEach(() => {
  vi.restoreAllMocks();
});

const SESSION = "main:telegram:dm:7001";

const START: StartRequest = {
  command: "npm run dev",
  key: "start-1",
  sessionKey: SESSION,
  isTerminal: false,
  tellsEnd: false,
  watch: [],
};

it("starts a process once for its key, and finds it again in another life", () =>
  withSidecar("start", async ({ sidecar, sandbox, write, reborn }) => {
    await write("package.json", "{}");
    const started = value(await sandbox().startProcess(START));
    expect(started).toMatchObject({ id: "p_1", command: "npm run dev", status: "running" });
    expect(sidecar.files()).toEqual({ "package.json": "{}" });
    reborn();
    expect(value(await sandbox().startProcess(START)).id).toBe("p_1");
    sidecar.print("p_1", "listening\n");
    const [found, ...others] = value(await sandbox().listProcesses(SESSION));
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id: "p_1", command: "npm run dev", status: "running", tail: "listening\n" });
    expect(sidecar.processes.size).toBe(1);
  }));

it("starts no second process when the object ended before it knew of the first", () =>
  withSidecar("start-crash", async ({ sidecar, sandbox, reborn }) => {
    const given = Promise.withResolvers<void>();
    const { fetch } = sidecar;
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      const response = await fetch(input as string, init);
      if (sidecar.processes.size === 0) return response;
      given.resolve();
      return new Promise(() => {});
    });
    void sandbox().startProcess(START);
    await given.promise;
    vi.mocked(globalThis.fetch).mockImplementation((input, init) => fetch(input as string, init));
    reborn();
    expect(value(await sandbox().startProcess(START)).id).toBe("p_1");
    expect(sidecar.processes.size).toBe(1);
  }));

it("starts nothing again on a new disk, and says that the outcome is unknown", () =>
  withSidecar("start-lost", async ({ sidecar, sandbox, reborn }) => {
    const given = Promise.withResolvers<void>();
    const { fetch } = sidecar;
    vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
      const response = await fetch(input as string, init);
      if (sidecar.processes.size === 0) return response;
      given.resolve();
      return new Promise(() => {});
    });
    void sandbox().startProcess(START);
    await given.promise;
    vi.mocked(globalThis.fetch).mockImplementation((input, init) => fetch(input as string, init));
    sidecar.restart({ keepsDisk: false });
    reborn();
    for (let ask = 0; ask < 2; ask++)
      expect(await sandbox().startProcess(START)).toMatchObject({ ok: false, code: "unconfirmed" });
    expect(sidecar.processes.size).toBe(0);
  }));

it("shows each session its own processes alone", () =>
  withSidecar("own", async ({ sandbox }) => {
    await sandbox().startProcess(START);
    expect(value(await sandbox().listProcesses("main:slack:dm:U1"))).toEqual([]);
    expect(await sandbox().findProcess("main:slack:dm:U1", "p_1")).toMatchObject({ ok: false, code: "not_found" });
    expect(await sandbox().killProcess("main:slack:dm:U1", "p_1")).toMatchObject({ ok: false, code: "not_found" });
    expect(value(await sandbox().findProcess(SESSION, "p_1")).status).toBe("running");
  }));

it("reads, waits, gives input and ends", () =>
  withSidecar("look-after", async ({ sidecar, sandbox }) => {
    await sandbox().startProcess(START);
    sidecar.print("p_1", "name? ");
    expect(value(await sandbox().processLog(SESSION, "p_1", 0, 100))).toMatchObject({ text: "name? ", isEnd: false });
    const input = { text: "bob\n", closes: false, key: "input-1" };
    for (let ask = 0; ask < 2; ask++) expect(value(await sandbox().writeToProcess(SESSION, "p_1", input))).toBeNull();
    await sandbox().writeToProcess(SESSION, "p_1", { text: "", closes: true, key: "input-2" });
    expect(sidecar.inputs).toEqual(["bob\n", "<end>"]);
    expect(value(await sandbox().waitForProcess(SESSION, "p_1", 10)).status).toBe("running");
    expect(value(await sandbox().killProcess(SESSION, "p_1"))).toMatchObject({ status: "exited", exitCode: 143 });
    expect(await sandbox().writeToProcess(SESSION, "p_1", { ...input, key: "input-3" })).toMatchObject({
      ok: false,
      code: "conflict",
    });
  }));

it("gives no input twice when whether it was given is not known", () =>
  withSidecar("input-unknown", async ({ sidecar, sandbox }) => {
    await sandbox().startProcess(START);
    sidecar.after = (call) => {
      if (call.endsWith("/stdin")) throw new TypeError("connection lost");
    };
    const input = { text: "y\n", closes: false, key: "input-1" };
    await sandbox().writeToProcess(SESSION, "p_1", input);
    sidecar.after = () => undefined;
    expect(await sandbox().writeToProcess(SESSION, "p_1", input)).toMatchObject({ ok: false, code: "unconfirmed" });
    expect(sidecar.inputs).toEqual(["y\n"]);
  }));

it("tells the session once when a process has ended, with its last words", () =>
  withSidecar("tell-end", async ({ sidecar, sandbox, ctx, told, reborn }) => {
    await sandbox().startProcess({ ...START, tellsEnd: true });
    expect(await ctx.storage.getAlarm()).not.toBeNull();
    await sandbox().alarm();
    expect(told).toEqual([]);
    sidecar.print("p_1", "\u001B[31mboom\u001B[0m\n");
    sidecar.end("p_1", 3);
    await sandbox().alarm();
    await reborn().alarm();
    expect(told).toEqual([
      `${SESSION} process:p_1:end [Background process p_1 has ended with exit code 3.]\n` +
        "Command: npm run dev\nThe end of its output:\nboom",
    ]);
    expect(await ctx.storage.getAlarm()).toBeNull();
  }));

it("tells again when the session could not be told", () =>
  withSidecar("tell-again", async (world) => {
    const { sidecar, sandbox, ctx, told } = world;
    await sandbox().startProcess({ ...START, tellsEnd: true });
    sidecar.end("p_1", 0);
    world.onTold = () => {
      throw new Error("the session was moved");
    };
    await sandbox().alarm();
    expect(await ctx.storage.getAlarm()).not.toBeNull();
    world.onTold = () => undefined;
    await sandbox().alarm();
    expect(told).toHaveLength(1);
  }));

it("does not tell what the agent has seen already", () =>
  withSidecar("seen", async ({ sidecar, sandbox, told }) => {
    await sandbox().startProcess({ ...START, tellsEnd: true });
    sidecar.end("p_1", 0);
    expect(value(await sandbox().waitForProcess(SESSION, "p_1", 10)).status).toBe("exited");
    await sandbox().alarm();
    expect(told).toEqual([]);
  }));

it("tells of each line that is watched for, once", () =>
  withSidecar("watch", async ({ sidecar, sandbox, exec, told }) => {
    await sandbox().startProcess({ ...START, watch: ["ready", "error"] });
    sidecar.match("p_1", "ready", "server ready on :3000");
    await sandbox().alarm();
    sidecar.match("p_1", "error", "error: out of luck");
    // a command hears of it too, and need not wait for the alarm
    await exec("true");
    await until(() => expect(told).toHaveLength(2));
    await sandbox().alarm();
    expect(told.map((line) => line.split("The line: ")[1])).toEqual(["server ready on :3000", "error: out of luck"]);
  }));

it("tells of processes that were lost with their machine", () =>
  withSidecar("lost", async ({ sidecar, sandbox, told }) => {
    await sandbox().startProcess({ ...START, tellsEnd: true });
    sidecar.restart({ keepsDisk: false });
    await sandbox().alarm();
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("was lost when its machine went away");
    expect(value(await sandbox().listProcesses(SESSION))).toMatchObject([{ id: "p_1", status: "lost" }]);
  }));

it("looks again later when the sidecar does not answer, and forgets no process for it", () =>
  withSidecar("away", async ({ sidecar, sandbox, ctx, told }) => {
    await sandbox().startProcess({ ...START, tellsEnd: true });
    sidecar.before = () => {
      throw new TypeError("connection refused");
    };
    await sandbox().alarm();
    expect(await ctx.storage.getAlarm()).not.toBeNull();
    expect(told).toEqual([]);
    sidecar.before = () => undefined;
    sidecar.end("p_1", 0);
    await sandbox().alarm();
    expect(told).toHaveLength(1);
  }));

it("gives what is written here to what runs there, and shows what it writes", () =>
  withSidecar("live", async ({ sidecar, sandbox, write, text }) => {
    await sandbox().startProcess(START);
    await write("src/app.ts", "v2");
    expect(sidecar.files()).toEqual({ "src/app.ts": "v2" });
    sidecar.write("dist/app.js", "built");
    expect(await text("dist/app.js")).toBe("built");
    sidecar.end("p_1", 0);
    await sandbox().alarm();
    sidecar.asked.length = 0;
    await write("late", "x");
    expect(sidecar.asked.filter((call) => call.startsWith("PUT"))).toEqual([]);
  }));

it("runs a hook's command among the workspace's files, and ends it when asked", () =>
  withSidecar("hook", async ({ sidecar, sandbox, write, reborn }) => {
    await write("f", "1");
    const seen: object[] = [];
    sidecar.run = ({ command, cwd }, box) => {
      seen.push({ command, cwd, files: box.files() });
      return { stdout: '{"decision":"allow"}', exitCode: 0 };
    };
    const hook = {
      argv: ["./check.sh"],
      stdin: "{}",
      env: {},
      cwd: "/workspace/sub",
      timeout_ms: 1000,
      max_output: 100,
    };
    expect(value(await sandbox().runHook(hook, "h1"))).toMatchObject({ exit_code: 0, stdout: '{"decision":"allow"}' });
    expect(seen).toEqual([{ command: "./check.sh", cwd: "/srv/box/work/sub", files: { f: "1" } }]);
    sidecar.run = () => new Promise(() => {});
    const endless = sandbox().runHook(hook, "h2");
    await until(() => expect(sidecar.asked.at(-1)).toBe("POST /v1/exec"));
    await sandbox().cancel("h2");
    await expect(endless).rejects.toBe("cancelled");
    reborn({ SIDECAR_URL: "" });
    expect(value(await sandbox().runHook(hook, "h3"))).toBe("unavailable");
  }));

it("tells a hook that there is nowhere to run it, and stops when asked", async () => {
  const exec = openHookCommands(env, "sandbox-test-hooks");
  const hook = { argv: ["./check.sh"], stdin: "{}", env: {}, timeout_ms: 1000, max_output: 100 };
  expect(await exec(hook, new AbortController().signal)).toBe("unavailable");
  await expect(exec(hook, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
});
