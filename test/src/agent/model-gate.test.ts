import { expect, it } from "vitest";
import { passModelGate } from "#src/agent/model-gate";
import type { ModelMessage } from "#src/domain/provider";
import { type HookScript, scriptedHooks } from "../../support/scripted-hooks";

const TALK: readonly ModelMessage[] = [
  { role: "system", content: "S" },
  { role: "user", content: "hi" },
];

async function pass(script: HookScript) {
  const hooks = scriptedHooks(script);
  const notes: string[] = [];
  const gate = await passModelGate(
    hooks,
    (more) => void notes.push(...more),
    () => ({ system: "S", messages: TALK, tools: [{ name: "look", description: "", parameters: {} }], callIndex: 3 }),
  );
  return { gate, fired: hooks.fired, notes };
}

const added = (gate: Awaited<ReturnType<typeof passModelGate>>): readonly ModelMessage[] =>
  "add" in gate ? gate.add(TALK) : [];

it("lets a request pass as it is when nobody listens", async () => {
  const { gate } = await pass({});
  expect(added(gate)).toBe(TALK);
});

it("shows the request to hooks, and their notes to the person", async () => {
  const { fired, notes } = await pass({ "model.pre": { notes: ["watch out"] } });
  expect(fired[0]?.data).toEqual({
    system: "S",
    last_user_message: "hi",
    messages: TALK,
    tools: ["look"],
    call_index: 3,
  });
  expect(notes).toEqual(["watch out"]);
});

it("adds what hooks want the model to know to every writing of the request", async () => {
  const { gate } = await pass({ "model.pre": { context: "it rains" } });
  expect(added(gate).at(-1)?.content).toContain("it rains");
  expect(added(gate)[0]).toBe(TALK[0]);
});

it("refuses in the hook's words, or in its own", async () => {
  expect((await pass({ "model.pre": { outcome: "deny", reason: "not now" } })).gate).toEqual({ refusal: "not now" });
  expect((await pass({ "model.pre": { outcome: "stop" } })).gate).toEqual({ refusal: "Blocked by hook." });
});
