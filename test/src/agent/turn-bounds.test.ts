import { expect, it } from "vitest";
import { LOOP_GUARD_DEFAULTS } from "#src/agent/guardrails/loop-guard";
import { type BoundsQuestion, type TurnLimits, judgeBounds } from "#src/agent/turn-bounds";
import type { Message } from "#src/domain/message";
import { TURN, call } from "../../support/scripted-turn";

const FREE: TurnLimits = {
  maxSteps: 0,
  wallTimeMs: 0,
  money: { turn: 0, session: 0, day: 0 },
  loops: LOOP_GUARD_DEFAULTS,
};

/** A turn of so many steps, each of which failed or did not. */
function rowsOf(steps: number, isError = false): readonly Message[] {
  return Array.from({ length: steps }, (_, n): Message[] => {
    const made = call(`c${n}`, "flaky", JSON.stringify({ n: isError ? 0 : n }));
    const result = { callId: made.id, name: made.name, content: isError ? "broken" : `fine ${n}`, isError };
    return [
      { id: 2 * n + 2, turnId: 1, role: "assistant", kind: "chat", content: "", createdAt: 0, toolCalls: [made] },
      { id: 2 * n + 3, turnId: 1, role: "tool", kind: "chat", content: "", createdAt: 0, toolResults: [result] },
    ];
  }).flat();
}

function judge(limits: Partial<TurnLimits>, over: Partial<BoundsQuestion> = {}) {
  return judgeBounds({
    turn: TURN,
    rows: [],
    limits: { ...FREE, ...limits },
    spent: { turn: 0, session: 0, day: 0 },
    now: 0,
    waitedMs: 0,
    isReadOnly: () => false,
    ...over,
  });
}

it("lets a turn without limits go on", () => {
  expect(judge({}, { rows: rowsOf(100), now: 1e9, spent: { turn: 9, session: 9, day: 9 } })).toEqual({ type: "go_on" });
});

it("ends a turn whose money or time is over, whatever else it may", () => {
  const money = { turn: 1, session: 0, day: 0 };
  expect(judge({ money }, { spent: { turn: 1, session: 1, day: 1 } })).toMatchObject({ type: "over" });
  expect(judge({ wallTimeMs: 1000 }, { now: 1000 })).toMatchObject({ type: "over" });
});

it("names the money first when several limits are reached", () => {
  const limits = { money: { turn: 1, session: 0, day: 0 }, wallTimeMs: 1000, maxSteps: 1 };
  const verdict = judge(limits, { rows: rowsOf(2), now: 5000, spent: { turn: 2, session: 2, day: 2 } });
  expect(verdict).toMatchObject({ type: "over", sentence: expect.stringContaining("$2.00") as string });
});

it("asks for a sum-up when the steps, or most of the time, are used up", () => {
  const steps = judge({ maxSteps: 2 }, { rows: rowsOf(2) });
  expect(steps).toMatchObject({ type: "sum_up", request: expect.stringContaining("the 2 tool steps") as string });
  expect(judge({ maxSteps: 2 }, { rows: rowsOf(1) })).toEqual({ type: "go_on" });
  expect(judge({ wallTimeMs: 1000 }, { now: 900 })).toMatchObject({ type: "sum_up" });
});

it("does not count the time that a person was waited for", () => {
  expect(judge({ wallTimeMs: 1000 }, { now: 5000, waitedMs: 4500 })).toEqual({ type: "go_on" });
});

it("asks for words when the calls go in circles, and only then", () => {
  const halted = judge({}, { rows: rowsOf(8, true) });
  expect(halted).toMatchObject({ type: "sum_up", request: expect.stringContaining("flaky failed 8 times") as string });
  expect(judge({}, { rows: rowsOf(7, true) })).toEqual({ type: "go_on" });
  expect(judge({ loops: { ...LOOP_GUARD_DEFAULTS, hardStop: false } }, { rows: rowsOf(20, true) })).toEqual({
    type: "go_on",
  });
});
