import { expect, it, vi } from "vitest";
import { NO_OPINION } from "#src/domain/hook-event";
import { hookStage } from "../../support/hook-stage";
import { httpTarget, occurrenceOf } from "../../support/hook-fixtures";
import { until } from "../../support/until";

const deny = (reason: string) => () => ({ decision: "deny", reason });

it("listens only to what somebody may run at", () => {
  const { hooks } = hookStage({
    a: { says: () => null },
    off: { hook: { events: ["stop"], nativeEvent: "stop" }, status: "not_approved" },
    gone: { hook: { events: ["model.pre"], nativeEvent: "model.pre" }, status: "disabled" },
  });
  expect(hooks.listens("tool.pre")).toBe(true);
  expect(hooks.listens("stop")).toBe(false);
  expect(hooks.listens("model.pre")).toBe(false);
  expect(hooks.listens("turn.end")).toBe(false);
});

it("has no opinion of what nobody listens to, and no deliveries", async () => {
  const { hooks } = hookStage({ a: { says: () => null } });
  const one = occurrenceOf("turn.end", {});
  expect(await hooks.fire(one)).toBe(NO_OPINION);
  expect(hooks.owed(one)).toEqual([]);
});

it("hears managed hooks first, then plugins, then the rest, each by priority", async () => {
  const { hooks, called } = hookStage({
    late: { says: () => null },
    high: { hook: { priority: 5 }, says: () => null },
    plugin: { hook: { rank: "plugin" }, says: () => null },
    managed: { hook: { rank: "managed", priority: -9 }, says: () => null },
    later: { says: () => null },
  });
  await hooks.fire(occurrenceOf());
  expect(called).toEqual(["managed", "plugin", "high", "late", "later"]);
});

it("asks nobody twice about the same call with the same input, and gives the same answer", async () => {
  const { hooks, called } = hookStage({ a: { says: deny("no") } });
  const first = await hooks.fire(occurrenceOf());
  const second = await hooks.fire(occurrenceOf("tool.pre", {}, { id: "evt_2" }));
  expect([first, second].map(({ outcome, reason }) => [outcome, reason])).toEqual([
    ["deny", "no"],
    ["deny", "no"],
  ]);
  expect(called).toEqual(["a"]);
  await hooks.fire(occurrenceOf("tool.pre", { input: { command: "rm -rf /" } }));
  await hooks.fire(occurrenceOf("tool.pre", {}, { common: { ...occurrenceOf().common, turn_id: "2" } }));
  expect(called).toEqual(["a", "a", "a"]);
});

it("asks a guard again about what a later hook made of the input, once", async () => {
  const { hooks, called } = hookStage({
    guard: {
      hook: { onError: "deny" },
      says: (event) => (JSON.stringify(event).includes("rm -rf") ? { decision: "deny", reason: "guarded" } : null),
    },
    rewriter: { says: () => ({ input: { command: "rm -rf /" } }) },
  });
  expect(await hooks.fire(occurrenceOf())).toMatchObject({ outcome: "deny", reason: "guarded", by: "guard" });
  expect(called).toEqual(["guard", "rewriter", "guard"]);
});

it("refuses what a rewrite made of the input when the tool does not take it", async () => {
  const { hooks } = hookStage(
    { a: { says: () => ({ input: { command: 7 } }) } },
    { validate: (tool, { command }) => (typeof command === "string" ? undefined : `${tool}.command must be a text`) },
  );
  expect(await hooks.fire(occurrenceOf())).toMatchObject({
    outcome: "deny",
    reason: "Hook modified parameters are invalid: terminal.command must be a text",
  });
});

it("calls module observers in order after those who decide, whatever came of it", async () => {
  const { hooks, called } = hookStage({
    watcher: { hook: { observe: true }, says: deny("nobody hears this") },
    gate: { says: deny("no") },
    second: { hook: { observe: true }, says: () => null },
  });
  expect(await hooks.fire(occurrenceOf())).toMatchObject({ outcome: "deny", by: "gate" });
  expect(called).toEqual(["gate", "watcher", "second"]);
});

