import { expect, it } from "vitest";
import { createThinkSplitter } from "#src/providers/think-block";

function split(text: string) {
  const splitter = createThinkSplitter();
  const parts = [...Array.from(text, (char) => splitter.split(char)), splitter.rest()];
  return { thought: parts.map((part) => part.thought).join(""), said: parts.map((part) => part.said).join("") };
}

it.each([
  ["<think>\nhm\n</think>\n\nyes", "\nhm\n", "yes"],
  ["  <think></think>yes", "", "yes"],
  ["yes <think>no</think>", "", "yes <think>no</think>"],
  ["<think>cut", "cut", ""],
  ["<thin", "", "<thin"],
  ["<thinner> is a tag", "", "<thinner> is a tag"],
  ["<think>a </thin b</think>c", "a </thin b", "c"],
  ["", "", ""],
])("splits %j, however it comes", (text, thought, said) => {
  expect(split(text)).toEqual({ thought, said });
});
