import { expect, it, vi } from "vitest";
import { type HookScript, scriptedHooks } from "../../support/scripted-hooks";
import { runTurn } from "#src/agent/run-turn";
import { type ScriptOptions, TURN, call, cutOff, fakeTool, scriptedTurn, textsOf } from "../../support/scripted-turn";

const look = fakeTool("look", async () => ({ content: "seen" }));

function watchedTurn(script: HookScript, options: Partial<ScriptOptions> = {}) {
  const hooks = scriptedHooks(script);
  const notes: string[] = [];
  const turn = scriptedTurn({
    say: (_request, count) => (count === 1 ? { calls: [call("a", "look")] } : { text: "done" }),
    tools: [look],
    hooks,
    sessionStart: "startup",
    guard: { notify: (more) => void notes.push(...more) },
    ...options,
  });
  return { ...turn, hooks, notes };
}

it("fires every moment of a turn in the order of the catalogue", async () => {
  const turn = watchedTurn({
    "session.start": {},
    "prompt.submit": {},
    "turn.start": {},
    "turn.context": {},
    "model.pre": {},
    "model.post": {},
    "tool.pre": {},
    "tool.post": {},
    "tool.result": {},
    "tool.batch": {},
    "turn.step": {},
    stop: {},
    "completion.claim": {},
    "response.transform": {},
    "response.display": {},
    "turn.complete": {},
    "turn.end": {},
  });
  expect(await turn.run()).toBe("answered");
  expect(turn.hooks.names()).toEqual([
    "session.start",
    "prompt.submit",
    "turn.start",
    "turn.context",
    "model.pre",
    "model.post",
    "tool.pre",
    "tool.post",
    "tool.result",
    "tool.batch",
    "turn.step",
    "model.pre",
    "model.post",
    "stop",
    "completion.claim",
    "response.transform",
    "response.display",
    "turn.complete",
    "turn.end",
  ]);
  expect(turn.journal.owed.map(({ event }) => event)).toEqual(["turn.complete", "turn.end"]);
});

it("does not ask the model about words that a hook refuses, and does not keep them", async () => {
  const turn = watchedTurn({ "prompt.submit": { outcome: "deny", reason: "not here" }, "turn.end": {} });
  expect(await turn.run()).toBe("stopped");
  expect(turn.asked).toHaveLength(0);
  expect(turn.journal.ends[0]?.message).toMatchObject({ kind: "notice", content: "not here" });
  expect(turn.journal.all()[0]?.content).toBe("");
});

it("shows the model what hooks add, beside the words and never in the prompt", async () => {
  const turn = watchedTurn({ "turn.context": { context: "It is Monday." }, "model.pre": { context: "Be brief." } });
  await turn.run();
  const [system, user] = textsOf(turn.asked[0]?.messages ?? []);
  expect(system).toBe("You are under test.");
  expect(user).toBe("hi\n\nIt is Monday.\n\n<hook_context>\nBe brief.\n</hook_context>");
  expect(turn.journal.all()[0]).toMatchObject({ content: "hi", context: "It is Monday." });
});

it("ends the turn with the reason when a hook refuses the model call", async () => {
  const turn = watchedTurn({ "model.pre": { outcome: "deny", reason: "out of budget" } });
  expect(await turn.run()).toBe("stopped");
  expect(turn.asked).toHaveLength(0);
  expect(turn.journal.ends[0]?.message.content).toBe("out of budget");
});

it("goes on as often as a hook refuses the end, and says to the model why", async () => {
  const attempts: unknown[] = [];
  const turn = watchedTurn(
    {
      stop: (data) => {
        attempts.push([data["attempt"], data["stop_hook_active"]]);
        return attempts.length <= 2 ? { keepGoing: { message: `not yet ${attempts.length}` } } : {};
      },
    },
    { say: (_request, count) => ({ text: `answer ${count}` }) },
  );
  expect(await turn.run()).toBe("answered");
  expect(attempts).toEqual([
    [0, false],
    [1, true],
    [2, true],
  ]);
  expect(textsOf(turn.asked[1]?.messages ?? []).at(-1)).toBe("not yet 1");
  expect(turn.journal.ends[0]?.message.content).toBe("answer 3");
});

it("refuses a claim of completion the same way", async () => {
  const turn = watchedTurn(
    {
      "completion.claim": (data, count) =>
        count === 1 && !(data["tool_names"] as string[]).includes("publish")
          ? { keepGoing: { message: "publish!" } }
          : {},
    },
    { say: (_request, count) => ({ text: `answer ${count}` }) },
  );
  await turn.run();
  expect(turn.journal.ends[0]?.message.content).toBe("answer 2");
});

it("keeps and sends the answer as a hook rewrote it, and shows what another made of it", async () => {
  const turn = watchedTurn({ "response.transform": { text: "kept" }, "response.display": { text: "shown" } });
  await turn.run();
  expect(turn.journal.ends[0]?.message).toMatchObject({ content: "kept", display: "shown" });
});

