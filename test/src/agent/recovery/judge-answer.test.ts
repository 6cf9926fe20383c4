import { expect, it } from "vitest";
import type { ModelAnswer } from "#src/agent/call-model";
import type { AnswerContext } from "#src/agent/recovery/answer-context";
import { type AnswerVerdict, NEW_STEP, type StepHistory, judgeAnswer } from "#src/agent/recovery/judge-answer";
import { call } from "../../../support/scripted-turn";

const CONTEXT: AnswerContext = { toolNames: ["terminal", "write_file"], isAfterTools: false };
const STATE = { provider: "p", model: "m", data: "signed" };

function judge(
  answer: Partial<ModelAnswer>,
  history: Partial<StepHistory> = {},
  context: Partial<AnswerContext> = {},
): AnswerVerdict {
  const whole = { text: "", toolCalls: [], finish: "stop" as const, ...answer };
  return judgeAnswer(whole, { ...CONTEXT, ...context }, { ...NEW_STEP, ...history });
}

/** Gives the same answer until something comes of it, and what was asked on the way. */
function insist(answer: Partial<ModelAnswer>, context: Partial<AnswerContext> = {}) {
  const path: string[] = [];
  let history = NEW_STEP;
  for (;;) {
    const verdict = judge(answer, history, context);
    path.push(verdict.type);
    if (verdict.type === "accept" || verdict.type === "fail") return { path, verdict };
    ({ history } = verdict);
  }
}

const lastWords = (verdict: AnswerVerdict) =>
  verdict.type === "continue_with" ? verdict.messages.at(-1)?.content : "";

it("accepts an answer as it is, with what its provider wants to see again", () => {
  const answer = { text: "hello", toolCalls: [], finish: "stop" as const, state: STATE };
  expect(judge(answer)).toEqual({ type: "accept", answer, refused: [] });
});

it("accepts calls that are right with what was signed, and repaired ones without", () => {
  const good = { toolCalls: [call("a", "terminal")], finish: "tool_calls" as const, state: STATE };
  expect(judge(good)).toMatchObject({ type: "accept", answer: { ...good } });
  const verdict = judge({ ...good, toolCalls: [{ id: "a", name: "Terminal", arguments: "" }] });
  expect(verdict).toMatchObject({ answer: { toolCalls: [{ id: "a", name: "terminal", arguments: "{}" }] } });
  expect(verdict.type === "accept" && "state" in verdict.answer).toBe(false);
});

it("has an answer that was cut go on, and puts the pieces together", () => {
  const first = judge({ text: "one two ", finish: "length" });
  expect(first).toMatchObject({ type: "continue_with", history: { text: "one two ", continuations: 1 } });
  if (first.type !== "continue_with") return;
  expect(first.messages[0]).toEqual({ role: "assistant", content: "one two " });
  const second = judge({ text: "three", state: STATE }, first.history);
  expect(second).toEqual({
    type: "accept",
    answer: { text: "one two three", toolCalls: [], finish: "stop" },
    refused: [],
  });
});

