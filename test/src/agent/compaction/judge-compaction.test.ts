import { expect, it } from "vitest";
import { COMPACTION_DEFAULTS, compactionLimits } from "#src/agent/compaction/compaction-limits";
import { NEVER_COMPACTED } from "#src/agent/compaction/compaction-state";
import {
  type CompactionQuestion,
  afterCompaction,
  afterFailure,
  afterRefusal,
  judgeCompaction,
} from "#src/agent/compaction/judge-compaction";

/** Threshold 75,000, urgent from 85,000. */
const LIMITS = compactionLimits(COMPACTION_DEFAULTS, { name: "m", contextTokens: 100_000 });

function judge(over: Partial<CompactionQuestion> = {}) {
  return judgeCompaction({ tokens: 80_000, rowCount: 100, limits: LIMITS, state: NEVER_COMPACTED, now: 0, ...over });
}

const done = { beforeTokens: 80_000, afterTokens: 20_000, isDropped: false, hasProblem: false };

it("compacts from the threshold on, and says when it cannot wait", () => {
  expect(judge({ tokens: 74_999 })).toEqual({ type: "leave", why: "short" });
  expect(judge({ tokens: 75_000 })).toEqual({ type: "compact", reason: "threshold", isUrgent: false });
  expect(judge({ tokens: 85_000 })).toEqual({ type: "compact", reason: "threshold", isUrgent: true });
});

it("compacts a conversation of very many short messages", () => {
  expect(judge({ tokens: 10, rowCount: 4999 })).toEqual({ type: "leave", why: "short" });
  expect(judge({ tokens: 10, rowCount: 5000 })).toEqual({ type: "compact", reason: "rows", isUrgent: true });
});

it("has nothing to compact in fewer than four messages", () => {
  expect(judge({ rowCount: 3 })).toEqual({ type: "leave", why: "short" });
});

it("leaves a summariser that failed alone for ten minutes, unless it is urgent", () => {
  const state = afterFailure(NEVER_COMPACTED, 1000);
  expect(judge({ state, now: 600_999 })).toEqual({ type: "leave", why: "waiting" });
  expect(judge({ state, now: 601_000 })).toMatchObject({ type: "compact" });
  expect(judge({ state, now: 2000, tokens: 90_000 })).toMatchObject({ type: "compact" });
});

it("forgets compactions without gain after one with gain", () => {
  const idle = { ...done, afterTokens: 72_001 };
  const once = afterCompaction(NEVER_COMPACTED, idle);
  expect(once.gainless).toBe(1);
  expect(afterCompaction(once, idle).gainless).toBe(2);
  expect(afterCompaction(once, { ...done, afterTokens: 72_000 }).gainless).toBe(0);
});

it("gives up after two summaries in a row that no model wrote", () => {
  const dropped = { ...done, isDropped: true };
  const state = afterCompaction(afterCompaction(NEVER_COMPACTED, dropped), dropped);
  expect(judge({ state: { ...state, restingTokens: 76_000 } })).toEqual({ type: "leave", why: "gainless" });
  expect(judge({ state })).toMatchObject({ type: "compact" });
  expect(afterCompaction(state, done).dropped).toBe(0);
});

it("asks a hook that refused again when the conversation has grown by a tenth of the threshold", () => {
  const state = afterRefusal(NEVER_COMPACTED, 80_000, "hook");
  expect(judge({ state, tokens: 87_499 })).toEqual({ type: "leave", why: "vetoed" });
  expect(judge({ state, tokens: 87_500 })).toMatchObject({ type: "compact" });
  expect(afterCompaction(state, done).isVetoed).toBeUndefined();
});

it("does not plan again and again what has nothing to gain", () => {
  const state = afterRefusal(NEVER_COMPACTED, 80_000, "size");
  expect(judge({ state, tokens: 81_000 })).toEqual({ type: "leave", why: "gainless" });
});
