import { expect, it } from "vitest";
import type { Hook } from "#src/domain/hook";
import { type HookModule, moduleTransport } from "#src/hooks/transports/module";
import { aHook } from "../../../support/hook-fixtures";
import { aCall } from "../../../support/hook-call";

const target = { type: "module" as const, module: "guard" };

async function run(module: HookModule | undefined, hook: Partial<Hook> = {}, payload = {}) {
  const transport = moduleTransport({ bundled: () => module });
  return transport.call(aCall({ hook: aHook({ target, ...hook }), payload }), target);
}

it("calls the function that is named as the event, with what the event carries", async () => {
  const seen: unknown[] = [];
  const module = { pre_tool_call: (event: unknown) => void seen.push(event), onHook: () => seen.push("no") };
  const result = await run(module, { nativeEvent: "pre_tool_call" }, { tool_name: "terminal" });
  expect(seen).toEqual([{ tool_name: "terminal" }]);
  expect(result).toEqual({ exit: 0, stdout: "", stderr: "", via: "module", returned: undefined, durationMs: 0 });
});

it("calls a gateway hook with its event and context", async () => {
  const handle = (type: unknown, context: unknown) => ({ type, context });
  const result = await run({ handle }, {}, { event_type: "agent:start", context: { a: 1 } });
  expect(result.returned).toEqual({ type: "agent:start", context: { a: 1 } });
});

it("calls onHook with the event and what there is to know of the call", async () => {
  const onHook = (event: unknown, context: unknown) => ({ event, context }) as never;
  const { returned } = await run({ onHook }, {}, { type: "tool.pre" });
  expect(returned).toEqual({
    event: { type: "tool.pre" },
    context: { event: "tool.pre", timeoutMs: 10_000, deadlineAt: 10_000 },
  });
});

it("waits for a promise, and gives an answer at once where there is none", async () => {
  const transport = moduleTransport({ bundled: () => ({ onHook: () => "now" }) });
  expect(transport.call(aCall({ hook: aHook({ target }) }), target)).not.toBeInstanceOf(Promise);
  expect(await run({ onHook: async () => "later" })).toMatchObject({ returned: "later" });
});

it.each([
  [
    "throws",
    () => {
      throw new Error("ValueError: x");
    },
  ],
  ["rejects", () => Promise.reject(new Error("ValueError: x"))],
])("makes a failure of a module that %s", async (_how, onHook) => {
  expect(await run({ onHook })).toMatchObject({
    exit: 1,
    code: "hook.exception",
    why: "ValueError: x",
    stderr: "ValueError: x",
  });
});

it("does not let a module reach what other hooks are handed", async () => {
  const payload = { tool_input: { command: "ls" } };
  await run({ onHook: (event) => void ((event as typeof payload).tool_input.command = "rm") }, {}, payload);
  expect(payload.tool_input.command).toBe("ls");
});

it.each([
  [
    "a getter that throws",
    {
      get reason(): string {
        throw new Error("boom");
      },
    },
  ],
  ["ten megabytes", { reason: "x".repeat(10_000_000) }],
  ["an object in itself", circular()],
  ["a million entries", Array.from({ length: 100_000 }, () => 1)],
])("refuses %s as an answer", async (_what, answer) => {
  expect(await run({ onHook: () => answer })).toMatchObject({ exit: 1, code: "hook.exception" });
});

it("takes from an answer what JSON can say, and nothing live", async () => {
  const answer = { a: 1n, b: () => 1, c: [undefined, Number.NaN], d: new Date(0), e: "text" };
  expect((await run({ onHook: () => answer })).returned).toEqual({ a: "1", c: [null, null], d: {}, e: "text" });
});

it("fails where there is no module, or none of its functions fits", async () => {
  expect(await run(undefined)).toMatchObject({ exit: 1, why: "there is no module guard" });
  expect(await run({ other: () => 1 })).toMatchObject({ exit: 1, why: expect.stringContaining("tool.pre") });
});

it("loads a module that was not deployed with us by the hash of its source", async () => {
  const asked: string[] = [];
  const transport = moduleTransport({
    bundled: () => undefined,
    load: async (sha256) => {
      asked.push(sha256);
      return { onHook: () => "loaded" };
    },
  });
  const dynamic = { ...target, sha256: "ab" };
  expect(await transport.call(aCall({ hook: aHook({ target: dynamic }) }), dynamic)).toMatchObject({
    returned: "loaded",
  });
  expect(asked).toEqual(["ab"]);
  const nowhere = moduleTransport({ bundled: () => undefined });
  expect(await nowhere.call(aCall({ hook: aHook({ target: dynamic }) }), dynamic)).toMatchObject({ exit: 1 });
});

function circular(): object {
  const value: { self?: object } = {};
  value.self = value;
  return value;
}
