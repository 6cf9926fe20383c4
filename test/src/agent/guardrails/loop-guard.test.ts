import { expect, it } from "vitest";
import {
  LOOP_GUARD_DEFAULTS as DEFAULTS,
  type LoopGuard,
  type LoopGuardInput,
  haltRequest,
  openLoopGuard,
} from "#src/agent/guardrails/loop-guard";
import type { Message, ToolResult } from "#src/domain/message";

interface Happened {
  readonly name?: string;
  readonly args?: string;
  readonly content?: string;
  readonly isError?: boolean;
}

/** A turn that is carried on through one guard, and whose rows can make another. */
function setUp(over: Partial<LoopGuardInput> = {}) {
  const rows: Message[] = [];
  const open = (): LoopGuard =>
    openLoopGuard({ rows, turnId: 1, limits: DEFAULTS, isReadOnly: (name) => name === "read_file", ...over });
  let guard = open();
  return {
    guard: (): LoopGuard => guard,
    restart() {
      guard = open();
    },
    /** Runs a call as a turn would, and says what the model reads of it. */
    run: ({ name = "terminal", args = "{}", content = "no", isError = true }: Happened = {}): string => {
      const call = { id: `c${rows.length}`, name, arguments: args };
      const refusal = guard.refuse(name, args);
      const result: ToolResult = {
        callId: call.id,
        name,
        ...(refusal === undefined ? { content, isError } : { content: refusal, isError: true }),
      };
      const concluded = guard.conclude(call, result);
      const common = { turnId: 1, kind: "chat" as const, content: "", createdAt: 0 };
      rows.push({ ...common, id: rows.length, role: "assistant", toolCalls: [call] });
      rows.push({ ...common, id: rows.length, role: "tool", toolResults: [concluded] });
      return concluded.content;
    },
  };
}

function times<T>(count: number, run: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => run(n));
}

it("warns of the second failure of the same call, however its arguments are spaced and ordered", () => {
  const { run } = setUp();
  expect(run({ args: '{"a":1,"b":{"c":2,"d":3}}' })).toBe("no");
  expect(run({ args: '{ "b": {"d":3, "c":2}, "a": 1 }' })).toMatch(/^no\n\n\[Loop guard\] This very call .* 2 times/);
});

it("refuses a call that has failed five times, and takes one that differs", () => {
  const { run } = setUp();
  times(5, () => run({ name: "patch" }));
  expect(run({ name: "patch" })).toMatch(/^\[Loop guard\] Not run: this very call has failed 5 times/);
  expect(run({ name: "patch", args: '{"x":1}', isError: false, content: "done" })).toBe("done");
});

it("counts anew after a success", () => {
  const { run, guard } = setUp();
  times(4, () => run());
  run({ isError: false, content: "fine" });
  expect(run()).toBe("no");
  expect(guard().refuse("terminal", "{}")).toBeUndefined();
});

it("warns of a tool that fails three times in a row, and ends the tools of the turn at the eighth", () => {
  const { run, guard } = setUp();
  const said = times(7, (n) => run({ args: `{"n":${n}}` }));
  expect(said[1]).toBe("no");
  expect(said[2]).toContain("terminal has now failed 3 times in a row");
  expect(guard().halted()).toBeUndefined();
  run({ args: '{"n":9}' });
  expect(guard().halted()).toBe("terminal failed 8 times in a row");
  expect(haltRequest(guard().halted() ?? "")).toContain(
    "no more tools in this turn: terminal failed 8 times in a row.",
  );
});

it("does not end the tools for what failed within one answer: the model has yet to read of it", () => {
  const rows: Message[] = [];
  const answer = (count: number): void => {
    const common = { turnId: 1, kind: "chat" as const, content: "", createdAt: 0 };
    const toolCalls = times(count, (n) => ({ id: `${rows.length}.${n}`, name: "read_file", arguments: `{"n":${n}}` }));
    const toolResults = toolCalls.map(({ id, name }) => ({ callId: id, name, content: "no such file", isError: true }));
    rows.push({ ...common, id: rows.length, role: "assistant", toolCalls });
    rows.push({ ...common, id: rows.length, role: "tool", toolResults });
  };
  const halted = () => openLoopGuard({ rows, turnId: 1, limits: DEFAULTS, isReadOnly: () => true }).halted();
  answer(12);
  expect(halted()).toBeUndefined();
  answer(1);
  expect(halted()).toBe("read_file failed 13 times in a row");
});

