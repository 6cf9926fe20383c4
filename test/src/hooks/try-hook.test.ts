import { expect, it } from "vitest";
import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import { madeUpOccurrence, tryHook } from "#src/hooks/try-hook";
import { moduleTransport } from "#src/hooks/transports/module";
import { aHook } from "../../support/hook-fixtures";

const AT = { at: 0, id: "evt_trial" };

function trial(says: (event: unknown) => unknown, hook: Partial<Hook> = {}, event: HookEventName = "tool.pre") {
  const transport = moduleTransport({ bundled: () => ({ onHook: says }) });
  const ports = {
    now: () => 0,
    after: () => () => undefined,
    transportOf: () => transport,
    spill: async () => undefined,
  };
  return tryHook(aHook(hook), madeUpOccurrence(event, AT), ports);
}

it("shows what was sent, what came back and what it means", async () => {
  const result = await trial(() => ({ decision: "deny", reason: "no" }));
  expect(result).toMatchObject({
    isMatched: true,
    payload: { type: "tool.pre", data: { tool: { name: "terminal" }, input: { command: "echo test" } } },
    result: { exit: 0, returned: { decision: "deny", reason: "no" } },
    decision: { decision: "deny", reason: "no" },
    log: [],
  });
});

it("tells of what went wrong in the words of the log", async () => {
  const result = await trial(() => {
    throw new Error("broken");
  });
  expect(result.log).toEqual([{ level: "warn", code: "hook.exception", hook: "h1", message: "broken" }]);
  expect(result).not.toHaveProperty("decision");
});

it("calls a hook whose matcher does not take the event, and says so", async () => {
  expect(await trial(() => null, { matcher: { tool: "write_file" } })).toMatchObject({
    isMatched: false,
    result: { exit: 0 },
  });
});

it("makes up an occurrence of every event that every dialect can put into words", async () => {
  for (const event of Object.keys(HOOK_EVENTS) as HookEventName[]) {
    const { log } = await trial(() => null, { nativeEvent: event, events: [event] }, event);
    expect(log).toEqual([]);
  }
});
