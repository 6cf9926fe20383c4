import { expect, it } from "vitest";
import { judgeWallTime } from "#src/agent/budgets/wall-time";

const MINUTE = 60_000;
const judge = (usedMs: number, over: { readonly waitedMs?: number; readonly limitMs?: number } = {}) =>
  judgeWallTime({ startedAt: 1000, now: 1000 + usedMs, waitedMs: 0, limitMs: 10 * MINUTE, ...over });

it("lets a turn go on, comes to an end after four fifths, and stops it when the time is over", () => {
  expect(judge(8 * MINUTE - 1)).toEqual({ type: "go_on", leftMs: 2 * MINUTE + 1 });
  expect(judge(8 * MINUTE)).toMatchObject({ type: "sum_up", request: expect.stringContaining("10 minutes") });
  expect(judge(10 * MINUTE)).toMatchObject({ type: "over", sentence: expect.stringContaining("may take 10 minutes") });
});

it("does not count the time in which a person was waited for", () => {
  expect(judge(60 * MINUTE, { waitedMs: 55 * MINUTE })).toEqual({ type: "go_on", leftMs: 5 * MINUTE });
});

it("has no end without a limit, and none by a clock that was put back", () => {
  expect(judge(1e9, { limitMs: 0 })).toEqual({ type: "go_on", leftMs: Number.POSITIVE_INFINITY });
  expect(judge(-5 * MINUTE)).toEqual({ type: "go_on", leftMs: 10 * MINUTE });
});

it("says times as people do", () => {
  const said = (limitMs: number) => JSON.stringify(judge(limitMs, { limitMs }));
  expect(said(1000)).toContain("1 second,");
  expect(said(90_000)).toContain("90 seconds");
  expect(said(7_200_000)).toContain("2 hours");
});
