import { expect, it } from "vitest";
import { dollars, judgeMoney, withCost } from "#src/agent/budgets/money-budget";

const LIMITS = { turn: 1, session: 5, day: 10 };

it("lets a call be made while every limit has money left", () => {
  expect(judgeMoney({ turn: 0.99, session: 4.99, day: 9.99 }, LIMITS)).toBeUndefined();
});

it("says which limit was reached, by how much, and what helps", () => {
  expect(judgeMoney({ turn: 1.2, session: 2, day: 3 }, LIMITS)).toEqual({
    scope: "turn",
    sentence:
      "⚠️ I stopped here: this turn has cost $1.20, and the limit is $1.00. Ask me to go on, or for a smaller part of it.",
  });
  expect(judgeMoney({ turn: 0, session: 5, day: 5 }, LIMITS)?.sentence).toContain("/new");
});

it("names the widest limit that was reached", () => {
  expect(judgeMoney({ turn: 2, session: 6, day: 11 }, LIMITS)?.scope).toBe("day");
});

it("takes 0 for no limit", () => {
  expect(judgeMoney({ turn: 99, session: 99, day: 99 }, { turn: 0, session: 0, day: 0 })).toBeUndefined();
});

it("adds what a call cost to all three, and nothing for what nobody knows", () => {
  const spent = { turn: 1, session: 2, day: 3 };
  expect(withCost(spent, 0.5)).toEqual({ turn: 1.5, session: 2.5, day: 3.5 });
  for (const cost of [undefined, Number.NaN, -1]) expect(withCost(spent, cost)).toEqual(spent);
});

it("writes small amounts so that they say something", () => {
  expect([0, 0.000_123, 0.01, 12.345].map(dollars)).toEqual(["$0.00", "$0.00012", "$0.01", "$12.35"]);
});
