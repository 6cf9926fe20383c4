import { type ModelRoute, askModels } from "#src/agent/ask-models";
import { type Money, withCost } from "#src/agent/budgets/money-budget";
import { viewCompacted } from "#src/agent/compaction/view-compacted";
import { joinPieces } from "#src/agent/recovery/join-pieces";
import { boundSegment } from "#src/agent/results/bound-segment";
import { answerResultChars, resultBounds } from "#src/agent/results/result-bounds";
import { runTools } from "#src/agent/run-tools";
import { type TurnPorts, runTurn } from "#src/agent/run-turn";
import { toModelMessages } from "#src/agent/to-model-messages";
import { type TurnControl, createTurnControl } from "#src/agent/turn-control";
import { GatewayError } from "#src/domain/errors";
import type { GrowingMessage } from "#src/delivery/growing-message";
import type { Message, ToolCall, ToolResult } from "#src/domain/message";
import type { HookEventName } from "#src/domain/hook-event";
import type { TurnRecord } from "#src/domain/turn";
import { wait } from "#src/lib/abortable";
import { hashWords } from "#src/lib/hash-words";
import { firstAttempt, nextAttempt } from "#src/providers/next-attempt";
import { guardOf } from "./session-approvals";
import type { Environment } from "./environment";
import { type CompactionScene, compactConversation } from "./session-compaction";
import type { SessionCore } from "./session-core";
import { hooksOf } from "./session-hooks";
import { journalOf, noteToPerson } from "./session-journal";
import { QUESTION_TIMEOUT_MS, askPerson } from "./session-questions";
import { redactGrowing } from "./redaction";
import { systemPrompt } from "./session-prompt";
import { limitsOf, spentByNow, spentSoFar } from "./session-spending";
import { readableResults, schemaChars, spill, toolContext, toolsOf } from "./session-tools";
import { keepTyping } from "./session-typing";
import { watchStream } from "./watch-stream";

/** The turn that runs in this life of the object. */
export interface RunningTurn {
  record: TurnRecord;
  readonly control: TurnControl;
  growing: GrowingMessage | undefined;
  /** The answer under way, as far as it came. */
  text: string;
  /** Newest row that the model has been shown. */
  seenId: number;
  /** Its end is committed. */
  isOver: boolean;
  /** A tool of this turn was started: its effects stand. */
  hasRun: boolean;
  /** What comes of the answer is not shown before it is whole. */
  isHidden: boolean;
  /** Refusals of the judging model in a row. */
  refusals: number;
  /** The part of a growing answer that may be shown, without secrets. */
  showable: (whole: string) => string;
  /** Resolves when nobody is being asked for permission. */
  approving: Promise<void>;
  /** US dollars so far. */
  spent: Money;
  /** US dollars that subagents had cost before it. */
  childrenBefore: number;
  /** Who gave the latest answer. */
  answeredBy?: Pick<ModelRoute, "provider" | "model">;
  /** One word or two for `/status`. */
  doing: string;
  readonly done: Promise<void>;
}

export interface TurnRunner {
  /**
   * Starts a turn whose row is committed. `interrupted`: an earlier life had begun it. `settleMs`: more of its message
   * may be on the way, so it waits that long, or until it is woken.
   */
  start(record: TurnRecord, interrupted: boolean, settleMs: number): RunningTurn;
}

/** Runs one tool outside a conversation's turn, past the same hooks and rules. Resolves with what a model would read. */
export async function dispatchTool(
  core: SessionCore,
  record: TurnRecord,
  name: string,
  args: Readonly<Record<string, unknown>>,
  id = `dispatched_${crypto.randomUUID()}`,
): Promise<Pick<ToolResult, "content" | "isError">> {
  const turn = newRunningTurn(record, createTurnControl(), false, Promise.resolve());
  const { tools } = await turnPorts(core, turn);
  const call = { id, name, arguments: JSON.stringify(args) };
  const results: ToolResult[] = [];
  await runTools([call], new Set(), false, {
    ...tools,
    // nobody is asked outside a turn: what would need a person does not run
    guard: {
      ...tools.guard,
      approve: async () => ({ type: "denied", content: "Not run: it needs a person's approval." }),
    },
    onBegin: () => undefined,
    stopped: turn.control.stopped,
    onResults: (done) => void results.push(...done),
  });
  return results[0] ?? { content: "", isError: true };
}

