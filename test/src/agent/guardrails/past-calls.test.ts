import { expect, it } from "vitest";
import { pastCalls, signatureOf } from "#src/agent/guardrails/past-calls";
import { calls, newConversation, results } from "../../../support/compaction-rows";

it("pairs calls with their results, within one turn and in the order of the results", () => {
  newConversation();
  const rows = [
    calls(["old"], {}, { turnId: 1 }),
    results(["old"], "x", {}, { turnId: 1 }),
    calls(["a", "b", "open"], {}, { turnId: 2 }),
    results(["b", "stray"], "second", { isError: true }, { turnId: 2 }),
    results(["a"], "first", {}, { turnId: 2 }),
  ];
  expect(pastCalls(rows, 2).map(({ outcome, isError }) => [outcome, isError])).toEqual([
    ["second", true],
    ["first", false],
  ]);
});

it("knows calls that ask for the same", () => {
  expect(signatureOf("t", '{"a": 1, "b": [1, {"d": 1, "c": 2}]}')).toBe(
    signatureOf("t", '{"b":[1,{"c":2,"d":1}],"a":1}'),
  );
  expect(signatureOf("t", "")).toBe(signatureOf("t", "{}"));
  expect(signatureOf("t", '{"a":[1,2]}')).not.toBe(signatureOf("t", '{"a":[2,1]}'));
  expect(signatureOf("t", "{bad ")).toBe("t {bad");
});
