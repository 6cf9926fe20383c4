import { expect, it } from "vitest";
import type { HookResult } from "#src/domain/hook";
import { deliveryLog, deliveryTo, sendDelivery } from "#src/hooks/observer-delivery";
import type { HookCall } from "#src/hooks/transports/transport";
import { aHook, engaged, hookLog, httpTarget, occurrenceOf } from "../../support/hook-fixtures";

const OK: HookResult = { exit: 0, stdout: "", stderr: "", via: "http", durationMs: 0 };

function attemptOf(body = '{"a":1}') {
  const hook = aHook({ target: httpTarget(), timeoutMs: 5000 });
  const delivery = { hookId: "h1", event: "tool.post" as const, eventId: "evt_1", seq: 3, body };
  const { common } = occurrenceOf();
  return { hook, delivery, common, at: 7, attempt: 2, now: 100, signal: new AbortController().signal };
}

it("writes a delivery down as it will be sent", () => {
  const { log } = hookLog();
  const one = engaged({ target: httpTarget() }, { payload: () => ({ a: "ä" }) });
  expect(deliveryTo(one, occurrenceOf("tool.post"), log)).toEqual([
    { hookId: "h1", event: "tool.post", eventId: "evt_1", seq: 1, body: '{"a":"ä"}' },
  ]);
});

it("cuts what is larger than any receiver takes, and owes nothing when that does not help", () => {
  const { log, entries } = hookLog();
  const large = { type: "tool.post", data: { result_text: "x".repeat(3_000_000) } };
  const one = engaged({ target: httpTarget() }, { payload: () => large });
  const [cut] = deliveryTo(one, occurrenceOf("tool.post"), log);
  expect(cut?.body.length).toBeLessThanOrEqual(1024 * 1024);
  const broken = engaged(
    { target: httpTarget() },
    {
      payload: () => {
        throw new Error("no payload");
      },
    },
  );
  expect(deliveryTo(broken, occurrenceOf("tool.post"), log)).toEqual([]);
  expect(entries).toMatchObject([{ code: "hook.exception", hook: "h1", message: "no payload" }]);
});

it("sends exactly what was written down, as one that nobody waits for", async () => {
  const calls: HookCall[] = [];
  const transport = {
    type: "http" as const,
    call: (call: HookCall) => {
      calls.push(call);
      return OK;
    },
  };
  expect(await sendDelivery(attemptOf(), transport)).toBe(OK);
  const [call] = calls;
  expect(call).toMatchObject({ mode: "observe", attempt: 2, payload: { a: 1 }, timeoutMs: 5000, deadlineAt: 5100 });
  expect(call?.body()).toBe('{"a":1}');
  expect(call?.occurrence).toMatchObject({ event: "tool.post", id: "evt_1", seq: 3, at: 7 });
});

it("never throws", async () => {
  const transport = {
    type: "http" as const,
    call: () => {
      throw new Error("refused");
    },
  };
  expect(await sendDelivery(attemptOf(), transport)).toMatchObject({ exit: 1, code: "hook.exception", why: "refused" });
  expect(await sendDelivery(attemptOf(), undefined)).toMatchObject({ exit: 1, code: "hook.unavailable" });
});

it("tells of a try that failed, and of none that arrived", () => {
  const hook = aHook();
  expect(deliveryLog(hook, OK)).toEqual([]);
  expect(deliveryLog(hook, { ...OK, exit: 1, code: "hook.http_status", why: "HTTP 500" })).toEqual([
    { level: "warn", code: "hook.http_status", hook: "h1", message: "HTTP 500" },
  ]);
  expect(deliveryLog(hook, { ...OK, exit: 3, stderr: "disk full\nat x" })).toEqual([
    { level: "warn", code: "hook.nonzero_exit", hook: "h1", message: "disk full" },
  ]);
  expect(deliveryLog(hook, { ...OK, exit: 1, code: "hook.ssrf_blocked", why: "address refused" })).toMatchObject([
    { level: "error" },
  ]);
});