it("has an answer go on four times, and then says that it is cut", () => {
  let history = NEW_STEP;
  for (let n = 1; n <= 4; n++) {
    const verdict = judge({ text: `piece ${n}. `, finish: "length" }, history);
    if (verdict.type !== "continue_with") throw new Error(verdict.type);
    ({ history } = verdict);
  }
  const verdict = judge({ text: "piece 5.", finish: "length" }, history);
  expect(verdict).toMatchObject({
    answer: { text: expect.stringMatching(/^piece 1\. piece 2\..*piece 5\.\n\n\[Cut here/) },
  });
});

it("asks once for a shorter call after one was cut in the middle, and then answers it with an error", () => {
  const half = { id: "b", name: "write_file", arguments: '{"content":"ha' };
  const answer = { toolCalls: [call("a", "terminal"), half], finish: "length" as const };
  const first = judge(answer);
  expect(first).toMatchObject({ type: "continue_with", history: { cutCalls: 1 } });
  expect(lastWords(first)).toContain("in the middle of a call of write_file");
  const second = judge(answer, { cutCalls: 1 });
  expect(second).toMatchObject({
    type: "accept",
    answer: { toolCalls: [{ id: "a" }, { id: "b" }] },
    refused: [{ callId: "b", name: "write_file", isError: true, content: expect.stringContaining("smaller calls") }],
  });
});

it("runs calls that are whole although the answer was cut", () => {
  expect(judge({ toolCalls: [call("a", "terminal")], finish: "length" })).toMatchObject({
    type: "accept",
    refused: [],
  });
});

it("tries an empty answer three times more, and then says so", () => {
  const { path, verdict } = insist({});
  expect(path).toEqual(["retry", "retry", "retry", "fail"]);
  expect(verdict).toMatchObject({
    message: expect.stringContaining("with nothing, 4 times in a row"),
    mayFallback: true,
  });
});

it("nudges a model that says nothing to its tool results once, before it tries again", () => {
  const { path } = insist({}, { isAfterTools: true });
  expect(path).toEqual(["continue_with", "retry", "retry", "retry", "fail"]);
});

it("gives up at once when the same nothing comes twice without a token", () => {
  expect(insist({ usage: { inputTokens: 9, outputTokens: 0 } }).path).toEqual(["retry", "fail"]);
  const other = judge({ usage: { inputTokens: 9, outputTokens: 0 } }, { silences: 1, lastSilence: "length" });
  expect(other.type).toBe("retry");
});

it("tries a dear request only once more", () => {
  expect(insist({}, { tryCostUsd: 0.25 }).path).toEqual(["retry", "fail"]);
});

it("asks a model that only thought for its answer, twice, and a long thinker for less", () => {
  const usage = { inputTokens: 9, outputTokens: 80, reasoningTokens: 80 };
  expect(insist({ usage }).path).toEqual(["continue_with", "continue_with", "retry", "retry", "retry", "fail"]);
  expect(lastWords(judge({ usage }))).toContain("you have thought, but not answered");
  expect(lastWords(judge({ finish: "length" }))).toContain("Think briefly");
});

it("takes what was said beside calls that keep the house for the answer", () => {
  const { path, verdict } = insist({}, { isAfterTools: true, saidBeside: "Noted." });
  expect(path).toEqual(["continue_with", "accept"]);
  expect(verdict).toMatchObject({ answer: { text: "Noted." } });
});

it("keeps what stands of an answer when its next piece is empty", () => {
  expect(judge({}, { text: "half", continuations: 1 })).toMatchObject({ type: "accept", answer: { text: "half" } });
  expect(judge({ finish: "length" }, { text: "half" })).toMatchObject({
    answer: { text: expect.stringContaining("half\n\n[Cut") },
  });
});

it("asks again when a call was announced and did not arrive, once", () => {
  const lost = { text: "I look.", finish: "tool_calls" as const };
  expect(insist(lost).path).toEqual(["continue_with", "accept"]);
  expect(judge(lost, {}, { toolNames: [] }).type).toBe("accept");
});

it("cuts an answer that repeats itself, has it go on once, and then says so", () => {
  const text = `Here it is. ${"I should check the log of the crane once more before anything else. ".repeat(20)}`;
  const first = judge({ text });
  expect(first).toMatchObject({ type: "continue_with", history: { loops: 1 } });
  expect(first.type === "continue_with" && first.history.text.length).toBeLessThan(100);
  expect(judge({ text }, { loops: 1 })).toMatchObject({
    answer: { text: expect.stringMatching(/else\.\n\n\[Cut here: the model began/) },
  });
});

it("says that a provider refused, or where its filter cut an answer", () => {
  expect(judge({ finish: "content_filter" })).toMatchObject({
    type: "fail",
    message: expect.stringContaining("refused"),
  });
  const cut = judge({ text: "The first", finish: "content_filter", toolCalls: [call("a", "terminal")] });
  expect(cut).toMatchObject({
    type: "accept",
    answer: { toolCalls: [], text: expect.stringMatching(/^The first\n\n\[Cut here/) },
  });
});

it("asks for words when a model calls tools that it no longer has", () => {
  const calling = { toolCalls: [call("a", "terminal")], finish: "tool_calls" as const };
  const verdict = judge(calling, {}, { toolNames: [] });
  expect(lastWords(verdict)).toContain("no more tools");
  expect(judge({ ...calling, text: "Done." }, {}, { toolNames: [] })).toMatchObject({
    type: "accept",
    answer: { text: "Done.", toolCalls: [] },
  });
});

it("comes to an end with any answers", () => {
  for (const finish of ["stop", "length", "tool_calls", "content_filter"] as const) {
    for (const text of ["", " ", "words", "so on and so forth, ".repeat(100)]) {
      for (const toolCalls of [[], [{ id: "", name: "", arguments: "{" }]]) {
        for (const toolNames of [[], ["terminal"]]) {
          const { path } = insist({ text, finish, toolCalls }, { toolNames, isAfterTools: true });
          expect(path.length).toBeLessThan(12);
        }
      }
    }
  }
});
