import { expect, it } from "vitest";
import { chooseDeliveries } from "#src/hooks/http/choose-deliveries";

function waiting(...names: string[]): { host: string; dueAt: number; name: string }[] {
  return names.map((name, i) => ({ host: name.slice(0, 1), dueAt: i, name }));
}

function chosen(...args: Parameters<typeof chooseDeliveries<{ host: string; dueAt: number; name: string }>>): string[] {
  return chooseDeliveries(...args).map(({ name }) => name);
}

it("sends the oldest first, two to a host and four at once", () => {
  expect(chosen(waiting("a1", "a2", "a3", "b1", "c1", "d1"), [], 100)).toEqual(["a1", "a2", "b1", "c1"]);
  expect(chosen(waiting("a1", "b1").toReversed(), [], 100)).toEqual(["a1", "b1"]);
});

it("counts what is under way", () => {
  expect(chosen(waiting("a1", "b1", "c1"), [{ host: "a" }, { host: "a" }], 100)).toEqual(["b1", "c1"]);
  expect(
    chosen(
      waiting("a1"),
      Array.from({ length: 4 }, () => ({ host: "z" })),
      100,
    ),
  ).toEqual([]);
});

it("leaves what is not due yet", () => {
  expect(chosen(waiting("a1", "b1", "c1"), [], 1)).toEqual(["a1", "b1"]);
});
