import { expect, it } from "vitest";
import { imported } from "../../../support/hook-dialect";

const entry = { event: "tool.pre", url: "https://hooks.example.com/" };

function told(more: Record<string, unknown>): readonly (string | undefined)[][] {
  const { log } = imported("native", [{ ...entry, ...more }] as never);
  return log.map(({ code, message, suggestion }) => [code, message, suggestion]);
}

it("names a key that hooks do not have, and the one that was meant", () => {
  expect(told({ onFailur: "deny" })).toEqual([
    ["hook.field_ignored", 'hooks have no "onFailur": it does not count', "onFailure"],
  ]);
});

it.each([
  ["onFailure", "maybe", "allow, deny or ask"],
  ["onTimeout", 5, "allow, deny or ask"],
  ["observe", "yes", "true or false"],
  ["priority", "high", "a number"],
  ["fields", 7, "an object"],
  ["headers", 5, "an object"],
  ["blockStatuses", "403", "a list"],
  ["retry", 9, "0 or 1"],
  ["id", "../a b", "1 to 100 letters, digits and . : _ -"],
])("says what a %s has to be", (key, value, expected) => {
  expect(told({ [key]: value })).toEqual([
    ["hook.field_ignored", `its ${key} does not count: expected ${expected}`, undefined],
  ]);
});

it("has nothing to say of an entry that uses every key as it is meant", () => {
  const all = {
    id: "guard",
    name: "Guard",
    type: "http",
    matcher: { tool: "terminal" },
    timeout: 5,
    onFailure: "deny",
    onError: "block",
    onTimeout: "ask",
    observe: false,
    priority: 3,
    fields: { history: "none" },
    chain: false,
    headers: { "x-a": "b" },
    allowedSecrets: ["A"],
    signature: ["github"],
    blockStatuses: [403],
    acceptText: true,
    retry: 1,
    responseKey: "whsec_x",
  };
  expect(told(all)).toEqual([]);
});
