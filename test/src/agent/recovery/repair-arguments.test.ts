import * as fc from "fast-check";
import { expect, it } from "vitest";
import { repairArguments } from "#src/agent/recovery/repair-arguments";

it.each([
  ["an object, byte for byte", ' { "a" : 1 }', '{ "a" : 1 }'],
  ["nothing", "  ", "{}"],
  ["null", "null", "{}"],
  ["None", "None", "{}"],
  ["a fence around it", '```json\n{"a": 1}\n```', '{ "a": 1 }'],
  ["JSON in a string", '"{\\"a\\": 1}"', '{"a":1}'],
  ["a comma too many", '{"a": [1, 2,], "b": 2,}', '{"a":[1,2],"b":2}'],
  ["Python's words", '{"a": True, "b": False, "c": None}', '{"a":true,"b":false,"c":null}'],
  ["Python's quotes", "{'a': 'say \"hi\"', 'b': 'it\\'s'}", '{"a":"say \\"hi\\"","b":"it\'s"}'],
  ["names without quotes", '{path: "a", $x-1: 2}', '{"path":"a","$x-1":2}'],
  ["line breaks and tabs in a string", '{"a": "one\ntwo\tthree"}', '{"a":"one\\ntwo\\tthree"}'],
  ["backslashes that mean nothing", '{"re": "\\d+\\u12"}', '{"re":"\\\\d+\\\\u12"}'],
  ["a closing brace that is missing", '{"a": {"b": "c"}', '{"a":{"b":"c"}}'],
  ["closing braces too many", '{"a": 1}}}', '{"a":1}'],
  ["marks of the model's format", '{"a": 1}</arguments><|tool_call_end|>', '{"a":1}'],
  ["an empty object before the real one", '{}{"a": 1}', '{"a":1}'],
  ["the same object twice", '{"a": 1}\n{"a":1}', '{"a":1}'],
  ["True inside a string", '{"a": "True, None,}",}', '{"a":"True, None,}"}'],
])("puts right %s", (_, raw, wanted) => {
  expect(JSON.parse(repairArguments(raw) ?? "no")).toEqual(JSON.parse(wanted));
});

it("does not touch what is right", () => {
  expect(repairArguments('{ "a" : 1 }')).toBe('{ "a" : 1 }');
});

it.each([
  ["a string that does not end", '{"path": "a", "content": "half of a fi'],
  ["a list that does not end", '{"paths": ["a", "b"'],
  ["a value that is missing", '{"a": '],
  ["a number that may be cut", '{"a": 12'],
  ["a list", "[1, 2]"],
  ["a number", "7"],
  ["plain words", "list the files"],
  ["words before the object", 'Sure: {"a": 1}'],
  ["two different objects", '{"a": 1}{"a": 2}'],
  ["brackets that cross", '{"a": [1}]'],
  ["an apostrophe that ends a string too early", "{'a': 'it's here'}"],
])("guesses nothing about %s", (_, raw) => {
  expect(repairArguments(raw)).toBeUndefined();
});

it("gives an object or nothing, whatever it is given", () => {
  const noise = fc.array(fc.constantFrom("{", "}", "[", "]", '"', "'", ",", ":", "a", " ", "\n", "\\", "1", "True"));
  fc.assert(
    fc.property(noise, (parts) => {
      const repaired = repairArguments(parts.join(""));
      if (repaired === undefined) return;
      const value: unknown = JSON.parse(repaired);
      expect(typeof value === "object" && value !== null && !Array.isArray(value)).toBe(true);
    }),
    { seed: 3, numRuns: 3000 },
  );
});

it("gives back any object that lost its last braces or gained commas", () => {
  const object = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string(), fc.boolean(), fc.dictionary(fc.string(), fc.string())),
    { minKeys: 1 },
  );
  fc.assert(
    fc.property(object, (value) => {
      const text = JSON.stringify(value);
      expect(JSON.parse(repairArguments(text.replace(/}$/, ",}")) ?? "0")).toEqual(JSON.parse(text));
      expect(JSON.parse(repairArguments(text.slice(0, -1)) ?? "0")).toEqual(JSON.parse(text));
    }),
    { seed: 4, numRuns: 500 },
  );
});

it("does not take long for long broken arguments", () => {
  const before = performance.now();
  repairArguments(`{"a": [${'{"b": 1,},'.repeat(50_000)}`);
  repairArguments(`{"a": "${"x\n".repeat(300_000)}"}`);
  expect(performance.now() - before).toBeLessThan(5000);
});
