import { expect, it } from "vitest";
import { familyGuidance, toolGuidance } from "#src/agent/prompt/guidance";

it("speaks of the tools that there are, in their order, and of no part of every object", () => {
  const [first, second, ...others] = toolGuidance(["clarify", "constructor", "memory", "unheard_of"]);
  expect([first, second].map((text) => text?.slice(0, 14))).toEqual(["Use `clarify` ", "Use `memory` t"]);
  expect(others).toEqual([]);
});

it("tells the families that need it to act, and each what is true of it", () => {
  expect(familyGuidance("anthropic/claude-opus-4", "auto")).toEqual([]);
  expect(familyGuidance("deepseek-chat", "auto")).toHaveLength(1);
  expect(familyGuidance("google/gemini-3-pro", "auto")[1]).toContain("absolute paths");
  expect(familyGuidance("openai/GPT-5.5", "auto")[1]).toContain("every part of the request");
});

it("tells whom the operator wants told", () => {
  expect(familyGuidance("claude-opus-4", true)).toHaveLength(1);
  expect(familyGuidance("gpt-5.5", false)).toEqual([]);
  expect(familyGuidance("Claude-Opus-4", ["opus"])).toHaveLength(1);
  expect(familyGuidance("gpt-5.5", ["opus", ""])).toEqual([]);
});
