import { expect, it } from "vitest";
import type { ModelAnswer, ModelOutcome } from "#src/agent/call-model";
import { settleAnswer, sumUsage } from "#src/agent/recovery/settle-answer";
import type { ModelFailure, ModelMessage } from "#src/domain/provider";

const FAILURE: ModelFailure = { reason: "network", retryable: false, message: "The line is dead." };

/** Answers one after the other, and what was asked for each. */
async function settle(says: readonly (Partial<ModelAnswer> | ModelFailure)[]) {
  const asked: { behind: readonly ModelMessage[]; before: string }[] = [];
  const waits: number[] = [];
  const settled = await settleAnswer({
    context: { toolNames: ["terminal"], isAfterTools: false },
    ask: async (behind, before): Promise<ModelOutcome> => {
      const next = says[asked.length];
      asked.push({ behind, before });
      if (next === undefined) throw new Error("asked once too often");
      if ("reason" in next) return { type: "failed", failure: next };
      const usage = { inputTokens: 10, outputTokens: 3 };
      return { type: "answer", answer: { text: "", toolCalls: [], finish: "stop", usage, ...next } };
    },
    wait: async (attempt) => void waits.push(attempt),
  });
  return { settled, asked, waits };
}

it("asks once when the answer can stand", async () => {
  const { settled, asked } = await settle([{ text: "hello" }]);
  expect(settled).toMatchObject({ type: "answer", answer: { text: "hello" }, refused: [] });
  expect(asked).toEqual([{ behind: [], before: "" }]);
});

it("joins an answer from its pieces, and counts the tokens of all of them", async () => {
  const { settled, asked } = await settle([
    { text: "one ", finish: "length" },
    { text: "two", usage: { inputTokens: 5, outputTokens: 2, reasoningTokens: 1 } },
  ]);
  expect(settled).toMatchObject({
    answer: { text: "one two", usage: { inputTokens: 15, outputTokens: 5, reasoningTokens: 1 } },
  });
  expect(asked[1]?.before).toBe("one ");
  expect(asked[1]?.behind).toHaveLength(2);
});

it("waits before it asks the same again", async () => {
  const { settled, waits, asked } = await settle([{}, {}, { text: "at last" }]);
  expect(settled).toMatchObject({ answer: { text: "at last" } });
  expect(waits).toEqual([1, 2]);
  expect(asked.at(-1)?.behind).toEqual([]);
});

it("fails with a sentence and what it has cost when nothing comes", async () => {
  const { settled } = await settle([{}, {}, {}, {}]);
  expect(settled).toMatchObject({
    type: "failed",
    failure: { reason: "invalid_response", shouldFallback: true },
    usage: { inputTokens: 40, outputTokens: 12 },
  });
});

it("passes a failure on, but keeps what stands of an answer", async () => {
  expect((await settle([FAILURE])).settled).toEqual({ type: "failed", failure: FAILURE });
  const { settled } = await settle([{ text: "one", finish: "length" }, FAILURE]);
  expect(settled).toMatchObject({
    type: "answer",
    answer: { text: "one\n\n[Cut here: The line is dead.]", finish: "stop" },
  });
});

it("sums tokens, and says nothing of what nobody counted", () => {
  expect(
    sumUsage([
      { inputTokens: 1, outputTokens: 2 },
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 5 },
    ]),
  ).toEqual({
    inputTokens: 4,
    outputTokens: 6,
    cachedInputTokens: 5,
  });
});