it("owes observers over a wire a delivery with the payload as it will be sent", async () => {
  const { hooks, called } = hookStage({
    hooked: { hook: { observe: true, target: httpTarget() } },
    other: { hook: { observe: true, target: httpTarget(), nativeEvent: "stop", events: ["stop"] } },
  });
  const one = occurrenceOf("tool.pre", {}, { id: "evt_9", seq: 4 });
  expect(await hooks.fire(one)).toEqual(NO_OPINION);
  const owed = hooks.owed(one);
  expect(owed).toMatchObject([{ hookId: "hooked", event: "tool.pre", eventId: "evt_9", seq: 4 }]);
  expect(JSON.parse(owed[0]?.body ?? "")).toMatchObject({ type: "tool.pre" });
  expect(called).toEqual([]);
});

it("tells claude's hooks of what one before them refused", async () => {
  const claude = { dialect: "claude" as const, nativeEvent: "PreToolUse" };
  const { hooks, called } = hookStage({
    gate: { says: deny("no") },
    told: { hook: { ...claude, target: httpTarget() } },
    inline: { hook: claude, says: () => null },
    native: { hook: { target: httpTarget() } },
  });
  const one = occurrenceOf();
  await hooks.fire(one);
  expect(called).toEqual(["gate", "inline"]);
  expect(hooks.owed(one).map(({ hookId }) => hookId)).toEqual(["told"]);
  expect(hooks.owed(one)).toEqual([]);
});

it("refuses everything at a guard that changed since it was approved, and asks nobody", async () => {
  const { hooks, called, codes } = hookStage({
    guard: { hook: { onError: "deny" }, status: "changed_since_approval" },
    other: { says: () => null },
  });
  expect(await hooks.fire(occurrenceOf())).toMatchObject({
    outcome: "deny",
    reason: "hook guard changed since approval; run /hooks approve",
    by: "guard",
  });
  expect(called).toEqual([]);
  expect(codes()).toEqual(["hook.tampered"]);
});

it("does not obey a guard that nobody ever approved", async () => {
  const { hooks } = hookStage({
    injected: { hook: { onError: "deny" }, status: "not_approved" },
    changed: { status: "changed_since_approval" },
  });
  expect(hooks.listens("tool.pre")).toBe(false);
  expect(await hooks.fire(occurrenceOf())).toEqual(NO_OPINION);
});

it("lets a hook that nothing here can call fail by its own policy", async () => {
  const wire = () => ({
    exit: 1,
    stdout: "",
    stderr: "",
    via: "exec" as const,
    code: "hook.unavailable" as const,
    why: "no sidecar to run commands in",
    durationMs: 0,
  });
  const target = { type: "command" as const, command: "x" };
  const { hooks } = hookStage({ cmd: { hook: { onError: "deny", target }, status: "unavailable", wire } });
  expect(await hooks.fire(occurrenceOf())).toMatchObject({
    reason: "hook cmd failed closed: no sidecar to run commands in",
  });
});

it("keeps going as often as the event says that it may, and remembers repeated words", async () => {
  const { hooks, entries } = hookStage({
    stopper: { hook: { nativeEvent: "stop", events: ["stop"] }, says: () => ({ keepGoing: { message: "again" } }) },
  });
  const outcomes = [];
  for (let attempt = 0; attempt < 4; attempt += 1) {
    const settled = await hooks.fire(occurrenceOf("stop", { tool: null, attempt, stop_hook_active: attempt > 0 }));
    outcomes.push(settled.keepGoing?.message);
  }
  expect(outcomes).toEqual(["again", "again", "again", undefined]);
  expect(entries).toMatchObject([
    { code: "hook.stop_cap", message: expect.stringContaining("words it had used before") },
  ]);
});

