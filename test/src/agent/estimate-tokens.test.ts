import * as fc from "fast-check";
import { expect, it } from "vitest";
import { estimateTokens, windowStart } from "#src/agent/estimate-tokens";
import type { Message } from "#src/domain/message";

/** A row of this many tokens. */
function row(turnId: number, tokens: number, over: Partial<Message> = {}): Message {
  return {
    id: turnId,
    turnId,
    role: "user",
    kind: "chat",
    content: "x".repeat((tokens - 4) * 4),
    createdAt: 0,
    ...over,
  };
}

/** Turns of two rows of 10 tokens each. */
const turns = (count: number): Message[] => Array.from({ length: count }, (_, n) => [row(n, 10), row(n, 10)]).flat();

it("counts text, context, calls, results and pictures", () => {
  expect(estimateTokens(row(1, 10))).toBe(10);
  expect(estimateTokens(row(1, 4, { context: "x".repeat(8) }))).toBe(6);
  expect(estimateTokens(row(1, 4, { toolCalls: [{ id: "i", name: "name", arguments: "{}{}" }] }))).toBe(6);
  expect(estimateTokens(row(1, 4, { toolResults: [{ callId: "i", name: "n", content: "x".repeat(40) }] }))).toBe(14);
  expect(estimateTokens(row(1, 4, { attachments: [{ kind: "image" }, { kind: "file" }] }))).toBe(1604);
});

it("keeps everything up to the budget", () => {
  expect(windowStart([], 100)).toBe(0);
  expect(windowStart(turns(5), 100)).toBe(0);
});

it("jumps to half the budget, at the start of a turn, and then stays for many turns", () => {
  const rows = turns(6);
  expect(windowStart(rows, 100)).toBe(8);
  const kept = rows.slice(8);
  expect(windowStart([...kept, ...turns(3)], 100)).toBe(0);
});

it("keeps the last turn from its beginning when it alone is over half the budget", () => {
  expect(windowStart([...turns(2), row(7, 40), row(7, 40)], 100)).toBe(4);
  expect(windowStart([row(7, 400), row(7, 400)], 100)).toBe(0);
});

it("never cuts a turn, is within half the budget unless one turn alone is over, and cuts no more than it has to", () => {
  const rowsOf = fc
    .array(fc.array(fc.integer({ min: 4, max: 60 }), { minLength: 1, maxLength: 5 }), { maxLength: 12 })
    .map((sizes) => sizes.flatMap((tokens, turn) => tokens.map((count) => row(turn, count))));
  fc.assert(
    fc.property(rowsOf, fc.integer({ min: 10, max: 400 }), (rows, budget) => {
      const start = windowStart(rows, budget);
      const total = (from: number): number => rows.slice(from).reduce((sum, one) => sum + estimateTokens(one), 0);
      if (total(0) <= budget) {
        expect(start).toBe(0);
        return;
      }
      const begins = (at: number): boolean => at === 0 || rows[at]?.turnId !== rows[at - 1]?.turnId;
      expect(begins(start)).toBe(true);
      const kept = new Set(rows.slice(start).map(({ turnId }) => turnId));
      expect(kept.size).toBeGreaterThan(0);
      if (kept.size > 1) expect(total(start)).toBeLessThanOrEqual(budget / 2);
      const before = rows.findLastIndex((_, at) => at < start && begins(at));
      if (before !== -1) expect(total(before)).toBeGreaterThan(budget / 2);
    }),
    { seed: 5, numRuns: 1000 },
  );
});
