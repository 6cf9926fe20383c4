import { expect, it } from "vitest";
import { createToolCallCollector } from "#src/providers/collect-tool-calls";

function collect(...parts: readonly unknown[]) {
  const collector = createToolCallCollector();
  for (const part of parts) collector.add(part);
  return collector.finish(new Set()).map((call) => `${call.id} ${call.name} ${call.arguments}`);
}

const call = (fields: object, name?: string, args?: unknown) => ({ ...fields, function: { name, arguments: args } });

it.each<[string, readonly unknown[], readonly string[]]>([
  // Gemini's compatible endpoint sends whole calls without an index
  [
    "whole calls without index",
    [call({ id: "a" }, "x", '{"n":1}'), call({ id: "b" }, "x", '{"n":2}')],
    ['a x {"n":1}', 'b x {"n":2}'],
  ],
  [
    "whole calls without index and id",
    [call({}, "x", "{}"), call({}, "x", "{}"), call({}, "y", "{}")],
    ["call_1 x {}", "call_2 x {}", "call_3 y {}"],
  ],
  [
    "pieces without index, by id",
    [call({ id: "a" }, "x", '{"n"'), call({ id: "a" }, undefined, ":1}")],
    ['a x {"n":1}'],
  ],
  ["pieces without index and id", [call({ id: "a" }, "x", '{"n"'), call({}, undefined, ":1}")], ['a x {"n":1}']],
  [
    "index 0 for every call",
    [call({ index: 0, id: "a" }, "x", "{}"), call({ index: 0, id: "b" }, "x", "{}")],
    ["a x {}", "b x {}"],
  ],
  [
    "index 0 for every call, no ids",
    [call({ index: 0 }, "x", '{"n":1}'), call({ index: 0 }, "x", '{"n":2}')],
    ['call_1 x {"n":1}', 'call_2 x {"n":2}'],
  ],
  [
    "the name in every piece",
    [call({ index: 0, id: "a" }, "x", '{"n"'), call({ index: 0, id: "a" }, "x", ":1}")],
    ['a x {"n":1}'],
  ],
  [
    "the whole call once more at its end",
    [call({ index: 0, id: "a" }, "x", '{"n":1}'), call({ index: 0, id: "a" }, "x", '{"n":1}')],
    ['a x {"n":1}'],
  ],
  [
    "an empty object before the arguments",
    [call({ index: 0, id: "a" }, "x", "{}"), call({ index: 0 }, undefined, '{"n":1}')],
    ['a x {"n":1}'],
  ],
  ["the id after the name", [call({ index: 0 }, "x", ""), call({ index: 0, id: "a" }, undefined, "{}")], ["a x {}"]],
  ["arguments as an object", [call({ id: "a" }, "x", { n: 1 })], ['a x {"n":1}']],
  ["no arguments", [call({ id: "a" }, "x", null)], ["a x {}"]],
  // Workers AI: https://developers.cloudflare.com/workers-ai/features/function-calling/
  ["name and arguments beside each other", [{ name: "x", arguments: { n: 1 } }], ['call_1 x {"n":1}']],
  [
    "an empty last piece",
    [
      call({ index: 0, id: "a" }, "x", "{}"),
      { index: 0, id: null, type: null, function: { name: null, arguments: "" } },
    ],
    ["a x {}"],
  ],
  ["pieces without a name", [call({ index: 0 }, undefined, "{}")], []],
  ["no pieces at all", [null, "x", 7], []],
])("reads %s", (_, parts, expected) => {
  expect(collect(...parts)).toEqual(expected);
});

it("knows a call that was cut from a whole one", () => {
  const collector = createToolCallCollector();
  expect(collector.areWhole()).toBe(false);
  collector.add(call({ id: "a" }, "x", '{"n"'));
  expect(collector.areWhole()).toBe(false);
  collector.add(call({ id: "a" }, undefined, ":1}"));
  expect(collector.areWhole()).toBe(true);
});
