import { expect, it } from "vitest";
import type { ModelMessage } from "#src/domain/provider";
import { toSystemBlocks, toWireMessages, toWireTools } from "#src/providers/anthropic-messages";

const call = (id: string, args = "{}") => ({ id, name: "ls", arguments: args });

function wire(...messages: readonly ModelMessage[]) {
  return toWireMessages({ model: "m", messages, tools: [] });
}

function shape(...messages: readonly ModelMessage[]): string[] {
  return wire(...messages).map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => (typeof block["text"] === "string" ? block["text"] : block.type)).join(", ")}`,
  );
}

it("puts all results of an answer into one message, before what a person adds", () => {
  const wired = wire(
    { role: "user", content: "go" },
    { role: "assistant", content: "", toolCalls: [call("a"), call("b")] },
    { role: "tool", callId: "a", content: "1" },
    { role: "user", content: "also this" },
    { role: "tool", callId: "b", content: "2" },
  );
  expect(wired).toHaveLength(3);
  expect(wired[2]).toEqual({
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "a", content: "1" },
      { type: "tool_result", tool_use_id: "b", content: "2" },
      { type: "text", text: "also this" },
    ],
  });
});

it("lets roles alternate, a person begin and a person end", () => {
  expect(
    shape(
      { role: "assistant", content: "before" },
      { role: "user", content: "a" },
      { role: "user", content: "b" },
      { role: "assistant", content: "c" },
      { role: "assistant", content: "d" },
    ),
  ).toEqual([
    "user: (The conversation goes on.)",
    "assistant: before",
    "user: a, b",
    "assistant: c, d",
    "user: Please go on.",
  ]);
});

it("sends no text that is empty", () => {
  expect(
    shape({ role: "user", content: " " }, { role: "assistant", content: "\n" }, { role: "user", content: "x" }),
  ).toEqual(["user: (no words), x"]);
  expect(shape()).toEqual(["user: (The conversation goes on.)"]);
});

it("spells ids as the vendor takes them, the same for a call and its result", () => {
  const wired = JSON.stringify(
    wire(
      { role: "user", content: "go" },
      { role: "assistant", content: "", toolCalls: [call("functions.ls:0")] },
      { role: "tool", callId: "functions.ls:0", content: "" },
    ),
  );
  expect(wired.match(/functions_ls_0/g)).toHaveLength(2);
});

it("gives arguments as an object, also those that were never one", () => {
  const [, answer] = wire(
    { role: "user", content: "go" },
    { role: "assistant", content: "", toolCalls: [call("a", '{"p":1}'), call("b", "{broken"), call("c", "[1]")] },
    { role: "tool", callId: "a", content: "" },
  );
  expect(answer?.content.map((block) => block["input"])).toEqual([
    { p: 1 },
    { invalid_arguments: "{broken" },
    { invalid_arguments: "[1]" },
  ]);
});

it("keeps the parts of the system prompt apart, and gives every tool a schema of an object", () => {
  const messages = [
    { role: "system", content: "one" },
    { role: "user", content: "x" },
    { role: "system", content: "" },
    { role: "system", content: "two" },
  ] as const;
  expect(toSystemBlocks({ model: "m", messages, tools: [] }).map((block) => block["text"])).toEqual(["one", "two"]);
  expect(toWireTools([{ name: "t", description: "d", parameters: {} }])).toEqual([
    { name: "t", description: "d", input_schema: { type: "object" } },
  ]);
});
