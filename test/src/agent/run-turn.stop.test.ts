import { expect, it, vi } from "vitest";
import { runTurn } from "#src/agent/run-turn";
import type { ModelFailure } from "#src/domain/provider";
import { abortable } from "#src/lib/abortable";
import { memoryJournal } from "../../support/memory-journal";
import {
  ABORTED,
  TURN,
  aborted,
  asking,
  call,
  cutOff,
  fakeTool,
  pairsOf,
  scriptedTurn,
} from "../../support/scripted-turn";
import { until } from "../../support/until";

const FAILED: ModelFailure = {
  reason: "server_error",
  retryable: true,
  message: "The provider had an internal error.",
};
const never = new Promise<never>(() => undefined);

it("stops in the middle of a model call, with what was seen of it as the one answer", async () => {
  const turn = scriptedTurn({
    say: async (_request, _count, signal) => {
      await aborted(signal);
      return { failure: ABORTED };
    },
  });
  const run = turn.run();
  await until(() => expect(turn.asked).toHaveLength(1));
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
  await until(() => expect(turn.asked).toHaveLength(1));
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(turn.journal.ends[0]?.message.content).toBe("half an ans\n\n⏹ Stopped.");
  expect(shown).toHaveBeenCalled();
});

it("stops in the middle of a wait for the next try", async () => {
  const turn = scriptedTurn({ say: () => ({ failure: { ...FAILED, retryAfterMs: 100_000 } }) });
  const run = turn.run();
  await until(() => expect(turn.asked).toHaveLength(1));
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
    expect.stringContaining("Stopped while it was running"),
    expect.stringContaining("Stopped while it was running"),
    expect.stringContaining("Not run"),
  ]);
});

it.each([false, true])("stops in the middle of a question (found open by a later life: %s)", async (interrupted) => {
  const log = vi.spyOn(console, "error");
  const journal = interrupted ? cutOff([call("q", "clarify")]) : memoryJournal();
  const question = { text: "Which?", choices: [] };
  if (interrupted) journal.commitWaiting({ callId: "q", question, askedAt: 0, expiresAt: 1 });
  const turn = scriptedTurn({ tools: [asking], journal, say: () => ({ calls: [call("q", "clarify")] }) });
  const run = turn.run(interrupted);
  await until(() => expect(journal.waiting()).toBeDefined());
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

it("stops while the conversation is made ready, in the usual words", async () => {
  const turn = scriptedTurn({ say: () => ({ text: "too late" }) });
  const { stopped } = turn.control;
  const prepare = (): Promise<void> => abortable(never, stopped);
  const run = runTurn(TURN, false, { ...turn.ports, prepare });
  turn.control.stop();
  expect(await run).toBe("stopped");
  expect(turn.asked).toEqual([]);
  expect(turn.journal.ends).toMatchObject([{ end: "stopped", message: { content: "⏹ Stopped." } }]);
});
