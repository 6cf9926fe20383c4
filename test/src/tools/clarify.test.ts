import { expect, it } from "vitest";
import { clarify } from "#src/tools/clarify";
import { toolContext } from "../../support/tool-context";

it("asks the person, with the choices", async () => {
  const args = clarify.parse({ question: " Which? ", choices: ["a", "b", "a"] });
  expect(await clarify.execute(args, toolContext())).toEqual({ ask: { text: "Which?", choices: ["a", "b"] } });
});

it("asks an open question without choices", async () => {
  expect(await clarify.execute(clarify.parse({ question: "Why?" }), toolContext())).toEqual({
    ask: { text: "Why?", choices: [] },
  });
});

it("refuses a fifth choice and an empty question", () => {
  expect(() => clarify.parse({ question: "Q", choices: ["1", "2", "3", "4", "5"] })).toThrow("at most 4 elements");
  expect(() => clarify.parse({ question: "  " })).toThrow("question must have at least 1");
});
