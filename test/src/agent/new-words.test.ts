import { expect, it } from "vitest";
import { isSaid, newWords } from "#src/agent/new-words";
import type { Message } from "#src/domain/message";
import { scriptedHooks } from "../../support/scripted-hooks";

const heard = scriptedHooks({ "prompt.submit": {} });
const row = (id: number, over: Partial<Message> = {}): Message => ({
  id,
  turnId: 1,
  role: "user",
  kind: "chat",
  content: `words ${id}`,
  createdAt: 0,
  ...over,
});
const said = (id: number, kind: Message["kind"] = "chat"): Message => row(id, { role: "assistant", kind });

function idsOf(rows: readonly Message[], prepared: readonly number[] = [], isPrepared?: true) {
  const turn = { id: 1, ...(isPrepared === undefined ? {} : { isPrepared }) };
  return newWords(turn, new Set(prepared), rows, heard).map(({ id }) => id);
}

it("finds a turn's first words until they are prepared", () => {
  expect(idsOf([row(1)])).toEqual([1]);
  expect(idsOf([row(1)], [1])).toEqual([]);
  expect(idsOf([row(1)], [], true)).toEqual([]);
});

it("finds what is said later, and not what an answer was given to", () => {
  expect(idsOf([row(1), row(2), said(3), row(4, { kind: "steer" })], [], true)).toEqual([4]);
});

it("takes neither a summary nor a note for an answer: what stands before them is still new", () => {
  expect(idsOf([row(1), row(2), said(3, "summary"), said(4, "note")], [], true)).toEqual([2]);
});

it("looks at the turn's own words alone, and at nothing where no hook listens", () => {
  expect(idsOf([row(1), row(2, { turnId: 2 }), row(3, { kind: "answer" })])).toEqual([1]);
  expect(newWords({ id: 1 }, new Set(), [row(1)], { listens: () => false })).toEqual([]);
});

it("knows what a person says to the model", () => {
  expect([row(1), row(1, { kind: "steer" })].every(isSaid)).toBe(true);
  expect([row(1, { kind: "answer" }), row(1, { kind: "command" }), said(1)].some(isSaid)).toBe(false);
});
