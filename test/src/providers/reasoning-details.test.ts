import { expect, it } from "vitest";
import { addReasoningDetails, detailsText } from "#src/providers/reasoning-details";

// https://openrouter.ai/docs/guides/best-practices/reasoning-tokens#streaming-response
it("joins the pieces of one thought and keeps others apart", () => {
  const into: Record<string, unknown>[] = [];
  addReasoningDetails(into, [{ type: "reasoning.text", index: 0, text: "Let", id: null, signature: null }]);
  addReasoningDetails(into, [{ type: "reasoning.text", index: 0, text: " me", signature: "sig" }]);
  addReasoningDetails(into, [{ type: "reasoning.encrypted", index: 1, data: "abc", format: "x" }]);
  addReasoningDetails(into, [{ type: "reasoning.text", index: 2, text: "see" }]);
  expect(into).toEqual([
    { type: "reasoning.text", index: 0, text: "Let me", id: null, signature: "sig" },
    { type: "reasoning.encrypted", index: 1, data: "abc", format: "x" },
    { type: "reasoning.text", index: 2, text: "see" },
  ]);
});

it("takes nothing from what is no list of pieces", () => {
  const into: Record<string, unknown>[] = [];
  for (const odd of [undefined, null, "x", [null, 3], {}]) addReasoningDetails(into, odd);
  expect(into).toEqual([]);
  expect(detailsText(undefined)).toBe("");
});

it("reads what a person can of them", () => {
  expect(detailsText([{ text: "a" }, { summary: "b" }, { data: "c" }])).toBe("ab");
});
