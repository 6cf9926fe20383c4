import { expect, it } from "vitest";
import { DEFAULT_PERSONA, type PromptInput, buildPrompt } from "#src/agent/build-prompt";

const INPUT: PromptInput = {
  persona: DEFAULT_PERSONA,
  toolNames: ["memory", "terminal"],
  platformHint: "Telegram shows MarkdownV2.",
  memory: ["The cat is called Mo."],
  user: ["Lives in Graz."],
  startedAt: Date.UTC(2026, 10, 21, 23, 30),
  timeZone: "Europe/Vienna",
  platform: "telegram",
};

it("gives the same bytes for the same input, at any time of the day", () => {
  const prompt = buildPrompt(INPUT);
  expect(buildPrompt({ ...INPUT, memory: [...INPUT.memory] })).toBe(prompt);
  expect(buildPrompt({ ...INPUT, startedAt: INPUT.startedAt + 3_600_000 })).toBe(prompt);
});

it("tells the day alone, in the person's time zone", () => {
  expect(buildPrompt(INPUT)).toContain("Conversation started: Sunday, November 22, 2026 (Europe/Vienna)");
  expect(buildPrompt({ ...INPUT, timeZone: "UTC" })).toContain("Saturday, November 21, 2026 (UTC)");
  expect(buildPrompt(INPUT)).not.toMatch(/\d:\d/);
});

it("puts what never changes before what changes between conversations", () => {
  const prompt = buildPrompt(INPUT);
  const places = [
    DEFAULT_PERSONA,
    "Finish what you begin",
    "virtual shell",
    "MarkdownV2",
    "The cat is called Mo.",
    "Lives in Graz.",
    "Conversation started",
  ];
  const at = places.map((words) => prompt.indexOf(words));
  expect(at).toEqual(at.toSorted((a, b) => a - b));
  expect(at).not.toContain(-1);
});

it("says nothing of tools, memory and platform when there are none", () => {
  const { platformHint: _, ...rest } = INPUT;
  const prompt = buildPrompt({ ...rest, toolNames: [], memory: [], user: [] });
  expect(prompt).toBe(
    `${DEFAULT_PERSONA}\n\nConversation started: Sunday, November 22, 2026 (Europe/Vienna)\nPlatform: telegram`,
  );
});

it("has no words of its own for a tool that is called like a part of every object", () => {
  const prompt = buildPrompt({ ...INPUT, toolNames: ["constructor", "__proto__", "toString"] });
  expect(prompt).not.toMatch(/function|\[object/);
});
