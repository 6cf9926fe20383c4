import { expect, it } from "vitest";
import { counted, lasting, quoted } from "#src/commands/markdown";

it.each([
  [0, "0 s"],
  [-5000, "0 s"],
  [59_400, "59 s"],
  [60_000, "1 min"],
  [3_599_000, "59 min"],
  [3_600_000, "1 h"],
  [7_500_000, "2 h 5 min"],
  [86_400_000, "1 d"],
  [273_600_000, "3 d 4 h"],
])("says %i ms as %j", (ms, expected) => {
  expect(lasting(ms)).toBe(expected);
});

it("counts one and many", () => {
  expect([counted(0, "call"), counted(1, "call"), counted(1234, "call")]).toEqual(["0 calls", "1 call", "1,234 calls"]);
});

it("lets no mark of a person's out of its code", () => {
  expect(quoted("a`b\n**c**")).toBe("`a'b **c**`");
});

it("repeats no more than a few hundred characters", () => {
  expect(quoted("🐚".repeat(100_000)).length).toBeLessThan(510);
});