it("warns of a reading that gives the same again, and refuses the sixth", () => {
  const { run } = setUp();
  const read = { name: "read_file", args: '{"path":"a"}', content: "text", isError: false };
  const said = times(6, () => run(read));
  expect(said[0]).toBe("text");
  expect(said[1]).toContain("given the same result 2 times");
  expect(said[5]).toMatch(/^\[Loop guard\] Not run/);
});

it("takes a result that was saved as another file for the same", () => {
  const { run } = setUp();
  const saved = (path: string) => `abc\n\n[900 characters, cut here. The whole of it is saved as ${path}; read it]`;
  const read = { name: "read_file", isError: false };
  run({ ...read, content: saved("/workspace/1-a.txt") });
  expect(run({ ...read, content: saved("/workspace/1-b.txt") })).toContain("same result 2 times");
});

it("lets a reading be repeated once something was changed, or when it gives something else", () => {
  const { run } = setUp();
  const read = { name: "read_file", content: "text", isError: false };
  run(read);
  run({ name: "patch", isError: false, content: "done" });
  expect(run(read)).toBe("text");
  expect(run({ ...read, content: "other" })).toBe("other");
});

it("says nothing of tools that change things and give the same result", () => {
  const { run } = setUp();
  expect(times(9, () => run({ isError: false, content: "ok" }))).toEqual(times(9, () => "ok"));
});

it("gives the turn no more tools after three calls in a row that it refused", () => {
  const { run, guard } = setUp();
  times(7, () => run());
  expect(guard().halted()).toBeUndefined();
  run();
  expect(guard().halted()).toBe("the same calls were repeated without getting anywhere");
});

it("is not taken in by a text that speaks like it", () => {
  const { run, guard } = setUp();
  const content = "[Loop guard] Not run: this very call has failed";
  times(4, (n) => run({ name: "read_file", args: `{"n":${n}}`, content, isError: false }));
  expect(guard().halted()).toBeUndefined();
});

it("allows no more calls of a tool than its cap, by their weight", () => {
  const limits = { ...DEFAULTS, caps: { web_search: 3, delegate_task: 5 } };
  const { run, guard } = setUp({ limits, weightOf: (name) => (name === "delegate_task" ? 2 : 1) });
  times(3, (n) => run({ name: "web_search", args: `{"q":${n}}`, isError: false }));
  expect(guard().refuse("web_search", "{}")).toContain("one turn may use web_search 3 times");
  times(2, (n) => run({ name: "delegate_task", args: `{"q":${n}}`, isError: false }));
  expect(guard().refuse("delegate_task", "{}")).toContain("5 times");
  expect(guard().refuse("constructor", "{}")).toBeUndefined();
});

it("only warns when it shall not stop", () => {
  const { run, guard } = setUp({ limits: { ...DEFAULTS, hardStop: false } });
  const said = times(12, () => run());
  expect(said.at(-1)).toContain("failed 12 times");
  expect(guard().halted()).toBeUndefined();
});

it("says the same after a restart as without one, at every step", () => {
  const script: readonly Happened[] = [
    ...times(6, () => ({})),
    { name: "read_file", content: "t", isError: false },
    ...times(5, (n) => ({ name: "patch", args: `{"n":${n % 2}}` })),
    ...times(7, () => ({ name: "read_file", content: "t", isError: false })),
  ];
  const lasting = setUp();
  const restarting = setUp();
  for (const happened of script) {
    restarting.restart();
    expect(restarting.run(happened)).toBe(lasting.run(happened));
    expect(restarting.guard().halted()).toBe(lasting.guard().halted());
  }
});

it("does not count what other turns did", () => {
  const { run } = setUp({ turnId: 2 });
  times(3, () => run());
  const other = setUp();
  expect(other.run()).toBe("no");
});

it("counts ten thousand calls without getting slow", () => {
  const { run } = setUp({ limits: { ...DEFAULTS, hardStop: false } });
  times(10_000, (n) => run({ args: `{"n":${n}}`, isError: n % 3 === 0 }));
  expect(run({ args: '{"n":0}' })).toContain("failed 2 times");
});