it("gives the model a refusal as the call's result, and does not run the tool", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const turn = watchedTurn(
    { "tool.pre": { outcome: "deny", reason: "blocked" } },
    { tools: [fakeTool("look", execute)] },
  );
  await turn.run();
  expect(execute).not.toHaveBeenCalled();
  expect(turn.journal.all().flatMap((row) => row.toolResults ?? [])).toMatchObject([
    { content: "blocked", isError: true },
  ]);
});

it("runs a call with the arguments that a hook rewrote, and refuses those that the tool does not take", async () => {
  const execute = vi.fn(async () => ({ content: "ran" }));
  const parse = (input: unknown) => {
    if ((input as { n?: unknown }).n === "bad") throw new RangeError("n");
    return input;
  };
  const tools = [fakeTool("look", execute, { parse })];
  const good = watchedTurn({ "tool.pre": { input: { n: 2 } } }, { tools });
  await good.run();
  expect(execute).toHaveBeenCalledExactlyOnceWith({ n: 2 }, expect.anything());
  const bad = watchedTurn({ "tool.pre": { input: { n: "bad" } } }, { tools });
  await bad.run();
  const [result] = bad.journal.all().flatMap((row) => row.toolResults ?? []);
  expect(result?.content).toMatch(/^Hook modified parameters are invalid: /);
  expect(execute).toHaveBeenCalledOnce();
});

it("ends the turn at once when a hook stops it, with the words meant for the person", async () => {
  const turn = watchedTurn({ "tool.pre": { outcome: "stop", reason: "that is enough" } });
  expect(await turn.run()).toBe("stopped");
  expect(turn.journal.ends[0]?.message.content).toContain("that is enough");
  expect(turn.asked).toHaveLength(1);
  const results = turn.journal.all().flatMap((row) => row.toolResults ?? []);
  expect(results.map(({ content }) => content)).toEqual(["Not run: this turn was stopped."]);
});

it("shows an unsafe call again to its gate, and runs it once, when the crash came before it began", async () => {
  const execute = vi.fn(async () => ({ content: "sent" }));
  const hooks = scriptedHooks({ "tool.pre": {} });
  const calls = [call("a", "send")];
  const turn = scriptedTurn({
    tools: [fakeTool("send", execute, { effect: "unsafe" })],
    journal: cutOff(calls, [], []),
    hooks,
    say: () => ({ text: "ok" }),
  });
  await turn.run(true);
  expect(hooks.names()).toEqual(["tool.pre"]);
  expect(execute).toHaveBeenCalledOnce();
  expect(turn.journal.begun()).toEqual(["a"]);
});

it("tells of a turn that was stopped and of one that failed by their own events", async () => {
  const failing = watchedTurn(
    { "turn.failed": {}, "turn.interrupted": {}, "turn.end": {} },
    { say: () => ({ failure: { reason: "auth", retryable: false, message: "bad key" } }) },
  );
  await failing.run();
  expect(failing.hooks.names()).toEqual(["turn.failed", "turn.end"]);
  const stopped = watchedTurn({ "turn.failed": {}, "turn.interrupted": {}, "turn.end": {} });
  stopped.control.stop();
  await stopped.run();
  expect(stopped.hooks.names()).toEqual(["turn.interrupted", "turn.end"]);
  expect(stopped.hooks.fired[1]?.data).toMatchObject({ completed: false, interrupted: true });
});

it("adds what hooks say of a whole answer's calls to the last result", async () => {
  const turn = watchedTurn({ "tool.batch": { context: "all three look fine" } });
  await turn.run();
  const [result] = turn.journal.all().flatMap((row) => row.toolResults ?? []);
  expect(result?.content).toBe("seen\n\n[Hook Context]\nall three look fine");
});

it("takes words past the hooks that come while the conversation is made ready", async () => {
  const turn = watchedTurn({ "prompt.submit": {} }, { say: () => ({ text: "done" }) });
  let isFirst = true;
  const prepare = async (): Promise<void> => {
    if (isFirst) turn.journal.write("and this");
    isFirst = false;
  };
  await runTurn(TURN, false, { ...turn.ports, prepare });
  expect(turn.hooks.fired.map(({ data }) => data["prompt"])).toEqual(["hi", "and this"]);
  expect(textsOf(turn.asked[0]?.messages ?? []).slice(1)).toEqual(["hi", "and this"]);
});

it("takes words past the hooks that come while others look at the request", async () => {
  const turn = watchedTurn(
    { "prompt.submit": {}, "model.pre": (_data, count) => (count === 1 ? (turn.journal.write("and this"), {}) : {}) },
    { say: () => ({ text: "done" }) },
  );
  await turn.run();
  expect(turn.hooks.names()).toEqual(["prompt.submit", "model.pre", "prompt.submit", "model.pre"]);
  expect(turn.asked).toHaveLength(1);
  expect(textsOf(turn.asked[0]?.messages ?? []).slice(1)).toEqual(["hi", "and this"]);
});

it("shows the model what came while hooks looked at the request, where no hook wants to see words", async () => {
  const turn = watchedTurn(
    { "model.pre": (_data, count) => (count === 1 ? (turn.journal.write("and this"), {}) : {}) },
    { say: () => ({ text: "done" }) },
  );
  await turn.run();
  expect(textsOf(turn.asked[0]?.messages ?? []).slice(1)).toEqual(["hi", "and this"]);
});
