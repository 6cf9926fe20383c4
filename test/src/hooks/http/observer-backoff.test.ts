import { expect, it } from "vitest";
import {
  type DeliveryFate,
  type DeliveryTry,
  decideDelivery,
  hasFailedTooLong,
} from "#src/hooks/http/observer-backoff";

const NOW = 1_800_000_000_000;
const HOUR_MS = 3_600_000;

function decide(result: Partial<DeliveryTry["result"]>, rest: Partial<DeliveryTry> = {}): DeliveryFate {
  return decideDelivery({ result: { exit: 1, ...result }, attempt: 1, now: NOW, random: () => 0.5, ...rest });
}

it("is done when the receiver took it, whatever it answered", () => {
  expect(decide({ exit: 0, status: 204 })).toEqual({ type: "done" });
  expect(decide({ exit: 1, status: 200, code: "hook.invalid_json" })).toEqual({ type: "done" });
});

it("waits longer after each try and puts the delivery aside after the ninth", () => {
  const waits = Array.from({ length: 9 }, (_, i) => {
    const fate = decide({ status: 503 }, { attempt: i + 1 });
    return fate.type === "retry" ? (fate.at - NOW) / 1000 : fate.type;
  });
  expect(waits).toEqual([5, 30, 120, 600, 1800, 7200, 21_600, 43_200, "dead"]);
});

it("spreads each wait by a fifth both ways, and no further than twelve hours", () => {
  expect(decide({ status: 500 }, { random: () => 0 })).toEqual({ type: "retry", at: NOW + 4000 });
  expect(decide({ status: 500 }, { random: () => 1 })).toEqual({ type: "retry", at: NOW + 6000 });
  expect(decide({ status: 500 }, { attempt: 8, random: () => 1 })).toEqual({ type: "retry", at: NOW + 12 * HOUR_MS });
});

it("never comes back before the receiver wants, within twelve hours", () => {
  const asked = { status: 429, retryAfterMs: 120_000 };
  expect(decide(asked, { random: () => 0 })).toEqual({ type: "retry", at: NOW + 120_000 });
  expect(decide({ ...asked, retryAfterMs: 1 })).toEqual({ type: "retry", at: NOW + 5000 });
  expect(decide({ ...asked, retryAfterMs: 1e12 })).toEqual({ type: "retry", at: NOW + 12 * HOUR_MS });
});

it.each([408, 409, 425, 429, 500, 502, 503, 504, 522])("tries again after %i", (status) => {
  expect(decide({ status })).toMatchObject({ type: "retry" });
});

it.each([302, 400, 401, 403, 404, 413, 422])("puts aside what was answered with %i", (status) => {
  expect(decide({ status, why: `HTTP ${status}` })).toEqual({ type: "dead", why: `HTTP ${status}` });
});

it("tells a receiver that is gone from one that refused", () => {
  expect(decide({ status: 410, gone: true, why: "HTTP 410" })).toEqual({ type: "dead", why: "HTTP 410", isGone: true });
});

it("tries again when nothing answered, and not when our own request was at fault", () => {
  expect(decide({ code: "hook.network" }).type).toBe("retry");
  expect(decide({ exit: 124, code: "hook.timeout" }).type).toBe("retry");
  expect(decide({ code: "hook.circuit_open" }).type).toBe("retry");
  expect(decide({ code: "hook.exception" }).type).toBe("dead");
});

it("tries a name again that may resolve later, but not an address that is refused", () => {
  const code = "hook.ssrf_blocked";
  expect(decide({ code, guard: { class: "dns-error", stage: "call" } }).type).toBe("retry");
  expect(decide({ code, guard: { class: "loopback", stage: "parse" } }).type).toBe("dead");
});

it("gives a hook up after three days of failures", () => {
  expect(hasFailedTooLong(undefined, NOW)).toBe(false);
  expect(hasFailedTooLong(NOW - 72 * HOUR_MS + 1, NOW)).toBe(false);
  expect(hasFailedTooLong(NOW - 72 * HOUR_MS, NOW)).toBe(true);
});
