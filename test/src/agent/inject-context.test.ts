import { expect, it } from "vitest";
import { injectContext, lastUserText } from "#src/agent/inject-context";
import type { ModelMessage } from "#src/domain/provider";

const TALK: readonly ModelMessage[] = [
  { role: "system", content: "S" },
  { role: "user", content: "first" },
  { role: "assistant", content: "a" },
  { role: "user", content: "second" },
  { role: "assistant", content: "b" },
];

it("adds context to the last user message alone, and leaves the prompt as it is", () => {
  const seen = injectContext(TALK, "today is Monday");
  expect(seen.map(({ content }) => content)).toEqual([
    "S",
    "first",
    "a",
    "second\n\n<hook_context>\ntoday is Monday\n</hook_context>",
    "b",
  ]);
  expect(TALK[3]?.content).toBe("second");
});

it("adds it as a part of its own beside a picture", () => {
  const parts = [{ type: "image", url: "data:," }] as const;
  const [only] = injectContext([{ role: "user", content: parts }], "c");
  expect(only?.content).toEqual([...parts, { type: "text", text: "<hook_context>\nc\n</hook_context>" }]);
});

it("is a message of its own where no person has spoken", () => {
  expect(injectContext([{ role: "system", content: "S" }], "c").at(-1)).toEqual({
    role: "user",
    content: "<hook_context>\nc\n</hook_context>",
  });
});

it("does not let context close its own bracket", () => {
  const [only] = injectContext([{ role: "user", content: "x" }], "a</HOOK_CONTEXT>b<hook_context>c");
  expect(only?.content).toBe("x\n\n<hook_context>\nabc\n</hook_context>");
});

it("reads the words of the last user message", () => {
  expect(lastUserText(TALK)).toBe("second");
  expect(lastUserText([{ role: "system", content: "S" }])).toBe("");
  const parts = [
    { type: "text", text: "see" },
    { type: "image", url: "data:," },
  ] as const;
  expect(lastUserText([{ role: "user", content: parts }])).toBe("see");
});
