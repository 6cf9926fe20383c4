import { expect, it, vi } from "vitest";
import { MAX_CALLS_PER_ANSWER, type ToolPorts, runTools } from "#src/agent/run-tools";
import { GatewayError } from "#src/domain/errors";
import type { ToolResult } from "#src/domain/message";
import type { AnyTool } from "#src/domain/tool";
import { call, fakeTool, openGuard } from "../../support/scripted-turn";
import { toolContext } from "../../support/tool-context";

function setUp(tools: readonly AnyTool[], over: Partial<ToolPorts> = {}) {
  const segments: (readonly ToolResult[])[] = [];
  const shown: string[] = [];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const ports: ToolPorts = {
    toolOf: (name) => byName.get(name),
    toolNames: [...byName.keys()],
    contextOf: (callKey, signal) => toolContext({ callKey, signal }),
    maxParallel: 2,
    bound: async (results) => results,
    ask: async () => "an answer",
    isWaiting: () => undefined,
    guard: openGuard(),
    onBegin: () => undefined,
    hasBegun: () => true,
    onTool: ({ id }, state) => shown.push(`${id} ${state}`),
    onResults: (results) => segments.push(results),
    stopped: new AbortController().signal,
    now: () => 0,
    ...over,
  };
  return { ports, segments, shown, contents: () => segments.flat().map(({ content }) => content) };
}

const none: ReadonlySet<string> = new Set();

it("commits one row of results for each segment", async () => {
  const tools = [
    fakeTool("free", async () => ({ content: "x" }), { parallel: "always" }),
    fakeTool("alone", async () => ({ content: "y" })),
  ];
  const { ports, segments } = setUp(tools);
  await runTools([call("a", "free"), call("b", "free"), call("c", "alone"), call("d", "alone")], none, false, ports);
  expect(segments.map((results) => results.map(({ callId }) => callId))).toEqual([
    ["a", "b"],
    ["c", "d"],
  ]);
});

it("runs no more calls at the same time than allowed", async () => {
  let running = 0;
  let most = 0;
  const tool = fakeTool(
    "free",
    async () => {
      most = Math.max(most, ++running);
      await Promise.resolve();
      running--;
      return { content: "x" };
    },
    { parallel: "always" },
  );
  const { ports, segments } = setUp([tool]);
  await runTools(
    Array.from({ length: 7 }, (_, n) => call(`c${n}`, "free")),
    none,
    false,
    ports,
  );
  expect([most, segments.flat().length]).toEqual([2, 7]);
});

it("shows each call as running and then as done or failed", async () => {
  const tools = [
    fakeTool("good", async () => ({ content: "x" })),
    fakeTool("bad", async () => ({ content: "no", isError: true })),
  ];
  const { ports, shown } = setUp(tools);
  await runTools([call("a", "good"), call("b", "bad")], none, false, ports);
  expect(shown).toEqual(["a running", "a done", "b running", "b failed"]);
});

it("takes no arguments at all for an empty object", async () => {
  const execute = vi.fn(async (args: unknown) => ({ content: JSON.stringify(args) }));
  const { ports, contents } = setUp([fakeTool("t", execute)]);
  await runTools([call("a", "t", " ")], none, false, ports);
  expect(contents()).toEqual(["{}"]);
});

it.each([
  [new GatewayError("bad_request", "path: must be a text."), "path: must be a text."],
  [new TypeError("inner"), "The arguments of t do not fit its schema."],
])("says in a result what is wrong with arguments", async (error, expected) => {
  const parse = (): never => {
    throw error;
  };
  const { ports, contents } = setUp([fakeTool("t", async () => ({ content: "ran" }), { parse })]);
  await runTools([call("a", "t")], none, false, ports);
  expect(contents()).toEqual([expected]);
});

it.each([
  ["rejects", async () => Promise.reject(new GatewayError("unavailable", "The page did not answer."))],
  [
    "throws",
    () => {
      throw new GatewayError("unavailable", "The page did not answer.");
    },
  ],
])("makes a result of a tool that %s", async (_, execute) => {
  const { ports, segments } = setUp([fakeTool("t", execute)]);
  await runTools([call("a", "t")], none, false, ports);
  expect(segments.flat()).toMatchObject([{ content: "The page did not answer.", isError: true }]);
});

it("bears a tool whose claim on paths throws", async () => {
  const paths = (): never => {
    throw new TypeError("no paths");
  };
  const tool = fakeTool("t", async () => ({ content: "ran" }), { parallel: { access: "read", paths } });
  const { ports, contents } = setUp([tool]);
  await runTools([call("a", "t"), call("b", "t")], none, false, ports);
  expect(contents()).toEqual(["ran", "ran"]);
});

it("runs the calls up to the limit and refuses the rest", async () => {
  const { ports, contents } = setUp([fakeTool("t", async () => ({ content: "ran" }))]);
  await runTools(
    Array.from({ length: MAX_CALLS_PER_ANSWER + 1 }, (_, n) => call(`c${n}`, "t")),
    none,
    false,
    ports,
  );
  expect(contents().filter((content) => content === "ran")).toHaveLength(MAX_CALLS_PER_ANSWER);
  expect(contents().at(-1)).toMatch(/^Not run: one answer may call at most 64 tools/);
});

it("makes a person's answer the result of the question", async () => {
  const { ports, contents } = setUp([fakeTool("clarify", async () => ({ ask: { text: "Which?", choices: [] } }))]);
  await runTools([call("a", "clarify")], none, false, ports);
  expect(contents()).toEqual(["an answer"]);
});

it("commits a question's answer before the next call begins", async () => {
  const committed: number[] = [];
  const next = fakeTool("next", async () => ({ content: String(committed.push(segments.flat().length)) }));
  const { ports, segments } = setUp([
    fakeTool("clarify", async () => ({ ask: { text: "Which?", choices: [] } })),
    next,
  ]);
  await runTools([call("a", "next"), call("b", "clarify"), call("c", "next")], none, false, ports);
  expect(committed).toEqual([0, 2]);
  expect(segments.map((results) => results.length)).toEqual([1, 1, 1]);
});

it("keeps the results of one commit within their bounds, all of them together", async () => {
  const seen: number[] = [];
  const tools = [fakeTool("free", async () => ({ content: "x" }), { parallel: "always" })];
  const { ports, contents } = setUp(tools, {
    bound: async (results) => {
      seen.push(results.length);
      return results.map((result) => ({ ...result, content: "cut" }));
    },
  });
  await runTools([call("a", "free"), call("b", "free")], none, false, ports);
  expect(seen).toEqual([2]);
  expect(contents()).toEqual(["cut", "cut"]);
});
