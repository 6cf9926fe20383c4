import { expect, it, vi } from "vitest";
import type { ChildResult, Delegation } from "#src/domain/delegation";
import { delegateTask } from "#src/tools/delegate-task";
import { runTool, toolContext } from "../../support/tool-context";

// the methods of a port are plain functions: nothing of them asks for `this`
/* oxlint-disable typescript/unbound-method */

function delegation(over: Partial<Delegation> = {}): Delegation {
  const result: ChildResult = { status: "completed", summary: "done", durationMs: 5, costUsd: 0 };
  return {
    depthLeft: 0,
    maxConcurrent: 3,
    maxSummaryChars: 2000,
    idOf: (key) => `id-${key}`,
    start: vi.fn(async (_task, { key }) => ({ id: `id-${key}` })),
    result: vi.fn(async () => result),
    list: () => [],
    steer: vi.fn(async () => true),
    stop: vi.fn(async () => true),
    spill: vi.fn(async () => "/workspace/whole.txt"),
    ...over,
  };
}

async function run(input: unknown, over: Partial<Delegation> = {}) {
  const given = delegation(over);
  const { content, isError } = await runTool(delegateTask, input, toolContext({ delegation: given }));
  return { given, content, isError };
}

it("waits for one subagent and gives its answer", async () => {
  const { content, given } = await run({ goal: "count the moons", context: "Mars" });
  expect(JSON.parse(content)).toEqual({
    subagent_id: "id-call-1.0",
    status: "completed",
    duration_ms: 5,
    summary: "done",
  });
  expect(given.start).toHaveBeenCalledExactlyOnceWith(
    { goal: "count the moons", context: "Mars", role: "leaf" },
    { key: "call-1.0", isBackground: false, sharers: 1 },
  );
});

it("gives a batch's answers in the order of its tasks, each under a key of its own", async () => {
  const { content } = await run({ tasks: [{ goal: "first of the tasks" }, { goal: "second of the tasks" }] });
  const { results } = JSON.parse(content) as { results: { subagent_id: string }[] };
  expect(results.map((one) => one.subagent_id)).toEqual(["id-call-1.0", "id-call-1.1"]);
});

it("does not wait for those in the background", async () => {
  const { content, given } = await run({ goal: "count the moons", background: true });
  expect(JSON.parse(content)).toMatchObject({ status: "running", subagents: [{ goal: "count the moons" }] });
  expect(given.result).not.toHaveBeenCalled();
});

it.each([
  [{}, /^goal: say what/],
  [{ goal: "tbd" }, /placeholder/],
  [{ goal: "{{goal}}" }, /placeholder/],
  [{ goal: "task 1" }, /placeholder/],
  [{ tasks: [{ goal: "count the moons" }, { goal: "short" }] }, /^tasks\[1\]\.goal: too short/],
  [{ goal: "split this up", role: "orchestrator" }, /^role: subagents may not delegate further/],
  [{ tasks: Array.from({ length: 4 }, (_, n) => ({ goal: `count the moons of ${n}` })) }, /^At most 3 subagents/],
  [{ action: "steer", message: "x" }, /^subagent_id: /],
  [{ action: "steer", subagent_id: "a" }, /^message: /],
])("refuses %j and says why", async (input, sentence) => {
  const { content, isError, given } = await run(input);
  expect(isError).toBe(true);
  expect(content).toMatch(sentence);
  expect(given.start).not.toHaveBeenCalled();
});

it("counts only children of other calls against the limit, so that a call which runs again is let through", async () => {
  const running = { goal: "g", role: "leaf", isBackground: false, status: "running", startedAt: 0 } as const;
  const list = () => ["id-call-1.0", "x", "y"].map((id) => ({ ...running, id }));
  expect((await run({ goal: "count the moons" }, { list })).isError).toBeUndefined();
});

it("keeps the whole of an answer that is too long to read", async () => {
  const result = async () => ({ status: "completed", summary: "x".repeat(5000), durationMs: 1, costUsd: 0 }) as const;
  const { content, given } = await run({ goal: "write a lot" }, { result });
  const read = JSON.parse(content) as { summary: string; full_answer: string };
  expect(read.summary.length).toBeLessThan(2200);
  expect(read.full_answer).toBe("/workspace/whole.txt");
  expect(given.spill).toHaveBeenCalledExactlyOnceWith("call-1.0", "x".repeat(5000));
});

it("says so when an answer does not fit its schema the second time either", async () => {
  const schema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
  const { content, given } = await run({ goal: "count the moons", output_schema: schema });
  expect(JSON.parse(content)).toMatchObject({ schema_valid: false, schema_errors: ["it is not JSON"] });
  expect(given.steer).toHaveBeenCalledOnce();
});

it("steers, stops and lists", async () => {
  expect((await run({ action: "stop", subagent_id: "a" })).content).toContain("stopping");
  expect((await run({ action: "steer", subagent_id: "a", message: "faster" })).content).toContain("told");
  expect((await run({ action: "list" })).content).toBe('{"subagents":[]}');
  const gone = await run({ action: "stop", subagent_id: "a" }, { stop: async () => false });
  expect(gone).toMatchObject({ isError: true, content: "No subagent a is running." });
});

it("says that nothing can be delegated where there is no way to", async () => {
  const { isError } = await runTool(delegateTask, { goal: "count the moons" }, toolContext());
  expect(isError).toBe(true);
});
