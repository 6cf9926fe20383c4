import { afterEach, expect, it, vi } from "vitest";
import { MAX_CALLS_PER_ANSWER } from "#src/agent/run-tools";
import type { Message } from "#src/domain/message";
import type { ModelFailure } from "#src/domain/provider";
import { memoryJournal } from "../../support/memory-journal";
import { TURN, call, fakeTool, pairsOf, scriptedTurn, textsOf } from "../../support/scripted-turn";

const FAILED: ModelFailure = {
  reason: "server_error",
  retryable: true,
  message: "The provider had an internal error.",
};
const never = new Promise<never>(() => undefined);

/** Resolves when the signal fires: what a model or a tool does that hears of it. */
async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

const ABORTED: ModelFailure = { reason: "aborted", retryable: false, message: "The call was ended." };
const echo = fakeTool("echo", async (args) => ({ content: `echo ${JSON.stringify(args)}` }));
/** A journal whose turn has answered with these calls and was then cut off. */
function cutOff(calls: Message["toolCalls"] = [], results: Message["toolResults"] = []) {
  const journal = memoryJournal();
  journal.commitStep({ role: "assistant", kind: "chat", content: "", toolCalls: calls }, undefined);
  if (results.length > 0) journal.commitResults(results);
  return journal;
}

afterEach(() => void vi.useRealTimers());

it("answers plainly with one model call", async () => {
  const turn = scriptedTurn({ say: () => ({ text: "hello" }) });
  expect(await turn.run()).toBe("answered");
  expect(turn.journal.ends).toEqual([
    { end: "answered", message: { role: "assistant", kind: "chat", content: "hello" } },
  ]);
  expect(textsOf(turn.asked[0]?.messages ?? [])).toEqual(["You are under test.", "hi"]);
});

it("runs the tools of a step and asks again with their results", async () => {
  const turn = scriptedTurn({
    tools: [echo],
    say: (_, count) => (count === 1 ? { text: "look", calls: [call("a", "echo", '{"x":1}')] } : { text: "done" }),
  });
  expect(await turn.run()).toBe("answered");
  expect(turn.asked[1]?.messages.slice(2)).toEqual([
    { role: "assistant", content: "look", toolCalls: [call("a", "echo", '{"x":1}')] },
    { role: "tool", callId: "a", content: 'echo {"x":1}' },
  ]);
});

it("commits a parallel segment's results in the order of the calls, whichever ends first", async () => {
  const gate = Promise.withResolvers<void>();
  const slow = fakeTool("slow", async () => gate.promise.then(() => ({ content: "slow" })), { parallel: "always" });
  const quick = fakeTool(
    "quick",
    async () => {
      gate.resolve();
      return { content: "quick" };
    },
    { parallel: "always" },
  );
  const turn = scriptedTurn({
    tools: [slow, quick],
    say: (_, count) =>
      count === 1 ? { calls: [call("a", "slow"), call("b", "quick"), call("c", "slow")] } : { text: "ok" },
  });
  await turn.run();
  expect(pairsOf(turn.journal).results).toEqual(["a", "b", "c"]);
});

it.each(["nothing_like_it", "__proto__", "constructor", "toString", ""])(
  "tells the model that there is no tool %j",
  async (name) => {
    const turn = scriptedTurn({
      tools: [echo],
      say: (_, count) => (count === 1 ? { calls: [call("a", name)] } : { text: "ok" }),
    });
    expect(await turn.run()).toBe("answered");
    const result = turn.journal.all().flatMap((row) => row.toolResults ?? []);
    expect(result).toEqual([
      { callId: "a", name, content: `There is no tool "${name}". The tools are: echo.`, isError: true, durationMs: 0 },
    ]);
  },
);

it("runs no tool on arguments that are not valid JSON", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const turn = scriptedTurn({
    tools: [fakeTool("echo", execute)],
    say: (_, count) => (count === 1 ? { calls: [call("a", "echo", '{"path": "x')] } : { text: "ok" }),
  });
  await turn.run();
  expect(execute).not.toHaveBeenCalled();
  expect(textsOf(turn.asked[1]?.messages ?? []).at(-1)).toContain("not valid JSON");
});

