import { expect, it } from "vitest";
import type { WireBlock, WireMessage, WireTool } from "#src/providers/anthropic-messages";
import { markBreakpoints } from "#src/providers/cache-breakpoints";

const text = (words: string): WireBlock => ({ type: "text", text: words });
const said = (words: string): WireMessage => ({ role: "user", content: [text(words)] });

/** Where marks are, by place. */
function marks(parts: Partial<Parameters<typeof markBreakpoints>[0]>): string[] {
  const marked = markBreakpoints({ tools: [], system: [], messages: [], ...parts });
  const places = (name: string, blocks: readonly WireTool[]): string[] =>
    blocks.flatMap((block, at) => ("cache_control" in block ? [`${name} ${at}`] : []));
  return [
    ...places("tool", marked.tools),
    ...places("system", marked.system),
    ...marked.messages.flatMap((message, at) => places(`message ${at} block`, message.content)),
  ];
}

const FIVE = ["a", "b", "c", "d", "e"].map(said);
const TOOLS = [text("t1"), text("t2")];

it("marks the prompt's beginning and end, and the last two messages", () => {
  expect(marks({ tools: TOOLS, system: [text("static"), text("middle"), text("end")], messages: FIVE })).toEqual([
    "system 0",
    "system 2",
    "message 3 block 0",
    "message 4 block 0",
  ]);
});

it("marks three messages beside a prompt in one piece", () => {
  expect(marks({ tools: TOOLS, system: [text("all")], messages: FIVE })).toEqual([
    "system 0",
    "message 2 block 0",
    "message 3 block 0",
    "message 4 block 0",
  ]);
});

it("marks the tools where there is no prompt", () => {
  expect(marks({ tools: TOOLS, messages: FIVE })).toHaveLength(4);
  expect(marks({ tools: TOOLS, messages: FIVE })[0]).toBe("tool 1");
  expect(marks({ messages: FIVE })).toHaveLength(4);
});

it("never marks more than four places, nor more than there are", () => {
  expect(marks({ system: [text("x")], messages: [said("a")] })).toEqual(["system 0", "message 0 block 0"]);
  expect(marks({})).toEqual([]);
});

it("marks no thought", () => {
  const thought = {
    role: "assistant",
    content: [text("a"), { type: "thinking" }, { type: "redacted_thinking" }],
  } as const;
  expect(marks({ messages: [thought] })).toEqual(["message 0 block 0"]);
  expect(marks({ messages: [{ role: "assistant", content: [{ type: "thinking" }] }] })).toEqual([]);
});
