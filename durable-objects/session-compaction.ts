import { askModels } from "#src/agent/ask-models";
import { sumUsage } from "#src/agent/recovery/settle-answer";
import type { TurnHooks } from "#src/agent/turn-hooks";
import { fireIfHeard } from "#src/agent/turn-hooks";
import { clearOldResults } from "#src/agent/compaction/clear-results";
import { compact } from "#src/agent/compaction/compact";
import { NEVER_COMPACTED } from "#src/agent/compaction/compaction-state";
import { type CompactionLimits, compactionLimits } from "#src/agent/compaction/compaction-limits";
import { afterRefusal, judgeCompaction } from "#src/agent/compaction/judge-compaction";
import {
  type CompactionPlan,
  describePlan,
  planCompaction,
  summaryTokensOf,
} from "#src/agent/compaction/plan-compaction";
import { requestTokens, sumTokens } from "#src/agent/compaction/shown-tokens";
import { neededRows } from "#src/agent/compaction/view-compacted";
import type { SummaryRequest } from "#src/agent/compaction/summary-request";
import type { SummaryAnswer } from "#src/agent/compaction/compact";
import type { Message } from "#src/domain/message";
import type { StepUsage } from "#src/domain/turn";
import { firstAttempt, nextAttempt } from "#src/providers/next-attempt";
import type { Environment } from "./environment";
import type { SessionCore } from "./session-core";

/** Share of a conversation that its end keeps when somebody asks for it to become shorter. */
const ASKED_TAIL_SHARE = 0.25;

/** What a compaction is asked for by. */
export interface CompactionWish {
  /** `auto`: the conversation is long. `overflow`: the provider refused its length. `manual`: a person asked. */
  readonly trigger: "auto" | "overflow" | "manual";
  readonly focus?: string;
  /** Turns that stay as they are. */
  readonly keepTurns?: number;
}

/** What it needs beside the session. */
export interface CompactionScene {
  readonly environment: Environment;
  readonly hooks: TurnHooks;
  /** Characters of the prompt and of the tools' schemas. */
  readonly overheadChars: number;
  readonly signal: AbortSignal;
  readonly turnId?: number;
  /** Tells the person what hooks have to say. */
  readonly notify: (notes: readonly string[]) => void;
  /** Told of each call of the model that writes the summary. */
  readonly onUsage?: (usage: StepUsage) => void;
}

/** What became of it, in a sentence for a person who asked; `isShorter`: the model is shown less now. */
export interface CompactionReport {
  readonly isShorter: boolean;
  readonly sentence: string;
}

/** The plan of the next compaction in words, without carrying it out. */
export function previewCompaction(core: SessionCore, scene: CompactionScene, wish: CompactionWish): string {
  const limits = limitsOf(core, scene, wish);
  const plan = planOf(core, scene, wish, limits);
  return plan === undefined ? "There is nothing to compress yet." : describePlan(plan, limits);
}

/** Makes a conversation shorter when it has become too long, or when somebody asks for it. */
export async function compactConversation(
  core: SessionCore,
  scene: CompactionScene,
  wish: CompactionWish,
): Promise<CompactionReport> {
  const { hooks } = scene;
  const limits = limitsOf(core, scene, wish);
  const state = core.compaction();
  const rows = shownRows(core);
  const tokens = requestTokens({ rows, overheadTokens: overheadOf(scene) + summaryTokensOf(state) });
  let isUrgent = false;
  if (wish.trigger === "auto") {
    const verdict = judgeCompaction({ tokens, rowCount: rows.length, limits, state, now: core.now() });
    if (verdict.type === "leave") return { isShorter: false, sentence: "" };
    ({ isUrgent } = verdict);
  }
  const plan = planOf(core, scene, wish, limits);
  if (plan === undefined) {
    core.commit(() => core.setCompaction(afterRefusal(state, tokens, "size")));
    return { isShorter: false, sentence: "There is nothing to compress yet." };
  }
  const gate = await fireIfHeard(hooks, "compaction.pre", () => ({
    trigger: wish.trigger === "manual" ? "manual" : "auto",
    custom_instructions: wish.focus ?? "",
    pre_tokens: tokens,
    message_count: core.rows().length,
  }));
  scene.notify(gate.notes);
  if (gate.prevent !== undefined || gate.outcome === "deny" || gate.outcome === "stop") {
    core.commit(() => core.setCompaction(afterRefusal(state, tokens, "hook")));
    return {
      isShorter: false,
      sentence: gate.prevent?.reason ?? gate.reason ?? "A hook kept it from being compressed.",
    };
  }
  return carryOut(core, scene, {
    wish,
    limits,
    plan,
    tokens,
    isUrgent,
    keep: gate.context === undefined ? [] : [gate.context],
  });
}

/** Inside `commit`: what was said from a row on is taken back, and with it a summary of any of that. */
export function dropSummaryOf(core: SessionCore, fromId: number): void {
  const { summary } = core.compaction();
  if (summary !== undefined && summary.toId >= fromId) core.setCompaction(NEVER_COMPACTED);
}

interface Order {
  readonly wish: CompactionWish;
  readonly limits: CompactionLimits;
  readonly plan: CompactionPlan;
  readonly tokens: number;
  readonly keep: readonly string[];
  readonly isUrgent: boolean;
}