it("bears 10,000 calls in one answer: runs the first and says that the rest was left out", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const paths = (args: unknown) => [String((args as { path: string }).path)];
  const tool = fakeTool("write", execute, { parallel: { access: "write", paths } });
  const calls = Array.from({ length: 10_000 }, (_, n) => call(`c${n}`, "write", `{"path":"${n}"}`));
  const turn = scriptedTurn({ tools: [tool], say: (_, count) => (count === 1 ? { calls } : { text: "ok" }) });
  expect(await turn.run()).toBe("answered");
  expect(execute).toHaveBeenCalledTimes(MAX_CALLS_PER_ANSWER);
  expect(textsOf(turn.asked[1]?.messages ?? []).at(-1)).toContain("This call and all after it were left out");
  const { calls: kept, results } = pairsOf(turn.journal);
  expect(results).toEqual(kept);
  expect(kept.length).toBe(MAX_CALLS_PER_ANSWER + 1);
});

it("runs calls of one id each under a key of its own, also when an earlier step had that id", async () => {
  const keys: string[] = [];
  const tool = fakeTool("echo", async (_, { callKey }) => {
    keys.push(callKey);
    return { content: callKey };
  });
  const turn = scriptedTurn({
    tools: [tool],
    say: (_, count) =>
      count <= 2 ? { calls: [call("a", "echo"), call("a", "echo"), call("", "echo")] } : { text: "ok" },
  });
  await turn.run();
  expect(keys.length).toBe(6);
  expect(new Set(keys).size).toBe(6);
  expect(pairsOf(turn.journal).results).toEqual(pairsOf(turn.journal).calls);
  expect(turn.asked[2]?.messages.filter(({ role }) => role === "tool")).toHaveLength(6);
});

it("asks a model that always calls tools to sum up without them", async () => {
  const turn = scriptedTurn({
    tools: [echo],
    maxSteps: 3,
    say: ({ tools }, count) => (tools.length > 0 ? { calls: [call(`c${count}`, "echo")] } : { text: "so far" }),
  });
  expect(await turn.run()).toBe("answered");
  expect(turn.asked.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0]);
  expect(textsOf(turn.asked[3]?.messages ?? []).at(-1)).toContain("largest number of tool steps");
  expect(turn.journal.ends[0]?.message.content).toBe("so far");
});

it("ends with a sentence when a model calls tools even when it has none left", async () => {
  const turn = scriptedTurn({
    tools: [echo],
    maxSteps: 1,
    say: (_, count) => ({ calls: [call(`c${count}`, "echo")] }),
  });
  expect(await turn.run()).toBe("failed");
  expect(turn.journal.ends).toMatchObject([
    { message: { kind: "notice", content: expect.stringContaining("tool steps") } },
  ]);
});

it("ends with one sentence when the model fails for good", async () => {
  const turn = scriptedTurn({ say: () => ({ failure: { ...FAILED, retryable: false } }) });
  expect(await turn.run()).toBe("failed");
  expect(turn.journal.ends).toEqual([
    {
      end: "failed",
      message: {
        role: "assistant",
        kind: "notice",
        content: "⚠️ I could not answer: The provider had an internal error.",
      },
    },
  ]);
});

it("answers with a result for a tool that throws, and keeps its inner words from the model", async () => {
  const log = vi.spyOn(console, "error").mockImplementation(() => undefined);
  const tool = fakeTool("bad", async () => {
    throw new TypeError("secret inner words");
  });
  const turn = scriptedTurn({
    tools: [tool],
    say: (_, count) => (count === 1 ? { calls: [call("a", "bad")] } : { text: "ok" }),
  });
  expect(await turn.run()).toBe("answered");
  expect(textsOf(turn.asked[1]?.messages ?? []).join()).not.toContain("secret");
  expect(log).toHaveBeenCalledOnce();
  log.mockRestore();
});