function newRunningTurn(record: TurnRecord, control: TurnControl, hasRun: boolean, done: Promise<void>): RunningTurn {
  return {
    record,
    control,
    growing: undefined,
    text: "",
    seenId: 0,
    isOver: false,
    hasRun,
    isHidden: false,
    refusals: 0,
    showable: (whole) => whole,
    approving: Promise.resolve(),
    spent: { turn: 0, session: 0, day: 0 },
    childrenBefore: 0,
    doing: "thinking",
    done,
  };
}

/** Runs chat turns of one session: the ports of `runTurn` over its store, its deliveries and its watchers. */
export function openTurnRunner(core: SessionCore, onEnd: (turn: RunningTurn) => void): TurnRunner {
  return {
    start(record, interrupted, settleMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const control = createTurnControl();
      const turn = newRunningTurn(record, control, interrupted, promise);
      const work = settle(turn, settleMs)
        .then(() => run(core, turn, interrupted))
        .catch((error: unknown) => endInWords(core, turn, error))
        // not even that could be written: the row stands, and the alarm takes the turn up again
        .catch((error: unknown) => console.error(`turn ${record.id} could not be ended`, error))
        .finally(() => {
          onEnd(turn);
          resolve();
        });
      core.keepAlive(work);
      return turn;
    },
  };
}

async function settle(turn: RunningTurn, ms: number): Promise<void> {
  if (ms === 0) return;
  const over = new AbortController();
  const late = wait(ms, AbortSignal.any([over.signal, turn.control.stopped])).catch(() => undefined);
  await Promise.race([late, turn.control.waitForWake()]);
  over.abort();
}

async function run(core: SessionCore, turn: RunningTurn, interrupted: boolean): Promise<void> {
  const environment = await core.environment();
  // an earlier life's answers were given to what stood before them
  turn.seenId = core.rows().findLast((row) => row.turnId === turn.record.id && isAnswer(row))?.id ?? 0;
  if (interrupted && (await hasGivenUp(core, turn, environment.agent.maxInterruptions))) return;
  const stopTyping = keepTyping(core, turn);
  try {
    // what hooks may still change or keep back is not shown while it grows
    const mayShow = !(["response.transform", "response.display"] as const).some((event) => hears(environment, event));
    turn.isHidden = !mayShow;
    turn.growing =
      environment.streaming.enabled && mayShow && !hears(environment, "outbound.message")
        ? await core.deliveries.grow(turn.record.id, turn.record.origin, interrupted)
        : undefined;
    await runTurn(turn.record, interrupted, await turnPorts(core, turn));
  } finally {
    stopTyping();
  }
}

/** Something that the model said, and not a note or a summary beside it. */
function isAnswer({ role, kind }: Message): boolean {
  return role === "assistant" && kind !== "note" && kind !== "summary";
}

function hears(environment: Environment, event: HookEventName): boolean {
  return environment.hooks.listens(event);
}

/** Raises the count of interruptions, durably and before anything else: a turn that kills its process must not for ever. */
async function hasGivenUp(core: SessionCore, turn: RunningTurn, most: number): Promise<boolean> {
  if (turn.record.waiting !== undefined) return false; // it only waited for a person
  turn.record = { ...turn.record, interruptions: turn.record.interruptions + 1, bootId: core.bootId };
  core.store.saveTurn(turn.record);
  await core.sync();
  if (turn.record.interruptions <= most) return false;
  const content = `⚠️ I was interrupted ${turn.record.interruptions} times while working on this and stopped trying. Please ask again.`;
  journalOf(core, turn).commitEnd({ role: "assistant", kind: "notice", content }, "failed", undefined);
  return true;
}

