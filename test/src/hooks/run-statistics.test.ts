import { expect, it } from "vitest";
import { type RunRecord, describeRuns, joinRuns, runStatistics } from "#src/hooks/run-statistics";

function run(over: Partial<RunRecord> = {}): RunRecord {
  return { at: 0, hook: "guard", name: "guard", event: "tool.pre", mode: "decision", exit: 0, durationMs: 10, ...over };
}

it("counts calls by event, those that failed and those that took too long", () => {
  const runs = [
    run({ durationMs: 10 }),
    run({ durationMs: 20, exit: 2, decision: "deny" }),
    run({ durationMs: 30, exit: 1, code: "hook.network" }),
    run({ durationMs: 4000, exit: 124, code: "hook.timeout" }),
    run({ event: "turn.end", durationMs: 1 }),
  ];
  expect(runStatistics(runs)).toEqual([
    { event: "tool.pre", calls: 4, failed: 1, timedOut: 1, p50Ms: 30, p95Ms: 4000 },
    { event: "turn.end", calls: 1, failed: 0, timedOut: 0, p50Ms: 1, p95Ms: 1 },
  ]);
});

it("joins what several have told, each run once, the latest first", () => {
  const joined = joinRuns([run({ at: 1 }), run({ at: 3 })], [run({ at: 1 }), run({ at: 2 })]);
  expect(joined.map(({ at }) => at)).toEqual([3, 2, 1]);
});

it("tells of a run when it was, what came back and what it meant", () => {
  const text = describeRuns([
    run({ at: Date.UTC(2026, 10, 21, 12), decision: "deny", exit: 2 }),
    run({ exit: 1, code: "hook.network", mode: "observe" }),
  ]);
  expect(text).toContain("- 2026-11-21 12:00:00 `guard` tool.pre · exit 2 · deny · 10 ms");
  expect(text).toContain("✗ hook.network · observed");
  expect(describeRuns([])).toBe("No hook was called lately.");
});
