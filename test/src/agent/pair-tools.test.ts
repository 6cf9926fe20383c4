import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pairToolMessages } from "#src/agent/pair-tools";
import type { ModelMessage } from "#src/domain/provider";
import { faultsOf, lost } from "../../conformance/suites/toolpairs";

const user = (content: string): ModelMessage => ({ role: "user", content });
const result = (callId: string, content = "ok"): ModelMessage => ({ role: "tool", callId, content });
const calls = (content: string, ...ids: string[]): ModelMessage => ({
  role: "assistant",
  content,
  toolCalls: ids.map((id) => ({ id, name: "read_file", arguments: "{}" })),
});
const said: ModelMessage = { role: "assistant", content: "done" };

it("leaves a valid conversation as it is", () => {
  const messages = [user("hi"), calls("", "a", "b"), result("b"), result("a"), said];
  const paired = pairToolMessages(messages);
  expect(paired).toEqual(messages);
  expect(paired.every((message, index) => message === messages[index])).toBe(true);
});

it("drops results without a call, second ones, and ones before their call", () => {
  const messages = [result("a"), calls("", "a"), result("a", "1"), result("a", "2"), result("z"), said];
  expect(pairToolMessages(messages)).toEqual([calls("", "a"), result("a", "1"), said]);
});

it("strips calls without a result, and messages that then say nothing", () => {
  const messages = [calls("", "a"), user("n"), calls("thinking", "b"), calls("  ", "c", "d"), result("d")];
  expect(pairToolMessages(messages)).toEqual([
    user("n"),
    { role: "assistant", content: "thinking" },
    calls("  ", "d"),
    result("d"),
  ]);
});

it("moves a result up behind its call", () => {
  const messages = [calls("", "a", "b"), result("b"), user("n"), result("a"), said];
  expect(pairToolMessages(messages)).toEqual([calls("", "a", "b"), result("b"), result("a"), user("n"), said]);
});

it("gives a result to the latest call with its id", () => {
  const messages = [calls("", "a"), result("a", "1"), calls("", "a"), result("a", "2")];
  expect(pairToolMessages(messages)).toEqual(messages);
  expect(pairToolMessages([calls("x", "a"), calls("y", "a"), result("a")])).toEqual([
    { role: "assistant", content: "x" },
    calls("y", "a"),
    result("a"),
  ]);
});

it("keeps one of two calls with the same id", () => {
  expect(pairToolMessages([calls("", "a", "a"), result("a"), result("a")])).toEqual([calls("", "a"), result("a")]);
});

it("drops an assistant message with neither text nor calls", () => {
  expect(pairToolMessages([{ role: "assistant", content: "" }, user("hi")])).toEqual([user("hi")]);
});

it.each([
  [" read file!", "_read_file_"],
  ["", "invalid_tool_call"],
  ["x".repeat(80), "x".repeat(64)],
])("sends the name %j as %s", (name, expected) => {
  const [first] = pairToolMessages([
    { role: "assistant", content: "", toolCalls: [{ id: "a", name, arguments: "{}" }] },
    result("a"),
  ]);
  expect(first).toMatchObject({ toolCalls: [{ name: expected }] });
});

describe("properties", () => {
  const id = fc.constantFrom("a", "b", "c", "d", "");
  const text = fc.constantFrom("", " ", "text");
  const message: fc.Arbitrary<ModelMessage> = fc.oneof(
    text.map(user),
    fc.record({ role: fc.constant("assistant" as const), content: text }),
    fc.tuple(text, fc.array(id, { maxLength: 4 })).map(([content, ids]) => calls(content, ...ids)),
    id.map((callId) => result(callId)),
    id.map((callId) => result(callId, "other")),
  );

  it("makes every conversation valid, and loses nothing that was", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 15 }), (messages) => {
        const paired = pairToolMessages(messages);
        expect(faultsOf(paired)).toEqual([]);
        expect(lost(messages, paired)).toEqual([]);
        expect(pairToolMessages(paired)).toEqual(paired);
      }),
      { seed: 3, numRuns: 2000 },
    );
  });
});
