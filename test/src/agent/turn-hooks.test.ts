import { expect, it, vi } from "vitest";
import { NO_HOOKS, fireIfHeard } from "#src/agent/turn-hooks";
import { NO_OPINION } from "#src/domain/hook-event";
import { scriptedHooks } from "../../support/scripted-hooks";

it("does not even make what an event carries when nobody listens", async () => {
  const data = vi.fn(() => ({}));
  expect(await fireIfHeard(NO_HOOKS, "model.pre", data)).toEqual(NO_OPINION);
  expect(data).not.toHaveBeenCalled();
});

it("hands an event to those who listen, and their opinion back", async () => {
  const hooks = scriptedHooks({ "tool.pre": { outcome: "deny", reason: "no" } });
  expect(await fireIfHeard(hooks, "tool.pre", () => ({ a: 1 }))).toMatchObject({ outcome: "deny", reason: "no" });
  expect(hooks.fired).toEqual([{ event: "tool.pre", data: { a: 1 } }]);
});

it("owes nothing for a turn that nobody watches", async () => {
  const told = NO_HOOKS.tell([{ event: "turn.end", data: {} }]);
  expect(told.owed).toEqual([]);
  expect(await NO_HOOKS.fire("turn.end", {})).toEqual(NO_OPINION);
  await expect(told.call()).resolves.toBeUndefined();
});
