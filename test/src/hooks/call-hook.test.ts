import { expect, it, vi } from "vitest";
import type { Hook, HookResult } from "#src/domain/hook";
import type { HookDecision } from "#src/domain/hook-event";
import { type AskOptions, type CallPorts, callHook } from "#src/hooks/call-hook";
import { CLOSED_CIRCUIT, type CircuitState } from "#src/hooks/http/circuit-breaker";
import type { HookCall } from "#src/hooks/transports/transport";
import { engaged, hookLog, httpTarget, occurrenceOf } from "../../support/hook-fixtures";
import { until } from "../../support/until";

const OK: HookResult = { exit: 0, stdout: "", stderr: "", via: "http", durationMs: 0 };
const DENIAL: HookDecision = { decision: "deny", reason: "no" };

/** Hooks that one transport answers, with timers that a test fires. */
function world(answer: (call: HookCall) => HookResult | Promise<HookResult>, over: Partial<CallPorts> = {}) {
  const { entries, log } = hookLog();
  const calls: HookCall[] = [];
  const timers: (() => void)[] = [];
  const circuits = new Map<string, CircuitState>();
  let now = 0;
  const ports: CallPorts = {
    now: () => now,
    after: (_ms, callback) => {
      timers.push(callback);
      return () => undefined;
    },
    transportOf: (type) => ({
      type,
      call: (call) => {
        calls.push(call);
        return answer(call);
      },
    }),
    circuits: { read: (id) => circuits.get(id) ?? CLOSED_CIRCUIT, write: (id, state) => void circuits.set(id, state) },
    log,
    spill: async () => "the archive",
    onRun: vi.fn(),
    onGone: vi.fn(),
    onTampered: vi.fn(),
    ...over,
  };
  const options: AskOptions = { round: 0, mode: "decision", budget: { left: () => 120_000 }, origin: { depth: 0 } };
  return {
    calls,
    entries,
    ports,
    codes: () => entries.map(({ code }) => code),
    timeUp: () => timers.splice(0).forEach((ring) => ring()),
    later: (ms: number) => (now += ms),
    ask: (hook: Partial<Hook> = {}, more: Partial<AskOptions> = {}, event = occurrenceOf()) =>
      callHook(engaged({ target: httpTarget(), ...hook }), event, { ...options, ...more }, ports),
  };
}

it("gives back what a hook decides, and tells how the call went", async () => {
  const { ask, ports, entries } = world(() => ({ ...OK, returned: DENIAL }));
  expect(await ask()).toEqual(DENIAL);
  expect(ports.onRun).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ decision: DENIAL, round: 0, mode: "decision" }),
  );
  expect(entries).toEqual([]);
});

it("has no opinion for a hook that says nothing", async () => {
  expect(await world(() => OK).ask()).toBeUndefined();
});

it.each([
  ["allow", undefined],
  ["deny", { decision: "deny", reason: "hook h1 failed closed: HTTP 500" }],
  ["ask", { decision: "ask", reason: "hook h1 failed closed: HTTP 500" }],
] as const)("goes by the policy %s when a hook fails", async (onError, decision) => {
  const { ask, codes } = world(() => ({ ...OK, exit: 1, code: "hook.http_status", why: "HTTP 500" }));
  expect(await ask({ onError })).toEqual(decision);
  expect(codes()).toEqual(["hook.http_status"]);
});

it("asks with the command's own words where there are any", async () => {
  const { ask } = world(() => ({ ...OK, exit: 1, stderr: `lint broke\n${"x".repeat(900)}` }));
  const decision = await ask({ onError: "ask" });
  expect(decision?.reason).toHaveLength(400);
  expect(decision?.reason).toMatch(/^lint broke\n/);
});

it("gives up a hook that hangs, aborts it and goes by the policy for time-outs", async () => {
  const { ask, calls, timeUp, codes } = world(() => new Promise<HookResult>(() => undefined));
  const asked = ask({ timeoutMs: 5000, onTimeout: "deny" });
  await until(() => expect(calls).toHaveLength(1));
  timeUp();
  expect(await asked).toEqual({ decision: "deny", reason: "hook h1 failed closed: timed out after 5s" });
  expect(calls[0]?.signal().aborted).toBe(true);
  expect(codes()).toEqual(["hook.timeout"]);
});

it("waits no longer than what is left of the event's time, and calls nobody without time", async () => {
  const { ask, calls, codes } = world(() => OK);
  await ask({ timeoutMs: 50_000 }, { budget: { left: () => 700 } });
  expect(calls[0]).toMatchObject({ timeoutMs: 700, deadlineAt: 700 });
  expect(await ask({ onError: "deny" }, { budget: { left: () => 0 } })).toMatchObject({ decision: "deny" });
  expect(calls).toHaveLength(1);
  expect(codes()).toEqual(["hook.timeout"]);
});

