import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelMessage, ToolSchema } from "#src/domain/provider";
import { demo } from "#src/providers/demo";

const TOOLS: readonly ToolSchema[] = [
  "terminal",
  "memory",
  "write_file",
  "read_file",
  "search_files",
  "todo",
  "clarify",
].map((name) => ({
  name,
  description: `Does ${name}. And more.`,
  parameters: { type: "object", required: name === "search_files" ? ["pattern"] : [] },
}));

interface Options {
  readonly tools?: readonly ToolSchema[];
  readonly before?: readonly ModelMessage[];
  readonly after?: readonly ModelMessage[];
  readonly signal?: AbortSignal;
}

async function ask(
  content: string,
  { tools = TOOLS, before = [], after = [], signal = new AbortController().signal }: Options = {},
) {
  const found: ModelEvent[] = [];
  const request = { model: "demo", messages: [...before, { role: "user", content } as const, ...after], tools };
  const context = { fetch, signal, requestTimeoutMs: 1000, stallTimeoutMs: 1000 };
  for await (const event of demo.stream(request, {}, context)) found.push(event);
  return found;
}

function textOf(found: readonly ModelEvent[]): string {
  return found.map((event) => (event.type === "text" ? event.delta : "")).join("");
}

function callsOf(found: readonly ModelEvent[]) {
  const last = found.at(-1);
  if (last?.type !== "finish") throw new Error("not finished");
  return last.toolCalls.map((call): [string, unknown] => [call.name, JSON.parse(call.arguments)]);
}

it("quotes the person, says that it is a demo and how to get a real model", async () => {
  const text = textOf(await ask("good morning"));
  expect(text).toContain("good morning");
  expect(text).toContain("demo model");
  expect(text).toContain("OPENAI_API_KEY");
});

it("says the same to the same", async () => {
  expect(await ask("hello")).toEqual(await ask("hello"));
});

it.each<[string, string, Record<string, unknown>]>([
  ["run: ls -la", "terminal", { command: "ls -la" }],
  ["run `echo hi`", "terminal", { command: "echo hi" }],
  ["[Ann] run: `pwd`", "terminal", { command: "pwd" }],
  ["remember that I like tea", "memory", { action: "add", target: "memory", content: "I like tea" }],
  ["write a file a.txt with 'hello there'", "write_file", { path: "a.txt", content: "hello there" }],
  ["write a file a.txt containing:\none\ntwo", "write_file", { path: "a.txt", content: "one\ntwo" }],
  ["read a.txt", "read_file", { path: "a.txt" }],
  ["search for needle", "search_files", { pattern: "needle" }],
  [
    "todo: buy milk; write code",
    "todo",
    {
      todos: [
        { id: "buy-milk", content: "buy milk", status: "pending" },
        { id: "write-code", content: "write code", status: "pending" },
      ],
      merge: true,
    },
  ],
  [
    "ask me which colour: red, green or blue",
    "clarify",
    { question: "which colour?", choices: ["red", "green", "blue"] },
  ],
  ["ask me how I am", "clarify", { question: "how I am?" }],
])("understands %j", async (said, name, args) => {
  expect(callsOf(await ask(said))).toEqual([[name, args]]);
});

it("makes one call of each line that it understands, with ids that count on", async () => {
  const before: ModelMessage[] = [
    { role: "assistant", content: "", toolCalls: [{ id: "call_1", name: "terminal", arguments: "{}" }] },
    { role: "tool", callId: "call_1", content: "" },
  ];
  const found = await ask("please:\nrun: ls\nrun: pwd", { before });
  expect(found.at(-1)).toMatchObject({ reason: "tool_calls", toolCalls: [{ id: "call_2" }, { id: "call_3" }] });
});

it("calls nothing that is not offered, and says so", async () => {
  const found = await ask("run: ls", { tools: [] });
  expect(callsOf(found)).toEqual([]);
  expect(textOf(found)).toContain("terminal");
});

it("repeats what the tools said, in a fence that the output cannot close", async () => {
  const found = await ask("run: ls", {
    after: [
      { role: "assistant", content: "", toolCalls: [{ id: "c", name: "terminal", arguments: "{}" }] },
      { role: "tool", callId: "c", content: "a.txt\n```\nb" },
    ],
  });
  expect(textOf(found)).toContain("`terminal` gave:\n\n````\na.txt\n```\nb\n````");
  expect(callsOf(found)).toEqual([]);
});

it("lists the tools that are switched on", async () => {
  expect(textOf(await ask("what tools do you have?"))).toContain("- `terminal`: Does terminal.\n");
});

describe("streaming", () => {
  it("counts in words", async () => {
    const found = await ask("count to 5");
    expect(textOf(found)).toBe("1 2 3 4 5");
    expect(found).toHaveLength(6);
  });

  it("never counts for ever", async () => {
    expect(await ask("count to 999999999")).toHaveLength(1001);
  });

  it("can be stopped in the middle of a slow answer", async () => {
    const controller = new AbortController();
    const found: ModelEvent[] = [];
    const request = { model: "demo", messages: [{ role: "user", content: "think slowly" } as const], tools: [] };
    const context = { fetch, signal: controller.signal, requestTimeoutMs: 1000, stallTimeoutMs: 1000 };
    for await (const event of demo.stream(request, {}, context)) {
      found.push(event);
      controller.abort();
    }
    expect(found).toEqual([
      { type: "text", delta: "I" },
      { type: "failed", failure: expect.objectContaining({ reason: "aborted" }) },
    ]);
  });
});
