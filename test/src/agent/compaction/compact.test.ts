import { expect, it } from "vitest";
import { type CompactionOutcome, type SummaryAnswer, compact } from "#src/agent/compaction/compact";
import { COMPACTION_DEFAULTS, compactionLimits } from "#src/agent/compaction/compaction-limits";
import { type CompactionState, NEVER_COMPACTED } from "#src/agent/compaction/compaction-state";
import { judgeCompaction } from "#src/agent/compaction/judge-compaction";
import { planCompaction } from "#src/agent/compaction/plan-compaction";
import { requestTokens } from "#src/agent/compaction/shown-tokens";
import type { SummaryRequest } from "#src/agent/compaction/summary-request";
import { viewCompacted } from "#src/agent/compaction/view-compacted";
import { pairToolMessages } from "#src/agent/pair-tools";
import { toModelMessages } from "#src/agent/to-model-messages";
import type { Message } from "#src/domain/message";
import type { ModelMessage } from "#src/domain/provider";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

const LIMITS = compactionLimits(COMPACTION_DEFAULTS, { name: "m", contextTokens: 128_000 });
const OVERHEAD_TOKENS = 3000;
const FACT = /FACT-\d+/g;
const FILLER = "and some words around it that nobody needs ".repeat(10);

/** Turns of four rows, each with a fact in the person's words, in a tool's result and in the answer. */
function longConversation(count: number, from = 0): Message[] {
  const rows: Message[] = [];
  for (let at = from; at < from + count; at += 4) {
    const id = `c${at}`;
    rows.push(
      says(`FACT-${at} ${FILLER}`),
      calls([id], { arguments: JSON.stringify({ command: "ls" }) }),
      results([id], `FACT-${at + 1} ${FILLER}`),
      answers(`FACT-${at + 2} ${FILLER}`),
    );
  }
  return rows;
}

/** A summariser that remembers what it was asked, and keeps every fact that it was shown. */
function scriptedSummariser(fail: (count: number) => boolean = () => false) {
  const asked: SummaryRequest[] = [];
  return {
    asked,
    summarise: async (request: SummaryRequest): Promise<SummaryAnswer> => {
      asked.push(request);
      if (fail(asked.length)) return { type: "failed", message: "The summariser is down." };
      const facts = [...new Set(request.prompt.match(FACT))];
      return { type: "text", text: `## Critical Context\n${facts.join(" ")}` };
    },
    /** Facts in the order in which they came as conversation. */
    seen: () => asked.flatMap(({ prompt }) => conversationOf(prompt).match(FACT) ?? []),
  };
}

function conversationOf(prompt: string): string {
  return /<conversation>\n([\s\S]*)\n<\/conversation>/.exec(prompt)?.[1] ?? "";
}

function view(rows: readonly Message[], state: CompactionState): readonly ModelMessage[] {
  return viewCompacted(rows, state, (some) =>
    toModelMessages(some, { isShared: false, canSee: false, images: new Map() }),
  );
}

const facts = (messages: readonly ModelMessage[]): string[] => JSON.stringify(messages).match(FACT) ?? [];

async function run(
  rows: readonly Message[],
  state: CompactionState,
  summarise: (request: SummaryRequest) => Promise<SummaryAnswer>,
  over: { readonly onFailure?: "drop" | "leave"; readonly keep?: readonly string[]; readonly focus?: string } = {},
): Promise<CompactionOutcome> {
  const plan = planCompaction({ rows, state, limits: LIMITS, overheadTokens: OVERHEAD_TOKENS });
  if (plan === undefined) throw new Error("nothing to compact");
  return compact(
    {
      plan,
      state,
      limits: LIMITS,
      overheadTokens: OVERHEAD_TOKENS,
      now: 1000,
      today: "2026-11-21",
      keep: [],
      onFailure: "drop",
      ...over,
    },
    { summarise, redact: (text) => text.replaceAll(/sk-\w+/g, "[REDACTED]") },
  );
}

function stateOf(outcome: CompactionOutcome): CompactionState {
  expect(outcome.type).toBe("compacted");
  return outcome.state;
}

