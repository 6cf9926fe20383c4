import { expect, it } from "vitest";
import {
  CLOSED_CIRCUIT,
  type CircuitEvent,
  type CircuitState,
  circuitEventOf,
  isLogDue,
  mayCall,
  nextCircuit,
} from "#src/hooks/http/circuit-breaker";

const NOW = 1_800_000_000_000;

function after(events: readonly CircuitEvent[], state: CircuitState = CLOSED_CIRCUIT, stepMs = 0): CircuitState {
  return events.reduce((circuit, event, i) => nextCircuit(circuit, event, NOW + i * stepMs), state);
}

function times(count: number, event: CircuitEvent): CircuitEvent[] {
  return Array<CircuitEvent>(count).fill(event);
}

const OPEN = after(times(5, "failed"));

it("opens after five failures in a row, or three timeouts", () => {
  expect(mayCall(after(times(4, "failed")), NOW, false)).toBe("call");
  expect(mayCall(OPEN, NOW, false)).toBe("skip");
  expect(mayCall(after(times(2, "timed_out")), NOW, false)).toBe("call");
  expect(mayCall(after(times(3, "timed_out")), NOW, false)).toBe("skip");
});

it("forgets a row of failures at the first success", () => {
  expect(mayCall(after([...times(4, "failed"), "succeeded", ...times(4, "failed")]), NOW, false)).toBe("call");
});

it("opens when half of at least twenty calls in a minute failed", () => {
  const half: CircuitEvent[] = Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? "succeeded" : "failed"));
  expect(mayCall(after(half.slice(0, 19)), NOW, false)).toBe("call");
  expect(mayCall(after(half), NOW, false)).toBe("skip");
  // spread over two minutes there are never twenty
  expect(mayCall(after(half, CLOSED_CIRCUIT, 6000), NOW, false)).toBe("call");
});

it("lets one call through after thirty seconds, and no second one beside it", () => {
  expect(mayCall(OPEN, NOW + 29_999, false)).toBe("skip");
  expect(mayCall(OPEN, NOW + 30_000, false)).toBe("probe");
  const probing = nextCircuit(OPEN, "started", NOW + 30_000);
  expect(mayCall(probing, NOW + 30_001, false)).toBe("skip");
  // whoever made the call may be gone
  expect(mayCall(probing, NOW + 330_000, false)).toBe("probe");
});

it("closes when that call succeeds", () => {
  const probing = nextCircuit(OPEN, "started", NOW + 30_000);
  expect(nextCircuit(probing, "succeeded", NOW + 31_000)).toEqual(CLOSED_CIRCUIT);
});

it("stays open twice as long each time that call fails, up to ten minutes", () => {
  let state = OPEN;
  let at = NOW;
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    const waitMs = state.openMs ?? 0;
    waits.push(waitMs / 1000);
    expect(mayCall(state, at + waitMs - 1, false)).toBe("skip");
    at += waitMs;
    state = nextCircuit(nextCircuit(state, "started", at), "failed", at);
  }
  expect(waits).toEqual([30, 60, 120, 240, 480, 600, 600]);
});

it("does not stay open longer for a call that had left before", () => {
  expect(nextCircuit(OPEN, "failed", NOW + 1000)).toMatchObject({ openedAt: NOW, openMs: 30_000 });
});

it("tries a gate that denies every ten seconds", () => {
  expect(mayCall(OPEN, NOW + 9_999, true)).toBe("skip");
  expect(mayCall(OPEN, NOW + 10_000, true)).toBe("probe");
  const again = nextCircuit(nextCircuit(OPEN, "started", NOW + 10_000), "failed", NOW + 10_000);
  expect(mayCall(again, NOW + 20_000, true)).toBe("probe");
});

it("is worth one log line a minute", () => {
  expect(isLogDue(OPEN, NOW)).toBe(true);
  const logged = nextCircuit(OPEN, "logged", NOW);
  expect(isLogDue(logged, NOW + 59_999)).toBe(false);
  expect(isLogDue(logged, NOW + 60_000)).toBe(true);
});

it("remembers no more than it needs", () => {
  expect(after(times(1000, "succeeded")).calls).toHaveLength(200);
});

const RESULT = { exit: 1, stdout: "", stderr: "", via: "http", durationMs: 1 } as const;

it("counts what the endpoint did, and nothing that never reached it", () => {
  expect(circuitEventOf({ ...RESULT, exit: 0 })).toBe("succeeded");
  expect(circuitEventOf({ ...RESULT, exit: 2 })).toBe("succeeded");
  expect(circuitEventOf({ ...RESULT, code: "hook.http_status" })).toBe("failed");
  expect(circuitEventOf({ ...RESULT, code: "hook.network" })).toBe("failed");
  expect(circuitEventOf({ ...RESULT, exit: 124, code: "hook.timeout" })).toBe("timed_out");
  expect(circuitEventOf({ ...RESULT, via: "exec", exit: 3 })).toBe("succeeded");
  expect(circuitEventOf({ ...RESULT, code: "hook.ssrf_blocked" })).toBeUndefined();
  expect(circuitEventOf({ ...RESULT, code: "hook.circuit_open" })).toBeUndefined();
});
