import { expect, it } from "vitest";
import { nearestEffort } from "#src/providers/reasoning-effort";

it.each([
  ["high", ["low", "medium", "high"], "high"],
  ["xhigh", ["low", "medium", "high"], "high"],
  ["none", ["low", "high"], "low"],
  ["none", ["none", "high"], "none"],
  ["low", ["none", "high"], "high"],
  ["minimal", ["none", "low"], "low"],
  ["medium", ["low", "high"], "low"],
  ["medium", [], undefined],
  ["high", ["none"], "none"],
] as const)("makes %s of %j into %s", (asked, taken, expected) => {
  expect(nearestEffort(asked, taken)).toBe(expected);
});
