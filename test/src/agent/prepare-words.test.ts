import { expect, it } from "vitest";
import { type TurnBeginning, prepareWords } from "#src/agent/prepare-words";
import type { Message } from "#src/domain/message";
import { type HookScript, scriptedHooks } from "../../support/scripted-hooks";

const ROW: Message = { id: 3, turnId: 3, role: "user", kind: "chat", content: "hi", createdAt: 0 };
const BEGINNING: TurnBeginning = { sessionStart: "startup", toolCount: 2, history: () => [{ role: "user" }] };

async function prepare(script: HookScript, row = ROW, beginning: TurnBeginning | undefined = BEGINNING) {
  const hooks = scriptedHooks(script);
  const notes: string[] = [];
  const prepared = await prepareWords(row, hooks, (more) => notes.push(...more), beginning);
  return { prepared, hooks, notes };
}

it("calls what stands before a turn in the order of the catalogue", async () => {
  const { hooks } = await prepare({ "turn.context": {}, "turn.start": {}, "session.start": {}, "prompt.submit": {} });
  expect(hooks.names()).toEqual(["session.start", "prompt.submit", "turn.start", "turn.context"]);
  expect(hooks.fired[3]?.data).toEqual({ user_message: "hi", is_first_turn: true, history: [{ role: "user" }] });
});

it("keeps what hooks add beside the words, in order, behind what stood there", async () => {
  const script: HookScript = {
    "session.start": { context: "s" },
    "prompt.submit": { context: "p" },
    "turn.context": { context: "t" },
  };
  const { prepared } = await prepare(script, { ...ROW, context: "[In reply to: x]" });
  expect(prepared).toEqual({ type: "ready", words: { id: 3, context: "[In reply to: x]\n\ns\n\np\n\nt" } });
});

it("changes nothing when no hook had anything to add", async () => {
  expect((await prepare({ "turn.start": {} })).prepared).toEqual({ type: "ready", words: { id: 3 } });
});

it("hands the later hooks the words as the gate left them", async () => {
  const { prepared, hooks } = await prepare({ "prompt.submit": { text: "hello" }, "turn.context": {} });
  expect(prepared).toEqual({ type: "ready", words: { id: 3, content: "hello" } });
  expect(hooks.fired[1]?.data).toMatchObject({ user_message: "hello" });
});

it.each(["deny", "stop"] as const)("stops at a gate that says %s", async (outcome) => {
  const script: HookScript = { "prompt.submit": { outcome, reason: "no", notes: ["n"] }, "turn.context": {} };
  const { prepared, hooks, notes } = await prepare(script);
  expect(prepared).toEqual({ type: "denied", reason: "no" });
  expect(hooks.names()).toEqual(["prompt.submit"]);
  expect(notes).toEqual(["n"]);
});

it("only passes the gate for words with those that join a running turn", async () => {
  const { hooks } = await prepareJoining();
  expect(hooks.names()).toEqual(["prompt.submit"]);
});

async function prepareJoining() {
  const hooks = scriptedHooks({ "session.start": {}, "prompt.submit": {}, "turn.start": {}, "turn.context": {} });
  await prepareWords(ROW, hooks, () => undefined);
  return { hooks };
}

it("ends the turn before the model when a hook that adds context wants it, and asks nobody after it", async () => {
  const start = await prepare({ "session.start": { outcome: "stop", reason: "closed" }, "prompt.submit": {} });
  expect(start.prepared).toEqual({ type: "stopped", reason: "closed" });
  expect(start.hooks.names()).toEqual(["session.start"]);
  const context = await prepare({ "turn.context": { outcome: "stop" } });
  expect(context.prepared).toEqual({ type: "stopped", reason: "Blocked by hook." });
});