it("makes a failure of a transport that throws, of none at all and of an answer that breaks its reader", async () => {
  const thrown = world(() => {
    throw new Error("ECONNREFUSED");
  });
  expect(await thrown.ask({ onError: "deny" })).toMatchObject({ reason: "hook h1 failed closed: ECONNREFUSED" });
  const none = world(() => OK, { transportOf: () => undefined });
  expect(await none.ask({ onError: "deny" })).toMatchObject({ decision: "deny" });
  expect(none.codes()).toEqual(["hook.unavailable"]);
  const unread = world(() => OK);
  const broken = engaged({ target: httpTarget() }, { read: () => JSON.parse("{") as never });
  const options: AskOptions = { round: 0, mode: "decision", budget: { left: () => 1000 }, origin: { depth: 0 } };
  expect(await callHook(broken, occurrenceOf(), options, unread.ports)).toBeUndefined();
  expect(unread.codes()).toEqual(["hook.invalid_json"]);
});

it("opens the circuit after five failures in a row, logs it once a minute and closes it after a good answer", async () => {
  let isDown = true;
  const one = world(() => (isDown ? { ...OK, exit: 1, code: "hook.network", why: "refused" } : OK));
  for (let call = 0; call < 7; call += 1) await one.ask();
  expect(one.calls).toHaveLength(5);
  expect(one.codes().filter((code) => code === "hook.circuit_open")).toHaveLength(1);
  isDown = false;
  one.later(31_000);
  await one.ask();
  await one.ask();
  expect(one.calls).toHaveLength(7);
});

it("denies at once while the circuit of a guard is open", async () => {
  const { ask, calls } = world(() => ({ ...OK, exit: 1, code: "hook.network", why: "refused" }));
  for (let call = 0; call < 5; call += 1) await ask({ onError: "deny" });
  expect(await ask({ onError: "deny" })).toEqual({ decision: "deny", reason: "hook h1 failed closed: circuit open" });
  expect(calls).toHaveLength(5);
});

it("never opens a circuit for a module", async () => {
  const { ask, calls } = world(() => ({ ...OK, exit: 1, via: "module", code: "hook.exception", why: "x" }));
  for (let call = 0; call < 8; call += 1) await ask({ target: { type: "module", module: "m" } });
  expect(calls).toHaveLength(8);
});

it("does not call a hook for what its own call brought about, nor anybody two deep", async () => {
  const { ask, calls, codes } = world(() => OK);
  await ask({}, { origin: { depth: 1, hookId: "h1" } });
  await ask({}, { origin: { depth: 2, hookId: "other" } });
  expect(calls).toHaveLength(0);
  expect(codes()).toEqual(["hook.depth", "hook.depth"]);
  await ask({}, { origin: { depth: 1, hookId: "other" } });
  expect(calls[0]?.depth).toBe(2);
});

it("switches a hook off that is gone, but not a guard", async () => {
  const gone: HookResult = { ...OK, exit: 1, code: "hook.gone", why: "HTTP 410", gone: true };
  const { ask, ports } = world(() => gone);
  await ask();
  expect(ports.onGone).toHaveBeenCalledTimes(1);
  expect(await ask({ onError: "deny" })).toMatchObject({ decision: "deny" });
  expect(ports.onGone).toHaveBeenCalledTimes(1);
});

it("tells of a hook that is no longer what was approved", async () => {
  const { ask, ports } = world(() => ({ ...OK, exit: 1, code: "hook.tampered", why: "its script changed" }));
  expect(await ask({ onError: "deny" })).toMatchObject({
    reason: "hook h1 failed closed: it changed since approval; run /hooks approve",
  });
  expect(ports.onTampered).toHaveBeenCalledTimes(1);
});

it("drops what the event does not understand, and keys that reach a prototype", async () => {
  const returned: unknown = JSON.parse(
    '{"keepGoing": {"message": "x"}, "input": {"mode": "merge", "value": {"__proto__": {"a": 1}, "command": "ls"}}}',
  );
  const { ask, codes } = world(() => ({ ...OK, returned }));
  expect(await ask()).toEqual({ input: { mode: "merge", value: { command: "ls" } } });
  expect(codes()).toEqual(["hook.field_ignored", "hook.rewrite_unknown_key"]);
});

it("cuts a long text and says where the whole of it is", async () => {
  const { ask } = world(() => ({ ...OK, returned: { context: "x".repeat(10_001), notes: ["short"] } }));
  const decision = await ask();
  expect(decision?.context).toMatch(
    /^x{2000}\n\n\[cut after 2000 of 10001 characters; the whole of it: the archive\]$/,
  );
  expect(decision?.notes).toEqual(["short"]);
});

it("does not obey what an observer answers, and tells when it means nothing at the event", async () => {
  const { ask, ports, codes } = world(() => ({ ...OK, returned: DENIAL }));
  expect(await ask({}, { mode: "observe" })).toBeUndefined();
  expect(codes()).toEqual([]);
  await ask({}, { mode: "observe" }, occurrenceOf("turn.end"));
  expect(codes()).toEqual(["hook.field_ignored"]);
  expect(ports.onRun).toHaveBeenCalledTimes(2);
  expect(ports.onRun).not.toHaveBeenCalledWith(expect.objectContaining({ decision: DENIAL }));
});
