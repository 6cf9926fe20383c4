import { expect, it } from "vitest";
import { findRepetition } from "#src/agent/guardrails/find-repetition";

const START = "Here is what I found in the harbour's books. ";
const LOOP = "I should check the log of the crane once more before I say anything about it. ";

it("finds where a text began to repeat itself", () => {
  const found = findRepetition(START + LOOP.repeat(12));
  expect(found?.kept).toBe((START + LOOP).trimEnd());
  expect(found?.count).toBe(12);
});

it("finds a loop whose last round is not finished, and one of short words", () => {
  expect(findRepetition(START + LOOP.repeat(9) + LOOP.slice(0, 30))?.kept.startsWith(START)).toBe(true);
  expect(findRepetition(`${START}${"wait, no. ".repeat(120)}`)?.kept.length).toBeLessThan(80);
});

it("keeps only the first round of a loop that has run for long", () => {
  expect(findRepetition(START + LOOP.repeat(900))?.kept).toBe((START + LOOP).trimEnd());
});

it("takes four rounds, and a short text, for no loop", () => {
  expect(findRepetition(START + LOOP.repeat(4))).toBeUndefined();
  expect(findRepetition("yes ".repeat(90))).toBeUndefined();
});

it("takes no loop that is a small part of the text for one", () => {
  const prose = Array.from({ length: 200 }, (_, n) => `Sentence ${n} says something of its own. `).join("");
  expect(findRepetition(prose)).toBeUndefined();
  expect(findRepetition(prose + LOOP.repeat(6))).toBeUndefined();
});

it("bears rulers, tables and code that look alike", () => {
  const ruler = "-".repeat(500);
  expect(findRepetition(START + ruler)).toBeUndefined();
  const rows = Array.from({ length: 60 }, (_, n) => `| ${n} | item ${n * 7} | ${n % 3 === 0 ? "yes" : "no"} |`).join(
    "\n",
  );
  expect(findRepetition(rows)).toBeUndefined();
  const code = Array.from({ length: 40 }, (_, n) => `  if (value === ${n}) return names[${n}];`).join("\n");
  expect(findRepetition(code)).toBeUndefined();
});

it("finds a model that writes one character for ever", () => {
  expect(findRepetition(`${START}${"!".repeat(5000)}`)?.kept).toMatch(/books\. !{1,70}$/);
  expect(findRepetition(" \n".repeat(2000))?.kept).toBe("");
});

it("does not take long for a long text", () => {
  const before = performance.now();
  for (let n = 0; n < 200; n++) findRepetition(`${"ab".repeat(200_000)}${n}`);
  expect(performance.now() - before).toBeLessThan(5000);
});