it("keeps the facts of 2,000 messages: verbatim at both ends, summarised once and in order between them", async () => {
  newConversation();
  const rows = longConversation(2000);
  const summariser = scriptedSummariser();
  const state = stateOf(await run(rows, NEVER_COMPACTED, summariser.summarise));
  const { summary } = state;
  const covered = rows.filter(({ id }) => id >= (summary?.fromId ?? 0) && id <= (summary?.toId ?? 0));
  expect(summariser.seen()).toEqual(covered.flatMap((row) => JSON.stringify(row).match(FACT) ?? []));
  expect(summariser.asked.length).toBeGreaterThan(1);
  for (const { prompt } of summariser.asked)
    expect(conversationOf(prompt).length).toBeLessThanOrEqual(LIMITS.maxInputChars);
  const messages = view(rows, state);
  const verbatim = JSON.stringify(messages);
  for (const row of rows.filter((one) => !covered.includes(one))) expect(verbatim).toContain(row.content);
  expect(new Set(facts(messages)).size).toBe(1500);
  expect(pairToolMessages(messages)).toEqual(messages);
});

it("brings the conversation well under its threshold", async () => {
  newConversation();
  const rows = longConversation(2000);
  const outcome = await run(rows, NEVER_COMPACTED, scriptedSummariser().summarise);
  if (outcome.type === "failed") throw new Error(outcome.problem);
  expect(outcome.beforeTokens).toBe(requestTokens({ rows, overheadTokens: OVERHEAD_TOKENS }));
  expect(outcome.beforeTokens).toBeGreaterThan(LIMITS.thresholdTokens);
  expect(outcome.afterTokens).toBeLessThan(LIMITS.tailTokens * 1.5 + LIMITS.maxSummaryTokens + OVERHEAD_TOKENS);
  const shown = JSON.stringify(view(rows, outcome.state)).length / 4 + OVERHEAD_TOKENS;
  expect(Math.abs(shown - outcome.afterTokens)).toBeLessThan(outcome.afterTokens * 0.2);
});

it("updates an earlier summary with what came since, again and again, and loses nothing", async () => {
  newConversation();
  const rows: Message[] = [];
  let state = NEVER_COMPACTED;
  const summariser = scriptedSummariser();
  const covered: number[] = [];
  for (let round = 0; round < 4; round++) {
    rows.push(...longConversation(800, round * 800));
    state = stateOf(await run(rows, state, summariser.summarise));
    covered.push(state.summary?.toId ?? 0);
  }
  expect(state.summary?.fromId).toBe(4);
  expect(covered).toEqual(covered.toSorted((a, b) => a - b));
  expect(new Set(covered).size).toBe(4);
  const seen = summariser.seen();
  expect(new Set(seen).size).toBe(seen.length);
  expect(summariser.asked.at(-1)?.prompt).toContain("<summary_so_far>\n## Critical Context\nFACT-");
  expect(new Set(facts(view(rows, state))).size).toBe(2400);
});

it("covers as much as was summarised when the summariser fails halfway", async () => {
  newConversation();
  const rows = longConversation(3000);
  const summariser = scriptedSummariser((count) => count === 2);
  const outcome = await run(rows, NEVER_COMPACTED, summariser.summarise, { onFailure: "leave" });
  const state = stateOf(outcome);
  expect(outcome).toMatchObject({ problem: "The summariser is down." });
  expect(state.waitUntil).toBe(601_000);
  const messages = view(rows, state);
  expect(new Set(facts(messages)).size).toBe(2250);
  expect(pairToolMessages(messages)).toEqual(messages);
});

it("leaves everything as it is when the summariser fails and there is time, and waits", async () => {
  newConversation();
  const rows = longConversation(1200);
  const outcome = await run(rows, NEVER_COMPACTED, scriptedSummariser(() => true).summarise, { onFailure: "leave" });
  expect(outcome).toEqual({
    type: "failed",
    problem: "The summariser is down.",
    state: { ...NEVER_COMPACTED, waitUntil: 601_000 },
  });
});

