import { expect, it } from "vitest";
import { askOnce } from "#src/agent/call-model";
import type { ModelEvent, ModelFailure } from "#src/domain/provider";

const REQUEST = { model: "m", messages: [], tools: [] };
const text = (delta: string): ModelEvent => ({ type: "text", delta });
const finish = (over: Partial<Extract<ModelEvent, { type: "finish" }>> = {}): ModelEvent => ({
  type: "finish",
  reason: "stop",
  toolCalls: [],
  ...over,
});

async function ask(events: readonly ModelEvent[]) {
  const texts: string[] = [];
  async function* stream(): AsyncIterable<ModelEvent> {
    yield* events;
  }
  const outcome = await askOnce(stream, REQUEST, {
    onText: (so) => texts.push(so),
    signal: new AbortController().signal,
  });
  return { outcome, texts };
}

it("tells the answer as it grows and gives it whole, with its usage and what the provider wants back", async () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const state = { provider: "p", model: "m", data: "{}" };
  const { outcome, texts } = await ask([
    text("Hel"),
    { type: "reasoning", delta: "hm" },
    text("lo"),
    finish({ usage, state }),
  ]);
  expect(outcome).toEqual({ type: "answer", answer: { text: "Hello", toolCalls: [], finish: "stop", usage, state } });
  expect(texts).toEqual(["Hel", "Hello"]);
});

it("hands a failure on as it is", async () => {
  const failure: ModelFailure = { reason: "auth", retryable: false, message: "bad key" };
  expect((await ask([text("x"), { type: "failed", failure }])).outcome).toEqual({ type: "failed", failure });
});

it("takes a stream without an end for a failure", async () => {
  expect((await ask([text("Hel")])).outcome).toMatchObject({ type: "failed", failure: { reason: "invalid_response" } });
});
