import { expect, it } from "vitest";
import * as z from "zod";
import { parseArguments } from "#src/tools/parse-arguments";

const schema = z.object({
  path: z.string().min(1),
  limit: z.int().min(1).max(10).optional(),
  deep: z.boolean().optional(),
  mode: z.enum(["fast", "slow"]).optional(),
  items: z.array(z.strictObject({ id: z.string(), weight: z.number().optional() })).optional(),
});

function parse(input: unknown): unknown {
  return parseArguments("sample", schema, input);
}

it.each([
  ["a number", { path: "a", limit: "5" }, { path: "a", limit: 5 }],
  ["a truth value", { path: "a", deep: "True" }, { path: "a", deep: true }],
  ["a list", { path: "a", items: '[{"id":"x"}]' }, { path: "a", items: [{ id: "x" }] }],
  ["an object in a list", { path: "a", items: ['{"id":"x"}'] }, { path: "a", items: [{ id: "x" }] }],
  [
    "a number within a list",
    { path: "a", items: '[{"id":"x","weight":"2"}]' },
    { path: "a", items: [{ id: "x", weight: 2 }] },
  ],
  ["the whole object", '{"path":"a"}', { path: "a" }],
])("takes %s that was sent as text", (_, input, expected) => {
  expect(parse(input)).toEqual(expected);
});

it("takes null for a field that may be absent", () => {
  expect(parse({ path: "a", limit: null, mode: null })).toEqual({ path: "a" });
});

it("leaves text alone where text is wanted", () => {
  expect(parse({ path: '{"a":1}' })).toEqual({ path: '{"a":1}' });
});

it("does not change the arguments that it was given", () => {
  const input = { path: "a", limit: "5" };
  parse(input);
  expect(input).toEqual({ path: "a", limit: "5" });
});

it.each([
  ["a missing field", {}, "path is missing (text)"],
  ["a null where a value must be", { path: null }, "path is missing (text)"],
  ["the wrong type", { path: 5 }, "path must be text, not 5"],
  ["text that is no number", { path: "a", limit: "many" }, "limit must be a number, not text"],
  ["a part of a number", { path: "a", limit: 1.5 }, "limit must be a whole number, not 1.5"],
  ["too large a number", { path: "a", limit: 11 }, "limit must be at most 10"],
  ["empty text", { path: "" }, "path must have at least 1 character."],
  ["a word that is no choice", { path: "a", mode: "medium" }, 'mode must be one of "fast", "slow"'],
  ["a field of an entry", { path: "a", items: [{}] }, "items[0].id is missing (text)"],
  ["an unknown field, with the nearest", { path: "a", Limits: 1 }, 'Limits is not a field, did you mean "limit"?'],
  [
    "an unknown field that is like none",
    { path: "a", zzz: 1 },
    "zzz is not a field, the fields are path, limit, deep, mode, items",
  ],
  ["a list instead of an object", [], "the whole must be an object, not a list"],
  ["text instead of an object", "a", "the whole must be an object, not text"],
])("names %s", (_, input, sentence) => {
  expect(() => parse(input)).toThrow(
    expect.objectContaining({ code: "bad_request", message: expect.stringContaining(sentence) }),
  );
});

it("names several faults in one sentence", () => {
  expect(() => parse({ limit: 0, mode: "x" })).toThrow(
    'The arguments of sample do not fit: path is missing (text); limit must be at least 1; mode must be one of "fast", "slow".',
  );
});

it("takes no field from a prototype", () => {
  expect(() => parse(JSON.parse('{"__proto__":{"path":"a"}}'))).toThrow("path is missing");
});