it("lets an error that is not the turn's own out", async () => {
  const turn = scriptedTurn({
    say: () => {
      throw new TypeError("broken");
    },
  });
  await expect(turn.run()).rejects.toThrow("broken");
  expect(turn.journal.ends).toEqual([]);
});

it("puts what a stateless call brought before its own words", async () => {
  const turn = scriptedTurn({ say: () => ({ text: "ok" }) });
  const history = [{ role: "user", content: "earlier" } as const, { role: "assistant", content: "yes" } as const];
  await turn.run(false, { ...TURN, brought: { system: "Be brief.", history } });
  expect(textsOf(turn.asked[0]?.messages ?? [])).toEqual(["You are under test.\n\nBe brief.", "earlier", "yes", "hi"]);
});

// === Stopping ===

it("stops in the middle of a model call, with what was seen of it as the one answer", async () => {
  const turn = scriptedTurn({
    say: async (_request, _count, signal) => {
      await aborted(signal);
      return { failure: ABORTED };
    },
  });
  const run = turn.run();
  await vi.waitFor(() => expect(turn.asked).toHaveLength(1));
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(turn.journal.ends).toEqual([
    { end: "stopped", message: { role: "assistant", kind: "notice", content: "⏹ Stopped." } },
  ]);
});

it("keeps what was seen of the answer when it is stopped", async () => {
  const turn = scriptedTurn({ say: () => ({ text: "half an ans", failure: { ...FAILED, retryAfterMs: 60_000 } }) });
  const shown = vi.spyOn(turn.ports, "partial").mockReturnValue("half an ans");
  const run = turn.run();
  await vi.waitFor(() => expect(turn.asked).toHaveLength(1));
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(turn.journal.ends[0]?.message.content).toBe("half an ans\n\n⏹ Stopped.");
  expect(shown).toHaveBeenCalled();
});

it("stops in the middle of a wait for the next try", async () => {
  const turn = scriptedTurn({ say: () => ({ failure: { ...FAILED, retryAfterMs: 100_000 } }) });
  const run = turn.run();
  await vi.waitFor(() => expect(turn.asked).toHaveLength(1));
  await Promise.resolve();
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(turn.asked).toHaveLength(1);
});

it("stops in the middle of tools that do not hear of it, and gives every call a result", async () => {
  const started = Promise.withResolvers<void>();
  const deaf = fakeTool(
    "deaf",
    async () => {
      started.resolve();
      return never;
    },
    { parallel: "always" },
  );
  const execute = vi.fn(async () => ({ content: "ran" }));
  const turn = scriptedTurn({
    tools: [deaf, fakeTool("later", execute)],
    say: () => ({ calls: [call("a", "deaf"), call("b", "deaf"), call("c", "later")] }),
  });
  const run = turn.run();
  await started.promise;
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(execute).not.toHaveBeenCalled();
  expect(turn.asked).toHaveLength(1);
  expect(pairsOf(turn.journal)).toEqual({ calls: ["a", "b", "c"], results: ["a", "b", "c"] });
  expect(turn.journal.ends).toHaveLength(1);
  expect(
    turn.journal
      .all()
      .flatMap((row) => row.toolResults ?? [])
      .map(({ content }) => content),
  ).toEqual([
    expect.stringContaining("Stopped by the person"),
    expect.stringContaining("Stopped by the person"),
    expect.stringContaining("Not run"),
  ]);
});

const asking = fakeTool("clarify", async () => ({ ask: { text: "Which?", choices: ["x", "y"] } }));