/** Our own mistake must not leave a person without an answer: it is logged, and they are told that it happened. */
function endInWords(core: SessionCore, turn: RunningTurn, error: unknown): void {
  if (turn.isOver) return;
  console.error(`turn ${turn.record.id} failed`, error);
  const isUnset = error instanceof GatewayError && error.code === "not_configured";
  const content = isUnset
    ? `⚠️ I could not answer: ${error.message}`
    : "⚠️ Something went wrong inside me while I worked on this; the operator's log has it. Please try again.";
  journalOf(core, turn).commitEnd({ role: "assistant", kind: "notice", content }, "failed", undefined);
}

async function turnPorts(core: SessionCore, turn: RunningTurn): Promise<TurnPorts> {
  const environment = await core.environment();
  const chosen = environment.chooseModel(core.facts().model);
  const tools = toolsOf(core, environment, turn);
  let images: ReadonlyMap<string, string> = new Map();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  // models that had nothing to say are not asked again in this turn
  let firstRoute = 0;
  let routeCount = 1;
  const hooks = hooksOf(core, environment.hooks, {
    origin: turn.record.origin,
    turnId: turn.record.id,
    model: chosen.model,
  });
  const journal = journalOf(core, turn);
  const system = await systemPrompt(core, turn, tools, chosen, hooks);
  const overheadChars = system.length + schemaChars(tools);
  const view: TurnPorts["view"] = (rows) =>
    viewCompacted(rows, core.compaction(), (shown) =>
      toModelMessages(shown, { isShared: core.isShared, canSee: chosen.supportsImages, images }),
    );
  const scene = (): CompactionScene => ({
    environment,
    hooks,
    overheadChars,
    signal: turn.control.stopped,
    turnId: turn.record.id,
    notify: (notes) => noteToPerson(core, turn.record, notes),
    onUsage: ({ costUsd }) => (turn.spent = withCost(turn.spent, costUsd)),
  });
  turn.showable = redactGrowing(environment.redaction);
  turn.spent = await spentSoFar(core, turn, environment);
  turn.childrenBefore = core.store.childCosts()?.total ?? 0;
  return {
    journal,
    control: turn.control,
    hooks,
    ...sessionStartOf(core, turn),
    system,
    view,
    toolSchemas: tools,
    async prepare() {
      if (environment.isCompacting) await compactConversation(core, scene(), { trigger: "auto" });
      if (!core.rows().some((row) => row.attachments !== undefined)) return;
      await core.media.fetchFor(turn);
      images = await core.media.imagesOf(core.rows(), chosen.supportsImages);
    },
    partial: () => turn.text,
    limits: limitsOf(core, environment),
    redact: (so) => environment.redaction.text(so, "strict_url"),
    spent: () => spentByNow(core, turn),
    waitedMs: () => turn.record.waitedMs ?? 0,
    passOn() {
      const hasNext = firstRoute + 1 < routeCount;
      if (hasNext) firstRoute += 1;
      return hasNext;
    },
    waitForModel: (attempt) => wait(Math.min(5000 * 2 ** (attempt - 1), 60_000), turn.control.beginCall()),
    usageOf({ usage }) {
      if (usage === undefined) return undefined;
      const { provider, model } = turn.answeredBy ?? { provider: chosen.provider.name, model: chosen.model };
      const priced = environment.priced({ provider, model, usage });
      turn.spent = withCost(turn.spent, priced.costUsd);
      return priced;
    },
    async callModel(write, offered, before) {
      turn.doing = "thinking";
      const messages = write();
      turn.seenId = core.rows().at(-1)?.id ?? 0;
      const stream = watchStream(hooks, turn.record.id);
      const { routes, blockedUntil, overloadWaitsMs } = await environment.routesOf(core.facts().model, (pool) =>
        core.keepAlive(core.keepCredentials(pool)),
      );
      const fallbacks = routes.length - 1;
      routeCount = routes.length;
      const { maxTries, reasoningEffort } = environment.agent;
      const options = {
        maxTries,
        fallbacks,
        random: core.random,
        ...(overloadWaitsMs === undefined ? {} : { overloadWaitsMs }),
      };
      const begun = firstAttempt({
        now: core.now(),
        fallbacks,
        ...(blockedUntil === undefined ? {} : { blockedUntil }),
      });
      const outcome = await askModels(
        {
          messages,
          tools: offered,
          cacheKey: hashWords(`${core.key}#${core.facts().epoch}`),
          ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
        },
        {
          routes,
          first: { ...begun, route: Math.max(begun.route, firstRoute) },
          next: (state, failure, keysLeft) => nextAttempt(state, failure, { ...options, keysLeft }),
          async compress() {
            const { isShorter } = await compactConversation(core, scene(), { trigger: "overflow" });
            return isShorter ? write() : undefined;
          },
          onText(text) {
            const whole = joinPieces(before, text);
            stream.text(whole);
            showText(core, turn, whole);
          },
          onFailure: async (failure, attempt) => {
            if (!hooks.listens("model.error")) return;
            const { reason, message } = failure;
            await hooks.fire("model.error", { error: message, error_type: reason, status: failure.status, attempt });
          },
          signal: turn.control.beginCall(),
        },
      );
      turn.answeredBy = outcome.route;
      await stream.end(outcome.type === "answer");
      return outcome;
    },
    tools: {
      toolOf: (name) => byName.get(name),
      toolNames: [...byName.keys()],
      contextOf: (callId, signal) => ({
        ...toolContext(core, turn, environment, hooks, callId, signal),
        callTool: (name, args, number) => dispatchTool(core, turn.record, name, args, `${callId}#${number}`),
      }),
      maxParallel: environment.agent.maxParallel,
      bound: (results) =>
        boundSegment(
          readableResults(results, journal.rows(), (name) => byName.get(name), environment),
          {
            bounds: resultBounds(environment.results, chosen.metadata.contextTokens),
            usedChars: answerResultChars(journal.rows(), turn.record.id),
            ownMaxChars: (name) => byName.get(name)?.maxResultChars,
            spill: (whole) => spill(core, turn.record.id, whole),
          },
        ),
      async ask(call, question) {
        const answer = await askPerson(core, turn, call, question, { timeoutMs: QUESTION_TIMEOUT_MS });
        return answer ?? "[The person did not answer within 60 minutes.]";
      },
      isWaiting({ id }) {
        const { waiting } = turn.record;
        return waiting?.callId === id && waiting.isApproval !== true ? waiting.question : undefined;
      },
      guard: guardOf(core, turn, environment, hooks),
      onBegin: ({ id }) => journal.commitBegin(id),
      hasBegun: ({ id }) => turn.record.begunCalls?.includes(id) === true,
      onTool: (call, state) => showTool(core, turn, call, state),
      now: core.now,
    },
  };
}

/** Why a session begins with this turn: it is the conversation's first. */
function sessionStartOf(core: SessionCore, turn: RunningTurn): Pick<TurnPorts, "sessionStart"> {
  const { epoch } = core.facts();
  const isFirst = core.rows().every((row) => row.turnId >= turn.record.id || row.role !== "assistant");
  if (!isFirst || core.facts().windowFrom !== undefined) return {};
  return { sessionStart: epoch === 1 ? "startup" : "clear" };
}

function showText(core: SessionCore, turn: RunningTurn, whole: string): void {
  const text = turn.showable(whole);
  turn.text = text;
  if (turn.isHidden) return;
  core.hub.text(turn.record.id, text);
  turn.growing?.grow(text);
}

function showTool(core: SessionCore, turn: RunningTurn, call: ToolCall, state: "running" | "done" | "failed"): void {
  turn.hasRun = true;
  turn.doing = call.name;
  core.hub.tool(turn.record.id, { ...call, state });
}