it("calls no hook for what its own call brought about", async () => {
  const { hooks, called, codes } = hookStage({
    a: { says: deny("no") },
    b: { hook: { observe: true, target: httpTarget() } },
  });
  const inner = hooks.from({ depth: 1, hookId: "a" });
  expect(inner.listens("tool.pre")).toBe(true);
  expect((await inner.fire(occurrenceOf())).outcome).toBe("none");
  expect(inner.owed(occurrenceOf())).toHaveLength(1);
  expect(hooks.from({ depth: 2 }).owed(occurrenceOf())).toEqual([]);
  expect(called).toEqual([]);
  expect(codes()).toEqual(["hook.depth"]);
});

it("stops calling hooks when a turn has used up its time for them", async () => {
  const stage = hookStage({ slow: { hook: { onError: "deny", timeoutMs: 120_000 }, says: () => null } });
  const { hooks, called } = stage;
  const spend = async (turn: string, call: string): Promise<string> => {
    const common = { ...occurrenceOf().common, turn_id: turn };
    const tool = { name: "terminal", kind: "builtin", call_id: call };
    const settled = hooks.fire(occurrenceOf("tool.pre", { tool }, { common }));
    stage.pass(100_000);
    return (await settled).reason ?? "";
  };
  for (const call of ["1", "2", "3"]) expect(await spend("t1", call)).toBe("");
  expect(await spend("t1", "4")).toBe("hook slow failed closed: out of time");
  expect(await spend("t2", "1")).toBe("");
  expect(called).toHaveLength(4);
});

it("runs hooks that add context side by side, and joins what they say in order", async () => {
  const gates = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()];
  const hook = { nativeEvent: "turn.context", events: ["turn.context" as const] };
  const { hooks, called } = hookStage({
    a: { hook, says: () => gates[0]?.promise },
    b: { hook, says: () => gates[1]?.promise },
  });
  const settled = hooks.fire(occurrenceOf("turn.context", { tool: null }));
  await until(() => expect(called).toEqual(["a", "b"]));
  gates[1]?.resolve({ context: "B" });
  gates[0]?.resolve({ context: "A" });
  expect((await settled).context).toBe("A\n\nB");
});

it("forgets a hook that is gone", async () => {
  const onGone = vi.fn();
  const wire = () => ({
    exit: 1,
    stdout: "",
    stderr: "",
    via: "http" as const,
    code: "hook.gone" as const,
    gone: true as const,
    durationMs: 0,
  });
  const { hooks, called } = hookStage({ a: { hook: { target: httpTarget() }, wire } }, { onGone });
  await hooks.fire(occurrenceOf());
  await hooks.fire(occurrenceOf("tool.pre", { input: { command: "other" } }));
  expect(called).toEqual(["a"]);
  expect(onGone).toHaveBeenCalledTimes(1);
});

it("lets no stranger's word about a hook switch a guard off", async () => {
  const claimed = { depth: 2, isClaimed: true };
  const { hooks, called } = hookStage({
    guard: { hook: { target: httpTarget(), onError: "deny" } },
    module: { says: deny("inside") },
    open: { hook: { target: httpTarget() } },
  });
  expect(await hooks.from(claimed).fire(occurrenceOf())).toMatchObject({
    outcome: "deny",
    reason: "hook guard failed closed: a call of a hook caused this",
  });
  expect(called).toEqual([]);
  const inside = hookStage({ module: { says: deny("inside") }, open: { hook: { target: httpTarget() } } });
  expect(await inside.hooks.from(claimed).fire(occurrenceOf())).toMatchObject({ outcome: "deny", reason: "inside" });
  const other = occurrenceOf("tool.pre", { input: { command: "other" } });
  expect((await hooks.from({ depth: 2 }).fire(other)).outcome).toBe("none");
});

it("tells whoever watches which module runs, and when it came back", async () => {
  const seen: string[] = [];
  const watch = {
    begin: async (module: string) => void seen.push(`begin ${module}`),
    end: (module: string) => void seen.push(`end ${module}`),
  };
  const { hooks } = hookStage({
    a: {
      says: () => {
        seen.push("runs a");
        throw new Error("broken");
      },
    },
    wire: { hook: { target: httpTarget() } },
  });
  await hooks.from({ depth: 0 }, watch).fire(occurrenceOf());
  expect(seen).toEqual(["begin a", "runs a", "end a"]);
});
