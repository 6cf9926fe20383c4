import type { Message } from "#src/domain/message";
import { skillNames } from "./clear-results";
import type { CompactionLimits } from "./compaction-limits";
import type { CompactionState, ConversationSummary } from "./compaction-state";
import { droppedSummary } from "./dropped-summary";
import { afterCompaction, afterFailure } from "./judge-compaction";
import { type CompactionPlan, remainingTokens, summaryTokensOf } from "./plan-compaction";
import { shownTokens } from "./shown-tokens";
import { type SummaryRequest, summaryRequest } from "./summary-request";
import { joinKept, readSummary } from "./summary-text";
import { type TranscriptChunk, writeTranscript } from "./write-transcript";

/** What a summariser says. */
export type SummaryAnswer =
  | { readonly type: "text"; readonly text: string }
  /** `message` is one sentence for a person. */
  | { readonly type: "failed"; readonly message: string };

export interface CompactionPorts {
  /** Asks the summarising model once, retries and time limits included. Never throws but the signal's reason. */
  readonly summarise: (request: SummaryRequest) => Promise<SummaryAnswer>;
  /** Takes secrets out of a text. */
  readonly redact: (text: string) => string;
}

export interface CompactionOrder {
  readonly plan: CompactionPlan;
  readonly state: CompactionState;
  readonly limits: CompactionLimits;
  readonly overheadTokens: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** `2026-11-21`, in the person's time zone. */
  readonly today: string;
  /** What hooks want kept. */
  readonly keep: readonly string[];
  /** The topic that `/compress <focus>` names. */
  readonly focus?: string;
  /** When no model writes the summary: drop what it should have covered, or leave everything as it is. */
  readonly onFailure: "drop" | "leave";
  readonly tokensOf?: (row: Message) => number;
}

/** What a compaction came to. `state` is to be committed in any case. */
export type CompactionOutcome =
  | {
      readonly type: "compacted";
      readonly state: CompactionState;
      readonly summary: ConversationSummary;
      readonly beforeTokens: number;
      readonly afterTokens: number;
      /** Why no model wrote the summary, or not all of it. */
      readonly problem?: string;
    }
  | { readonly type: "failed"; readonly state: CompactionState; readonly problem: string };

/** Requests to the summariser that one compaction makes; what is left over is for the next one. */
const MAX_REQUESTS = 28;
const MAX_SKILLS = 20;

/**
 * Carries a plan out: has the middle summarised piece by piece, each on top of what was before it, and makes the state
 * in which the summary stands for it. What was summarised before a failure is not lost: the summary then covers that
 * much.
 */
export async function compact(given: CompactionOrder, ports: CompactionPorts): Promise<CompactionOutcome> {
  const order = { ...given, keep: given.keep.map(ports.redact) };
  const { plan, state, limits } = order;
  const chunks = writeTranscript(plan.middle, limits.maxInputChars, ports.redact).slice(0, MAX_REQUESTS);
  const written = await summariseAll(chunks, order, ports);
  if (written.body !== undefined) {
    const { body, toId, problem } = written;
    return settle(order, summaryOf(order, { body, toId, by: "model" }), problem);
  }
  const { problem = "The conversation has nothing to be summarised." } = written;
  if (order.onFailure === "leave") return { type: "failed", state: afterFailure(state, order.now), problem };
  const body = droppedSummary(plan.middle, state.summary?.body, ports.redact);
  const toId = plan.middle.at(-1)?.id ?? 0;
  return settle(order, summaryOf(order, { body, toId, by: "nobody" }), problem);
}

interface Written {
  readonly body?: string;
  readonly toId: number;
  readonly problem?: string;
}

async function summariseAll(
  chunks: readonly TranscriptChunk[],
  order: CompactionOrder,
  ports: CompactionPorts,
): Promise<Written> {
  const { state, limits, today, focus } = order;
  let written: Written = { toId: 0 };
  for (const chunk of chunks) {
    const earlier = written.body ?? state.summary?.body;
    const request = summaryRequest({
      transcript: chunk.text,
      ...(earlier === undefined ? {} : { earlier }),
      ...(focus === undefined ? {} : { focus }),
      keep: order.keep,
      today,
      maxSummaryTokens: limits.maxSummaryTokens,
    });
    const answer = await ports.summarise(request);
    if (answer.type === "failed") return { ...written, problem: answer.message };
    const body = readSummary(answer.text, limits.maxSummaryTokens);
    if (body === undefined) return { ...written, problem: "The summarising model answered with no summary." };
    written = { body: ports.redact(body), toId: chunk.toId };
  }
  return written;
}

function summaryOf(
  { plan, state, keep }: CompactionOrder,
  written: { readonly body: string; readonly toId: number; readonly by: ConversationSummary["by"] },
): ConversationSummary {
  const { body, toId, by } = written;
  const covered = plan.middle.filter((row) => row.id <= toId);
  return {
    fromId: state.summary?.fromId ?? covered[0]?.id ?? toId,
    toId,
    shownIds: plan.shown.map((row) => row.id).filter((id) => id <= toId),
    body: withSkills(body, [...skillsIn(state.summary?.body ?? ""), ...skillNames(covered).values()]),
    kept: joinKept(state.summary?.kept ?? [], keep),
    by,
  };
}

const SKILLS_HEADING = "## Pruned Skills";

/** Adds the skills whose text the summary took away, so that the agent knows to load them again. */
function withSkills(body: string, names: readonly string[]): string {
  const at = body.indexOf(SKILLS_HEADING);
  const own = at === -1 ? body : body.slice(0, at).trimEnd();
  const all = [...new Set(names)].slice(-MAX_SKILLS);
  if (all.length === 0) return own;
  const lines = all.map((name) => `- skill_view(name='${name}')`);
  return `${own}\n\n${SKILLS_HEADING}\nTheir text is gone from view; load what is still needed again:\n${lines.join("\n")}`;
}

function skillsIn(body: string): readonly string[] {
  const at = body.indexOf(SKILLS_HEADING);
  return at === -1
    ? []
    : Array.from(body.slice(at).matchAll(/skill_view\(name='([\w./-]+)'\)/g), ([, name]) => name ?? "");
}

function settle(order: CompactionOrder, summary: ConversationSummary, problem: string | undefined): CompactionOutcome {
  const { plan, state, overheadTokens, tokensOf = shownTokens } = order;
  const { beforeTokens, clearedTo } = plan;
  const uncovered = plan.middle.filter((row) => row.id > summary.toId);
  const left = remainingTokens({ ...plan, tail: [...uncovered, ...plan.tail] }, overheadTokens, tokensOf);
  const afterTokens = left + summaryTokensOf({ summary });
  const next = afterCompaction(problem === undefined ? state : afterFailure(state, order.now), {
    summary,
    ...(clearedTo === undefined ? {} : { clearedTo }),
    beforeTokens,
    afterTokens,
    isDropped: summary.by === "nobody",
    hasProblem: problem !== undefined,
  });
  return {
    type: "compacted",
    state: next,
    summary,
    beforeTokens,
    afterTokens,
    ...(problem === undefined ? {} : { problem }),
  };
}
