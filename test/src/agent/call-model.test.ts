import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type ModelCallPorts, callModel } from "#src/agent/call-model";
import type { ModelEvent, ModelFailure } from "#src/domain/provider";

const REQUEST = { model: "m", messages: [], tools: [] };
const failure = (over: Partial<ModelFailure> = {}): ModelEvent => ({
  type: "failed",
  failure: { reason: "server_error", retryable: true, message: "broken", ...over },
});
const text = (delta: string): ModelEvent => ({ type: "text", delta });
const finish = (over: Partial<Extract<ModelEvent, { type: "finish" }>> = {}): ModelEvent => ({
  type: "finish",
  reason: "stop",
  toolCalls: [],
  ...over,
});

/** A model that says one entry of the script a try; the last one for ever. */
function setUp(script: readonly (readonly ModelEvent[])[], over: Partial<ModelCallPorts> = {}) {
  const control = new AbortController();
  const texts: string[] = [];
  const state = { tries: 0 };
  const ports: ModelCallPorts = {
    async *stream() {
      yield* script[Math.min(state.tries++, script.length - 1)] ?? [];
    },
    onText: (so) => texts.push(so),
    signal: control.signal,
    maxTries: 3,
    random: () => 0,
    ...over,
  };
  return { ports, texts, state, control };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("tells the answer as it grows and gives it whole, with its usage", async () => {
  const usage = { inputTokens: 3, outputTokens: 2 };
  const { ports, texts } = setUp([[text("Hel"), { type: "reasoning", delta: "hm" }, text("lo"), finish({ usage })]]);
  const outcome = await callModel(REQUEST, ports);
  expect(outcome).toEqual({ type: "answer", answer: { text: "Hello", toolCalls: [], finish: "stop", usage } });
  expect(texts).toEqual(["Hel", "Hello"]);
});

it.each<[string, ModelEvent[], number]>([
  ["a failure that may pass", [failure()], 2000],
  ["an answer of nothing", [text(" \n"), finish()], 5000],
  ["an answer that ran out of room before its first word", [finish({ reason: "length" })], 5000],
  ["a stream without an end", [text("Hel")], 5000],
])("tries again after %s", async (_, events, waitMs) => {
  const { ports, texts, state } = setUp([events, [text("ok"), finish()]]);
  const outcome = callModel(REQUEST, ports);
  await vi.advanceTimersByTimeAsync(waitMs - 1);
  expect(state.tries).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome).toMatchObject({ type: "answer", answer: { text: "ok" } });
  // what was shown of the failed try is taken back before the next one
  expect(texts.slice(-2)).toEqual(["", "ok"]);
});

it("waits as long as the provider asks", async () => {
  const { ports, state } = setUp([[failure({ reason: "rate_limit", retryAfterMs: 90_000 })], [text("ok"), finish()]]);
  const outcome = callModel(REQUEST, ports);
  await vi.advanceTimersByTimeAsync(89_999);
  expect(state.tries).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await outcome).toMatchObject({ type: "answer" });
});

it.each<[string, ModelEvent[]]>([
  ["will not pass", [failure({ retryable: false })]],
  ["passes only with a shorter history", [failure({ shouldCompress: true })]],
  ["asks for more patience than a person has", [failure({ retryAfterMs: 120_001 })]],
])("does not try again when a failure %s", async (_, events) => {
  const { ports, state } = setUp([events]);
  expect(await callModel(REQUEST, ports)).toMatchObject({ type: "failed", failure: { message: "broken" } });
  expect(state.tries).toBe(1);
});

it("gives up after the last try with the last failure", async () => {
  const { ports, state } = setUp([[failure()], [failure()], [failure({ message: "the last" })]]);
  const outcome = callModel(REQUEST, ports);
  await vi.runAllTimersAsync();
  expect(await outcome).toMatchObject({ type: "failed", failure: { message: "the last" } });
  expect(state.tries).toBe(3);
});

it("takes a filtered answer for a refusal, which is final, and keeps what there is of one with words", async () => {
  const empty = setUp([[finish({ reason: "content_filter" })]]);
  expect(await callModel(REQUEST, empty.ports)).toMatchObject({
    type: "failed",
    failure: { reason: "content_policy" },
  });
  expect(empty.state.tries).toBe(1);
  const begun = setUp([[text("As far as"), finish({ reason: "content_filter" })]]);
  expect(await callModel(REQUEST, begun.ports)).toMatchObject({
    answer: { text: "As far as", finish: "content_filter" },
  });
});

it("takes calls without words for an answer", async () => {
  const toolCalls = [{ id: "a", name: "t", arguments: "{}" }];
  const { ports } = setUp([[finish({ reason: "tool_calls", toolCalls })]]);
  expect(await callModel(REQUEST, ports)).toMatchObject({ type: "answer", answer: { text: "", toolCalls } });
});

it("ends the wait for the next try with the signal's reason", async () => {
  const { ports, state, control } = setUp([[failure()]]);
  const outcome = callModel(REQUEST, ports);
  const rejected = expect(outcome).rejects.toBe("stop");
  await vi.advanceTimersByTimeAsync(100);
  control.abort("stop");
  await rejected;
  await vi.runAllTimersAsync();
  expect(state.tries).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

it("throws the signal's reason although an answer came in at the same time", async () => {
  const { ports, control } = setUp([[text("ok"), finish()]], { onText: () => control.abort("redirect") });
  await expect(callModel(REQUEST, ports)).rejects.toBe("redirect");
});
