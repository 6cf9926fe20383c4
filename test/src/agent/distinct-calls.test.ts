import { expect, it } from "vitest";
import { distinctCalls } from "#src/agent/distinct-calls";
import type { Message } from "#src/domain/message";
import { call } from "../../support/scripted-turn";

const row = (...ids: string[]): Message => ({
  id: 1,
  turnId: 1,
  role: "assistant",
  kind: "chat",
  content: "",
  toolCalls: ids.map((id) => call(id, "t")),
  createdAt: 0,
});

it("leaves calls as they are whose ids nobody else has", () => {
  const calls = [call("a", "t"), call("b", "t")];
  const distinct = distinctCalls(calls, [row("c")]);
  expect(distinct.every((one, index) => one === calls[index])).toBe(true);
});

it.each([
  ["repeat each other", ["a", "a", "a"], []],
  ["repeat an earlier answer's", ["a", "b"], ["a", "b"]],
  ["are empty", ["", ""], []],
  ["meet a name that was given to a repeated one", ["a", "a", "a_2", "a_3"], ["a_2", "a_3"]],
  ["are names of every object", ["__proto__", "__proto__", "constructor"], []],
])("gives calls ids of their own that %s", (_, ids, before) => {
  const distinct = distinctCalls(
    ids.map((id) => call(id, "t")),
    [row(...before)],
  ).map(({ id }) => id);
  expect(new Set([...distinct, ...before]).size).toBe(ids.length + before.length);
  expect(distinct).not.toContain("");
});
