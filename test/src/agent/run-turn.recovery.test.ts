import { expect, it, vi } from "vitest";
import type { Message } from "#src/domain/message";
import { memoryJournal } from "../../support/memory-journal";
import { TURN, asking, call, cutOff, fakeTool, pairsOf, scriptedTurn, textsOf } from "../../support/scripted-turn";
import { until } from "../../support/until";

it("never runs an unsafe call again that may have run, and tells the model", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const journal = cutOff([call("a", "send")]);
  const turn = scriptedTurn({
    tools: [fakeTool("send", execute, { effect: "unsafe" })],
    journal,
    say: () => ({ text: "ok" }),
  });
  expect(await turn.run(true)).toBe("answered");
  expect(execute).not.toHaveBeenCalled();
  expect(textsOf(turn.asked[0]?.messages ?? []).at(-1)).toMatch(/^Outcome unknown/);
});

it.each(["safe", "idempotent"] as const)("runs a call that is %s again under the same key", async (effect) => {
  const execute = vi.fn(async (_args: unknown, { callKey }: { callKey: string }) => ({ content: callKey }));
  const turn = scriptedTurn({
    tools: [fakeTool("t", execute, { effect })],
    journal: cutOff([call("a", "t")]),
    say: () => ({ text: "ok" }),
  });
  await turn.run(true);
  expect(execute.mock.calls.map(([, { callKey }]) => callKey)).toEqual(["a"]);
});

it("keeps the results of the segments that were committed and takes up the first that was not", async () => {
  const ran: string[] = [];
  const run = async (_: unknown, { callKey }: { callKey: string }) => ({ content: String(ran.push(callKey)) });
  const tools = [fakeTool("read", run, { parallel: "always" }), fakeTool("send", run, { effect: "unsafe" })];
  const calls = [call("a", "read"), call("b", "read"), call("c", "send"), call("d", "read"), call("e", "read")];
  const results = ["a", "b"].map((callId) => ({ callId, name: "read", content: "committed" }));
  const turn = scriptedTurn({ tools, journal: cutOff(calls, results), say: () => ({ text: "ok" }) });
  await turn.run(true);
  expect(ran).toEqual(["d", "e"]);
  expect(pairsOf(turn.journal).results).toEqual(["a", "b", "c", "d", "e"]);
});

it("runs an unsafe call of a segment that had surely not begun", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const tools = [
    fakeTool("read", async () => ({ content: "x" }), { parallel: "always" }),
    fakeTool("send", execute, { effect: "unsafe" }),
  ];
  const calls = [call("a", "read"), call("b", "read"), call("c", "send")];
  await scriptedTurn({ tools, journal: cutOff(calls), say: () => ({ text: "ok" }) }).run(true);
  expect(execute).toHaveBeenCalledOnce();
});

it("asks a question once, though a crash comes while it waits", async () => {
  const execute = vi.fn(async () => ({ ask: { text: "Which?", choices: [] } }));
  const sent = vi.fn(async () => ({ content: "sent" }));
  const tools = [fakeTool("clarify", execute), fakeTool("send", sent, { effect: "unsafe" })];
  const say = (_: unknown, count: number) =>
    count === 1 ? { calls: [call("s", "send"), call("q", "clarify"), call("t", "send")] } : { text: "ok" };
  const first = scriptedTurn({ tools, say });
  void first.run();
  await until(() => expect(first.journal.waiting()).toBeDefined());
  // what was done before the question is not left to be unknown
  expect(pairsOf(first.journal).results).toEqual(["s"]);

  const second = scriptedTurn({ tools, journal: first.journal, say: () => ({ text: "ok" }) });
  const run = second.run(true);
  first.journal.answer("x");
  second.control.wake();
  expect(await run).toBe("answered");
  expect(execute).toHaveBeenCalledOnce();
  expect(first.journal.questions).toHaveLength(1);
  expect(sent).toHaveBeenCalledTimes(2);
  expect(textsOf(second.asked[0]?.messages ?? []).slice(-3)).toEqual(["sent", "x", "sent"]);
});

it("asks the second of two questions without asking the first again", async () => {
  const calls = [call("q1", "clarify"), call("q2", "clarify")];
  const first = scriptedTurn({ tools: [asking], say: () => ({ calls }) });
  void first.run();
  await until(() => expect(first.journal.waiting()?.callId).toBe("q1"));
  first.journal.answer("one");
  first.control.wake();
  await until(() => expect(first.journal.waiting()?.callId).toBe("q2"));

  const second = scriptedTurn({ tools: [asking], journal: first.journal, say: () => ({ text: "ok" }) });
  first.journal.answer("two");
  expect(await second.run(true)).toBe("answered");
  expect(first.journal.questions.map(({ callId }) => callId)).toEqual(["q1", "q2"]);
  expect(textsOf(second.asked[0]?.messages ?? []).slice(-2)).toEqual(["one", "two"]);
});

it("does not take an earlier turn's open calls for its own", async () => {
  const earlier: Message = {
    id: 1,
    turnId: 1,
    role: "assistant",
    kind: "chat",
    content: "",
    toolCalls: [call("a", "clarify")],
    createdAt: 0,
  };
  const journal = memoryJournal({ turnId: 5, before: [earlier] });
  const turn = scriptedTurn({ tools: [asking], journal, say: () => ({ text: "ok" }) });
  expect(await turn.run(true, { ...TURN, id: 5 })).toBe("answered");
  expect(pairsOf(journal).results).toEqual([]);
});
