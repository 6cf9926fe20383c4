import { expect, it } from "vitest";
import { checkAnswer } from "#src/tools/check-answer";

const SCHEMA = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };

it.each(['{"n": 3}', '```json\n{"n": 3}\n```', '  {"n":3}\n'])("finds nothing wrong with %j", (answer) => {
  expect(checkAnswer(answer, SCHEMA)).toEqual([]);
});

it("names the field that does not fit", () => {
  expect(checkAnswer('{"n": "three"}', SCHEMA)[0]).toMatch(/^n: /);
  expect(checkAnswer("[]", SCHEMA)[0]).toMatch(/^the answer: /);
});

it("says of words that they are not JSON", () => {
  expect(checkAnswer("three moons", SCHEMA)).toEqual(["it is not JSON"]);
  expect(checkAnswer("```json\n{", SCHEMA)).toEqual(["it is not JSON"]);
});

it("says when the schema itself is the trouble, and does not throw", () => {
  expect(checkAnswer("{}", { type: "no such type" })[0]).toContain("the schema itself cannot be read");
});
