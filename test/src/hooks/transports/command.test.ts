import { expect, it } from "vitest";
import type { Hook, HookTarget } from "#src/domain/hook";
import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";
import { commandTransport, resultOfExec } from "#src/hooks/transports/command";
import { aHook } from "../../../support/hook-fixtures";
import { aCall } from "../../../support/hook-call";

type Command = Extract<HookTarget, { type: "command" }>;

const DONE: HookCommandResult = { exit_code: 0, stdout: "{}", stderr: "" };

async function run(target: Omit<Command, "type">, over: { readonly hook?: Partial<Hook>; readonly pin?: string } = {}) {
  const requests: HookCommand[] = [];
  const command: Command = { type: "command", ...target };
  const hook = aHook({ dialect: "hermes", nativeEvent: "pre_tool_call", target: command, ...over.hook });
  const transport = commandTransport({
    exec: async (request) => {
      requests.push(request);
      return DONE;
    },
    pinOf: () => over.pin,
  });
  const result = await transport.call(aCall({ hook, payload: { tool_input: { file_path: "/a.ts" } } }), command);
  return { result, request: requests[0] };
}

it("splits a command into words and never gives it to a shell", async () => {
  const { request, result } = await run({ command: `scan.sh --mode "a b"; rm -rf /` });
  expect(request).toMatchObject({ argv: ["scan.sh", "--mode", "a b;", "rm", "-rf", "/"] });
  expect(request).not.toHaveProperty("shell");
  expect(result).toMatchObject({ exit: 0, stdout: "{}", via: "exec" });
});

it("uses a shell where the dialect does", async () => {
  const { request } = await run({ command: "echo $HOME | cat", shell: "echo $HOME | cat" });
  expect(request).toMatchObject({ shell: "echo $HOME | cat" });
  expect(request).not.toHaveProperty("argv");
});

it("hands the payload over on stdin, with the variables of all dialects and nothing else", async () => {
  const { request } = await run({ command: "x" });
  expect(JSON.parse(request?.stdin ?? "")).toEqual({ tool_input: { file_path: "/a.ts" } });
  expect(request?.env).toEqual({
    HOOK_EVENT: "pre_tool_call",
    SESSION_ID: "s",
    PROJECT_DIR: "/p",
    CLAUDE_PROJECT_DIR: "/p",
    FILE_PATH: "/a.ts",
  });
  expect(request).toMatchObject({ timeout_ms: 10_000, max_output: 1024 * 1024, cwd: "/p" });
});

it("pins the script that was approved", async () => {
  const { request } = await run({ command: "python3 /hooks/x.py --fast" }, { pin: "ab" });
  expect(request?.script).toEqual({ path: "/hooks/x.py", sha256: "ab" });
  expect((await run({ command: "x" })).request).not.toHaveProperty("script");
});

it("does not run a command line with an open quote", async () => {
  const { request, result } = await run({ command: `echo "open` });
  expect(request).toBeUndefined();
  expect(result).toMatchObject({ exit: 1, code: "hook.exception" });
});

it("says that there is no sidecar", async () => {
  const transport = commandTransport({ exec: async () => "unavailable", pinOf: () => undefined });
  const target: Command = { type: "command", command: "x" };
  expect(await transport.call(aCall({ hook: aHook({ target }) }), target)).toMatchObject({
    exit: 1,
    code: "hook.unavailable",
    why: "no sidecar to run commands in",
  });
});

it.each([
  [
    { exit_code: 2, stdout: "", stderr: "no" },
    { exit: 2, stderr: "no" },
  ],
  [
    { exit_code: 124, stdout: "", stderr: "", timed_out: true },
    { exit: 124, code: "hook.timeout", why: "timed out after 5s" },
  ],
  [
    { exit_code: null, stdout: "", stderr: "", timed_out: true },
    { exit: 124, code: "hook.timeout" },
  ],
  [
    { exit_code: null, stdout: "", stderr: "", error: "command not found" },
    { exit: 1, code: "hook.exception", why: "command not found" },
  ],
  [
    { exit_code: 126, stdout: "", stderr: "hash_mismatch" },
    { exit: 1, code: "hook.tampered" },
  ],
  [
    { exit_code: null, stdout: "", stderr: "", error: "hash_mismatch" },
    { exit: 1, code: "hook.tampered" },
  ],
  [
    { exit_code: null, stdout: "x", stderr: "" },
    { exit: 1, stdout: "x" },
  ],
])("reads the envelope %o", (envelope, result) => {
  expect(resultOfExec(envelope, 5000)).toMatchObject(result);
});
