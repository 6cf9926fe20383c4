import { expect, it, vi } from "vitest";
import { MAX_CALLS_PER_ANSWER } from "#src/agent/run-tools";
import type { ModelFailure } from "#src/domain/provider";
import { ABORTED, TURN, call, fakeTool, pairsOf, scriptedTurn, textsOf } from "../../support/scripted-turn";

const FAILED: ModelFailure = {
  reason: "server_error",
  retryable: true,
  message: "The provider had an internal error.",
};

const echo = fakeTool("echo", async (args) => ({ content: `echo ${JSON.stringify(args)}` }));

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
  const paths = (args: unknown) => [(args as { path: string }).path];
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
    limits: { maxSteps: 3 },
    say: ({ tools }, count) => (tools.length > 0 ? { calls: [call(`c${count}`, "echo")] } : { text: "so far" }),
  });
  expect(await turn.run()).toBe("answered");
  expect(turn.asked.map(({ tools }) => tools.length)).toEqual([1, 1, 1, 0]);
  expect(textsOf(turn.asked[3]?.messages ?? []).at(-1)).toContain("tool steps of one turn are used up");
  expect(turn.journal.ends[0]?.message.content).toBe("so far");
});

it("ends with a sentence when a model calls tools even when it has none left", async () => {
  const turn = scriptedTurn({
    tools: [echo],
    limits: { maxSteps: 1 },
    say: (_, count) => ({ calls: [call(`c${count}`, "echo")] }),
  });
  expect(await turn.run()).toBe("failed");
  expect(turn.journal.ends).toMatchObject([
    { message: { kind: "notice", content: expect.stringContaining("answered with nothing") } },
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
