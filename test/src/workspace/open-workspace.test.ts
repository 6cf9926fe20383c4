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