it("drops the middle and says so when the summariser fails and there is no time", async () => {
  newConversation();
  const rows = longConversation(1200);
  const outcome = await run(rows, NEVER_COMPACTED, scriptedSummariser(() => true).summarise);
  const state = stateOf(outcome);
  expect(state.summary?.by).toBe("nobody");
  expect(state.summary?.body).toMatch(/^## Last Dropped Turns\n\d+ earlier messages were left out/);
  expect(state).toMatchObject({ dropped: 1, waitUntil: 601_000 });
});

it("takes an answer that is no summary for a failure", async () => {
  newConversation();
  const sorry = async (): Promise<SummaryAnswer> => ({ type: "text", text: "I cannot help with that." });
  const outcome = await run(longConversation(1200), NEVER_COMPACTED, sorry, { onFailure: "leave" });
  expect(outcome).toMatchObject({ type: "failed", problem: "The summarising model answered with no summary." });
});

it("stops by itself after two compactions in a row without gain, until the conversation has grown", async () => {
  newConversation();
  const rows = longConversation(1200);
  // what a summary cannot touch is nearly everything
  const overheadTokens = 800_000;
  let state = NEVER_COMPACTED;
  for (const round of [1, 2]) {
    const plan = planCompaction({ rows, state, limits: LIMITS, overheadTokens });
    if (plan === undefined) throw new Error("nothing to compact");
    const order = { plan, state, limits: LIMITS, overheadTokens, now: 0, today: "2026-11-21", keep: [] };
    const { summarise } = scriptedSummariser();
    const outcome = await compact({ ...order, onFailure: "drop" }, { summarise, redact: (text) => text });
    state = stateOf(outcome);
    expect(state.gainless).toBe(round);
    rows.push(...longConversation(800, 1200 + 800 * round));
  }
  const question = { rowCount: rows.length, limits: LIMITS, state, now: 0 };
  const resting = state.restingTokens ?? 0;
  expect(judgeCompaction({ ...question, tokens: resting + 100 })).toEqual({ type: "leave", why: "gainless" });
  expect(judgeCompaction({ ...question, tokens: resting + 10_000 })).toMatchObject({ type: "compact" });
});

it("keeps what hooks want kept word for word, through every update", async () => {
  newConversation();
  const rows = longConversation(1200);
  const summariser = scriptedSummariser();
  let state = stateOf(await run(rows, NEVER_COMPACTED, summariser.summarise, { keep: ["The gate code is 4711."] }));
  rows.push(...longConversation(1200, 1200));
  state = stateOf(await run(rows, state, summariser.summarise, { keep: ["key sk-abc"] }));
  expect(state.summary?.kept).toEqual(["The gate code is 4711.", "key [REDACTED]"]);
  expect(JSON.stringify(view(rows, state))).toContain("The gate code is 4711.");
});

it("tells the summariser the topic that the person names, and no secrets", async () => {
  newConversation();
  const rows = [
    says("hello"),
    answers("sk-first"),
    says("x"),
    says(`the key is sk-verysecret ${FILLER}`),
    ...longConversation(1200),
  ];
  const summariser = scriptedSummariser();
  await run(rows, NEVER_COMPACTED, summariser.summarise, { focus: "the harbour" });
  const [first] = summariser.asked;
  expect(first?.prompt).toContain('"the harbour"');
  expect(first?.prompt).toContain("the key is [REDACTED]");
  expect(first?.prompt).toContain("Today is 2026-11-21.");
});

it("remembers which skills were lost, through updates", async () => {
  newConversation();
  const skill = (name: string): Message[] => [
    calls([name], { name: "skill_view", arguments: JSON.stringify({ name }) }),
    results([name], "x".repeat(6000), { name: "skill_view" }),
  ];
  const summariser = scriptedSummariser();
  const rows = [...longConversation(40), ...skill("charts"), ...longConversation(1200, 40)];
  let state = stateOf(await run(rows, NEVER_COMPACTED, summariser.summarise));
  rows.push(...skill("maps"), ...longConversation(1200, 1240));
  state = stateOf(await run(rows, state, summariser.summarise));
  const { body = "" } = state.summary ?? {};
  expect(body.match(/skill_view\(name='\w+'\)/g)).toEqual(["skill_view(name='charts')", "skill_view(name='maps')"]);
  expect(body.match(/## Pruned Skills/g)).toHaveLength(1);
});
