import { beforeEach, expect, it } from "vitest";
import { type CompactionState, NEVER_COMPACTED } from "#src/agent/compaction/compaction-state";
import { neededRows, viewCompacted } from "#src/agent/compaction/view-compacted";
import { toModelMessages } from "#src/agent/to-model-messages";
import type { Message } from "#src/domain/message";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

const read = (rows: readonly Message[]) => toModelMessages(rows, { isShared: false, canSee: true, images: new Map() });

function covering(fromId: number, toId: number, shownIds: readonly number[] = []): CompactionState {
  return { ...NEVER_COMPACTED, summary: { fromId, toId, shownIds, body: "## Goal\nTea.", kept: [], by: "model" } };
}

const view = (rows: readonly Message[], state: CompactionState) =>
  viewCompacted(rows, state, read).map(({ role, content }) => `${role}: ${JSON.stringify(content)}`);

it("shows a conversation that was never compacted as it is", () => {
  const rows = [says("a"), answers("b")];
  expect(viewCompacted(rows, NEVER_COMPACTED, read)).toEqual(read(rows));
});

it("puts the summary in the place of what it covers", () => {
  const rows = [says("a"), answers("b"), says("c"), answers("d"), answers("e")];
  const shown = view(rows, covering(3, 4));
  expect(shown).toHaveLength(4);
  expect(shown[2]).toMatch(/^user: .*## Goal\\nTea\./);
  expect(shown[3]).toBe('assistant: "e"');
});

it("makes the summary a part of the person's next words, which come last in it", () => {
  const rows = [says("a"), answers("b"), says("c"), answers("d"), says("now this")];
  const shown = view(rows, covering(3, 4));
  expect(shown).toHaveLength(3);
  expect(shown[2]).toMatch(/^user: .*Tea\..*END OF THE SUMMARY.*\\n\\nnow this"$/);
});

it("joins the summary to words before it, or stands between two of a person", () => {
  const rows = [says("a"), answers("b"), answers("c"), says("d")];
  expect(view(rows, covering(2, 2))[0]).toMatch(/^user: "a\\n\\n.*Tea/);
  expect(view(rows, covering(2, 3)).map((line) => line.slice(0, 9))).toEqual(['user: "a"', "assistant", 'user: "d"']);
});

it("keeps the pictures of the words that it joins", () => {
  const photo = { kind: "image" as const, url: "https://example.com/a.png" };
  const rows = [says("a"), answers("b"), says("look", { attachments: [photo] })];
  const [message] = viewCompacted(rows, covering(1, 2), read);
  expect(message?.content).toMatchObject([{ type: "text" }, { type: "text", text: "look" }, { type: "image" }]);
});

it("shows a covered row that has to stay visible", () => {
  const rows = [says("task"), calls(["a"]), results(["a"], "x"), calls(["b"]), results(["b"], "y")];
  const shown = view(rows, covering(1, 3, [1]));
  expect(shown[0]).toMatch(/task"$/);
  expect(shown).toHaveLength(3);
});

it("gives the same bytes for the same rows and state, also when more is said", () => {
  const rows = [says("a"), answers("b"), answers("c"), says("d"), answers("e")];
  const state = covering(2, 3);
  const before = JSON.stringify(viewCompacted(rows, state, read));
  const after = JSON.stringify(viewCompacted([...rows, says("f")], structuredClone(state), read));
  expect(after.startsWith(before.slice(0, -1))).toBe(true);
});

it("needs the rows that are shown, and all of the running turn", () => {
  const rows = [says("a"), answers("b"), says("c"), answers("d", { turnId: 9 }), answers("e", { turnId: 9 })];
  const ids = (some: readonly Message[]): number[] => some.map(({ id }) => id);
  expect(ids(neededRows(rows, covering(2, 4)))).toEqual([1, 5]);
  expect(ids(neededRows(rows, covering(2, 4, [3])))).toEqual([1, 3, 5]);
  expect(ids(neededRows(rows, covering(2, 4), 9))).toEqual([1, 4, 5]);
  expect(neededRows(rows, NEVER_COMPACTED)).toBe(rows);
});

it("clears old results that the state says are cleared", () => {
  const rows = [calls(["a"]), results(["a"], "x".repeat(5000)), calls(["b"]), results(["b"], "y".repeat(5000))];
  const shown = view(rows, { ...NEVER_COMPACTED, clearedTo: 2 });
  expect(shown[1]).toContain("cleared to save room");
  expect(shown[3]).toContain("yyy");
});
