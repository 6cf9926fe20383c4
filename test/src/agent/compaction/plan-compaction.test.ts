import { beforeEach, expect, it } from "vitest";
import { COMPACTION_DEFAULTS, compactionLimits } from "#src/agent/compaction/compaction-limits";
import { NEVER_COMPACTED } from "#src/agent/compaction/compaction-state";
import { describePlan, planCompaction, remainingTokens } from "#src/agent/compaction/plan-compaction";
import type { Message } from "#src/domain/message";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

/** Threshold 7,500 tokens, end 1,500. */
const LIMITS = compactionLimits(COMPACTION_DEFAULTS, { name: "m", contextTokens: 10_000 });

/** Messages of 104 tokens each. */
const talk = (count: number): Message[] =>
  Array.from({ length: count }, (_, n) => (n % 2 === 0 ? says("x".repeat(400)) : answers("y".repeat(400))));

const plan = (rows: readonly Message[], over: Partial<Parameters<typeof planCompaction>[0]> = {}) =>
  planCompaction({ rows, state: NEVER_COMPACTED, limits: LIMITS, overheadTokens: 500, ...over });

it("counts what there is and what will be left", () => {
  const planned = plan(talk(80));
  expect(planned?.beforeTokens).toBe(500 + 80 * 104);
  expect(planned?.middle).toHaveLength(57);
  expect(planned === undefined ? 0 : remainingTokens(planned, 500)).toBe(500 + 23 * 104);
});

it("says what it would do in one sentence", () => {
  const planned = plan(talk(80));
  expect(planned === undefined ? "" : describePlan(planned, LIMITS)).toBe(
    "About 8820 tokens (88 % of the model's window). 57 messages (about 5928 tokens) would become a summary; 3 at the beginning and 20 at the end would stay as they are.",
  );
});

it("spares a request for a small middle when the last compaction gained nothing", () => {
  const state = { ...NEVER_COMPACTED, gainless: 1 };
  expect(plan(talk(28))).toBeDefined();
  expect(plan(talk(28), { state })).toBeUndefined();
  expect(plan(talk(28), { state, keepTurns: 20 })).toBeDefined();
  expect(plan(talk(80), { state })).toBeDefined();
});

it("clears tool results at the end when the end alone is too large", () => {
  const rows = talk(40);
  const work = Array.from({ length: 6 }, (_, n) => [
    calls([`c${n}`]),
    results([`c${n}`], `${n}${"x".repeat(8000)}`),
  ]).flat();
  const planned = plan([...rows, ...work]);
  expect(planned?.clearedTo).toBe(48);
  expect(planned === undefined ? 0 : remainingTokens(planned, 0)).toBeLessThan(5000);
  expect(plan(talk(80))).not.toHaveProperty("clearedTo");
});

it("counts the summary that stands, and not what it covers", () => {
  const rows = talk(80);
  const summary = { fromId: 4, toId: 40, shownIds: [1], body: "x".repeat(400), kept: [], by: "model" as const };
  expect(plan(rows, { state: { ...NEVER_COMPACTED, summary } })?.beforeTokens).toBe(500 + 43 * 104 + 100);
});