it.each([false, true])("stops in the middle of a question (found open by a later life: %s)", async (interrupted) => {
  const log = vi.spyOn(console, "error");
  const journal = interrupted ? cutOff([call("q", "clarify")]) : memoryJournal();
  const question = { text: "Which?", choices: [] };
  if (interrupted) journal.commitWaiting({ callId: "q", question, askedAt: 0, expiresAt: 1 });
  const turn = scriptedTurn({ tools: [asking], journal, say: () => ({ calls: [call("q", "clarify")] }) });
  const run = turn.run(interrupted);
  await vi.waitFor(() => expect(journal.waiting()).toBeDefined());
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(pairsOf(journal)).toEqual({ calls: ["q"], results: ["q"] });
  expect(journal.ends).toHaveLength(1);
  expect(log).not.toHaveBeenCalled();
  log.mockRestore();
});

it("gives the calls of a turn that is stopped before it goes on their results first", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const tools = [fakeTool("send", execute, { effect: "unsafe" }), fakeTool("look", execute)];
  const turn = scriptedTurn({
    tools,
    journal: cutOff([call("a", "look"), call("b", "send")]),
    say: () => ({ text: "no" }),
  });
  turn.control.stop();
  expect(await turn.run(true)).toBe("stopped");
  expect(execute).not.toHaveBeenCalled();
  expect(
    turn.journal
      .all()
      .flatMap((row) => row.toolResults ?? [])
      .map(({ content }) => content),
  ).toEqual([expect.stringContaining("Not run"), expect.stringContaining("Outcome unknown")]);
});

// === Words into a running turn ===

it("goes on when a person writes while the last words come in, and answers both", async () => {
  const turn = scriptedTurn({
    say: (_, count) => {
      if (count === 1) turn.journal.write("and this?");
      return { text: count === 1 ? "first answer" : "both answered" };
    },
  });
  expect(await turn.run()).toBe("answered");
  expect(turn.journal.ends).toMatchObject([{ message: { content: "both answered" } }]);
  const seen = textsOf(turn.asked[1]?.messages ?? []);
  expect(seen.at(-1)).toBe("and this?");
  // what was not delivered is told to the model as unfinished, so that its one answer says it again
  expect(seen.at(-2)).toMatch(/^first answer\n\n\[The person cut this answer off/);
});

it("reads a correction at once when it ends the model call under way", async () => {
  const turn = scriptedTurn({
    say: async (_request, count, signal) => {
      if (count > 1) return { text: "for B" };
      turn.journal.write("no, B");
      turn.control.redirect();
      return signal.aborted ? { failure: ABORTED } : { text: "for A" };
    },
  });
  expect(await turn.run()).toBe("answered");
  expect(textsOf(turn.asked[1]?.messages ?? []).slice(1)).toEqual(["hi", "no, B"]);
  expect(turn.journal.ends).toMatchObject([{ message: { content: "for B" } }]);
});

it("shows words that came while a tool ran beside its result", async () => {
  const tool = fakeTool("work", async () => {
    turn.journal.write("hurry", "steer");
    return { content: "worked" };
  });
  const turn = scriptedTurn({
    tools: [tool],
    say: (_, count) => (count === 1 ? { calls: [call("a", "work")] } : { text: "ok" }),
  });
  expect(await turn.run()).toBe("answered");
  expect(textsOf(turn.asked[1]?.messages ?? []).at(-1)).toMatch(/^worked\n\n\[OUT-OF-BAND USER MESSAGE\]\nhurry/);
});

// === Going on after a crash ===

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
  await vi.waitFor(() => expect(first.journal.waiting()).toBeDefined());
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
  await vi.waitFor(() => expect(first.journal.waiting()?.callId).toBe("q1"));
  first.journal.answer("one");
  first.control.wake();
  await vi.waitFor(() => expect(first.journal.waiting()?.callId).toBe("q2"));

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
    toolCalls: [call("a", "echo")],
    createdAt: 0,
  };
  const journal = memoryJournal({ turnId: 5, before: [earlier] });
  const turn = scriptedTurn({ tools: [echo], journal, say: () => ({ text: "ok" }) });
  expect(await turn.run(true, { ...TURN, id: 5 })).toBe("answered");
  expect(pairsOf(journal).results).toEqual([]);
});
