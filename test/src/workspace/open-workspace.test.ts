import { expect, it } from "vitest";
import { type SandboxStub, openWorkspace } from "#src/workspace/open-workspace";

function stubOf(methods: Partial<SandboxStub>): SandboxStub {
  const missing = () => Promise.reject(new Error("not expected"));
  return {
    readFile: missing,
    writeFile: missing,
    removeFile: missing,
    stat: missing,
    list: missing,
    exec: missing,
    startProcess: missing,
    listProcesses: missing,
    findProcess: missing,
    processLog: missing,
    waitForProcess: missing,
    killProcess: missing,
    writeToProcess: missing,
    runHook: missing,
    cancel: () => Promise.resolve(),
    ...methods,
  };
}

it("throws what the workspace refuses, with its code", async () => {
  const refusal = { ok: false, code: "too_large", message: "The file is too large." } as const;
  const workspace = openWorkspace(() => stubOf({ writeFile: () => Promise.resolve(refusal) }));
  await expect(workspace.writeFile("f", new Uint8Array(), "k")).rejects.toMatchObject({
    code: "too_large",
    message: refusal.message,
  });
});

it("asks again on a new stub, with the same key, when a call was cut off", async () => {
  const asked: string[] = [];
  const workspace = openWorkspace(() => {
    const number = asked.length;
    return stubOf({
      removeFile: (path, key) => {
        asked.push(`${path} ${key}`);
        return number < 2 ? Promise.reject(new Error("cut off")) : Promise.resolve({ ok: true, value: true });
      },
    });
  });
  expect(await workspace.removeFile("f", "k")).toBe(true);
  expect(asked).toEqual(["f k", "f k", "f k"]);
});

it("cancels a command by its key when it is aborted, and does not wait for its end", async () => {
  const cancelled: string[] = [];
  const stub = stubOf({
    exec: () => new Promise(() => {}),
    cancel: (key) => Promise.resolve(void cancelled.push(key)),
  });
  const stopper = new AbortController();
  const running = openWorkspace(() => stub).exec("x", { key: "k", timeoutMs: 1000, signal: stopper.signal });
  stopper.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  expect(cancelled).toEqual(["k"]);
});

it("does not begin a command that is aborted already", async () => {
  const workspace = openWorkspace(() => stubOf({}));
  const options = { key: "k", timeoutMs: 1000, signal: AbortSignal.abort(new Error("stopped")) };
  await expect(workspace.exec("x", options)).rejects.toThrow("stopped");
});

const RUNNING = { id: "p", command: "x", status: "running", startedAt: 0, tail: "", logBytes: 0 } as const;

it("waits for a process in pieces, so that an abort is heard", async () => {
  const waits: number[] = [];
  const waitForProcess: SandboxStub["waitForProcess"] = (_, __, timeoutMs) => {
    waits.push(timeoutMs);
    return Promise.resolve({ ok: true, value: RUNNING });
  };
  const { processes } = openWorkspace(() => stubOf({ waitForProcess }));
  const { signal } = new AbortController();
  expect(await processes?.wait("s", "p", { timeoutMs: 50_000, signal })).toEqual(RUNNING);
  expect(waits).toEqual([20_000, 20_000, 10_000]);
  const aborted = AbortSignal.abort(new Error("stopped"));
  await expect(processes?.wait("s", "p", { timeoutMs: 50_000, signal: aborted })).rejects.toThrow("stopped");
});

it("ends a wait with the process", async () => {
  const ended = { ...RUNNING, status: "exited", exitCode: 0 } as const;
  const { processes } = openWorkspace(() =>
    stubOf({ waitForProcess: () => Promise.resolve({ ok: true, value: ended }) }),
  );
  const { signal } = new AbortController();
  expect(await processes?.wait("s", "p", { timeoutMs: 50_000, signal })).toEqual(ended);
});
