import { expect, it } from "vitest";
import { describeStatus } from "#src/hooks/describe-status";

const QUIET = {
  isOn: true,
  hooks: {},
  events: [],
  openCircuits: [],
  quarantined: [],
  deliveries: { owed: 0, dead: 0 },
};

it("says that there are none, and whether they are on", () => {
  expect(describeStatus(QUIET)).toContain("Hooks are on: there are none.");
  expect(describeStatus({ ...QUIET, isOn: false })).toContain("Hooks are off");
});

it("shows rates, open circuits, modules in quarantine and what is owed", () => {
  const text = describeStatus({
    ...QUIET,
    hooks: { active: 2, not_approved: 1 },
    events: [{ event: "tool.pre", calls: 4, failed: 1, timedOut: 1, p50Ms: 30, p95Ms: 4000 }],
    openCircuits: ["guard"],
    quarantined: ["plugin:slow:0"],
    deliveries: { owed: 3, dead: 1 },
  });
  expect(text).toContain("2 active, 1 not approved");
  expect(text).toContain("tool.pre: 4 calls · 50 % fine, 25 % failed, 25 % timed out · p50 30 ms, p95 4000 ms");
  expect(text).toContain("`guard` is not called for a while");
  expect(text).toContain("plugin:slow:0 is in quarantine");
  expect(text).toContain("3 owed, 1 given up");
});