async function carryOut(core: SessionCore, scene: CompactionScene, order: Order): Promise<CompactionReport> {
  const { environment, hooks } = scene;
  const { wish, limits, plan, tokens } = order;
  const usages: StepUsage[] = [];
  const { epoch } = core.facts();
  const outcome = await compact(
    {
      plan,
      state: core.compaction(),
      limits,
      overheadTokens: overheadOf(scene),
      now: core.now(),
      today: new Date(core.now()).toISOString().slice(0, 10),
      keep: order.keep,
      ...(wish.focus === undefined ? {} : { focus: wish.focus }),
      // what a provider refuses for its length has to become shorter, whoever writes the summary
      onFailure: wish.trigger === "overflow" || order.isUrgent ? "drop" : "leave",
    },
    { summarise: (request) => summarise(core, scene, request, usages), redact: environment.redact },
  );
  const told = hooks.tell(
    outcome.type === "failed"
      ? []
      : [
          {
            event: "compaction.post",
            data: {
              trigger: wish.trigger === "manual" ? "manual" : "auto",
              compact_summary: outcome.summary.body,
              old_session_id: core.key,
              in_place: true,
              compression_count: core.rows().filter((row) => row.kind === "summary").length + 1,
              pre_tokens: tokens,
              post_tokens: outcome.afterTokens,
            },
          },
        ],
  );
  // the summary took a while: it may be of a conversation that was left meanwhile
  if (core.facts().epoch !== epoch) return { isShorter: false, sentence: "A new conversation has begun meanwhile." };
  core.commit(() => {
    core.observers.owe(told.owed);
    // the summary stands in the transcript where it was made, with what it cost; so does one that came to nothing
    const usage = sumOf(usages);
    if (outcome.type === "compacted") {
      core.append({ role: "assistant", kind: "summary", content: outcome.summary.body }, scene.turnId, usage);
    } else if (usage !== undefined) {
      const content = `The conversation could not be compressed: ${outcome.problem}`;
      core.append({ role: "assistant", kind: "note", content }, scene.turnId, usage);
    }
    core.setCompaction(outcome.state);
  });
  await told.call();
  if (outcome.type === "failed")
    return { isShorter: false, sentence: `It could not be compressed: ${outcome.problem}` };
  const sentence = `Compressed from about ${outcome.beforeTokens} to ${outcome.afterTokens} tokens; ${plan.middle.length} messages became a summary.`;
  return { isShorter: true, sentence: outcome.problem === undefined ? sentence : `${sentence} ${outcome.problem}` };
}

function planOf(
  core: SessionCore,
  scene: CompactionScene,
  wish: CompactionWish,
  limits: CompactionLimits,
): CompactionPlan | undefined {
  return planCompaction({
    rows: core.rows(),
    state: core.compaction(),
    limits,
    overheadTokens: overheadOf(scene),
    ...(wish.keepTurns === undefined ? {} : { keepTurns: wish.keepTurns }),
  });
}

/** Rows as the model would be shown them: a running turn keeps its own, though a summary covers them. */
function shownRows(core: SessionCore): readonly Message[] {
  const state = core.compaction();
  return clearOldResults(neededRows(core.rows(), state), state.clearedTo ?? 0);
}

function limitsOf(core: SessionCore, scene: CompactionScene, { trigger }: CompactionWish): CompactionLimits {
  const { chooseModel, compaction } = scene.environment;
  const { model, metadata } = chooseModel(core.facts().model);
  // the operator's number is of the conversation alone: a long prompt must not have it compacted all the time
  const thresholdTokens = compaction.thresholdTokens === 0 ? 0 : compaction.thresholdTokens + overheadOf(scene);
  const { contextTokens, maxOutputTokens } = metadata;
  const limits = compactionLimits({ ...compaction, thresholdTokens }, { name: model, contextTokens, maxOutputTokens });
  if (trigger === "auto") return limits;
  // it has to become shorter than it is, however much room the settings would give its end
  const most = Math.floor(sumTokens(shownRows(core)) * ASKED_TAIL_SHARE);
  return { ...limits, tailTokens: Math.min(limits.tailTokens, most) };
}

function overheadOf({ overheadChars }: CompactionScene): number {
  return Math.ceil(overheadChars / 4);
}

/** Asks the model that writes summaries, retries and other models included. */
async function summarise(
  core: SessionCore,
  { environment, signal, onUsage }: CompactionScene,
  { system, prompt, maxOutputTokens }: SummaryRequest,
  usages: StepUsage[],
): Promise<SummaryAnswer> {
  const model = environment.summaryModel ?? core.facts().model;
  const { routes } = await environment.routesOf(model, (pool) => core.keepAlive(core.keepCredentials(pool)));
  const options = { maxTries: environment.agent.maxTries, fallbacks: routes.length - 1, random: core.random };
  const asked = await askModels(
    {
      messages: [
        { role: "system", content: system },
        { role: "user", content: prompt },
      ],
      tools: [],
      maxOutputTokens,
    },
    {
      routes,
      first: firstAttempt({ now: core.now(), fallbacks: routes.length - 1 }),
      next: (state, failure, keysLeft) => nextAttempt(state, failure, { ...options, keysLeft }),
      compress: async () => undefined,
      onText: () => undefined,
      signal,
    },
  );
  if (asked.type === "failed") return { type: "failed", message: asked.failure.message };
  const { text, usage } = asked.answer;
  if (usage !== undefined) {
    const { provider, model: name } = asked.route;
    const priced = environment.priced({ provider, model: name, usage });
    usages.push(priced);
    onUsage?.(priced);
  }
  return text.trim() === "" ? { type: "failed", message: "The model wrote no summary." } : { type: "text", text };
}

/** What several calls used and cost together, on the account of the first one's model. */
function sumOf(usages: readonly StepUsage[]): StepUsage | undefined {
  const [first] = usages;
  if (first === undefined) return undefined;
  const costs = usages.flatMap(({ costUsd }) => (costUsd === undefined ? [] : [costUsd]));
  return {
    provider: first.provider,
    model: first.model,
    usage: sumUsage(usages.map(({ usage }) => usage)),
    ...(costs.length === 0 ? {} : { costUsd: costs.reduce((sum, usd) => sum + usd, 0) }),
  };
}
