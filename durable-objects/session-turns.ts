import { boundResult } from "#src/agent/bound-result";
import { buildPrompt } from "#src/agent/build-prompt";
import { callModel } from "#src/agent/call-model";
import { type TurnPorts, runTurn } from "#src/agent/run-turn";
import { toModelMessages } from "#src/agent/to-model-messages";
import { type TurnControl, createTurnControl } from "#src/agent/turn-control";
import { GatewayError } from "#src/domain/errors";
import type { GrowingMessage } from "#src/delivery/growing-message";
import type { Message, ToolCall, ToolResult } from "#src/domain/message";
import type { AnyTool, Question, ToolContext } from "#src/domain/tool";
import type { Journal, TurnRecord, Waiting } from "#src/domain/turn";
import { abortable, wait } from "#src/lib/abortable";
import { utf8 } from "#src/lib/encoding";
import { liveQuestion, questionMarkdown, choiceValue } from "./session-accept";
import { fetcher } from "./environment";
import type { SessionCore } from "./session-core";
import { extractMedia } from "#src/delivery/extract-media";
import { resultsMessage } from "./session-store";
import { keepTyping } from "./session-typing";

/** Milliseconds that a question waits for its answer. */
const QUESTION_TIMEOUT_MS = 60 * 60_000;

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

/** Runs chat turns of one session: the ports of `runTurn` over its store, its deliveries and its watchers. */
export function openTurnRunner(core: SessionCore, onEnd: (turn: RunningTurn) => void): TurnRunner {
  return {
    start(record, interrupted, settleMs) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const control = createTurnControl();
      const turn: RunningTurn = {
        record,
        control,
        growing: undefined,
        text: "",
        seenId: 0,
        isOver: false,
        hasRun: interrupted,
        doing: "thinking",
        done: promise,
      };
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
  turn.seenId = core.rows().findLast((row) => row.turnId === turn.record.id && row.role === "assistant")?.id ?? 0;
  if (interrupted && (await hasGivenUp(core, turn, environment.agent.maxInterruptions))) return;
  const stopTyping = keepTyping(core, turn);
  try {
    turn.growing = environment.streaming.enabled
      ? await core.deliveries.grow(turn.record.id, turn.record.origin, interrupted)
      : undefined;
    await runTurn(turn.record, interrupted, await turnPorts(core, turn));
  } finally {
    stopTyping();
  }
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
  const tools = environment.toolsFor(turn.record.origin.platform);
  let images: ReadonlyMap<string, string> = new Map();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let usedChars = 0;
  return {
    journal: journalOf(core, turn),
    control: turn.control,
    system: await systemPrompt(core, turn, tools),
    view: (rows) => toModelMessages(rows, { isShared: core.isShared, canSee: chosen.supportsImages, images }),
    toolSchemas: tools,
    async prepare() {
      if (!core.rows().some((row) => row.attachments !== undefined)) return;
      await core.media.fetchFor(turn);
      images = await core.media.imagesOf(core.rows(), chosen.supportsImages);
    },
    partial: () => turn.text,
    maxSteps: environment.agent.maxSteps,
    usageOf: (answer) =>
      answer.usage === undefined
        ? undefined
        : { provider: chosen.provider.name, model: chosen.model, usage: answer.usage },
    async callModel(messages, offered) {
      turn.doing = "thinking";
      turn.seenId = core.rows().at(-1)?.id ?? 0;
      const request = { model: chosen.model, messages, tools: offered };
      const { requestTimeoutMs, stallTimeoutMs, maxTries } = environment.agent;
      return callModel(request, {
        stream: (asked, signal) =>
          chosen.provider.stream(asked, chosen.connection, {
            fetch: fetcher,
            signal,
            requestTimeoutMs,
            stallTimeoutMs,
          }),
        onText: (text) => showText(core, turn, text),
        signal: turn.control.beginCall(),
        maxTries,
        random: core.random,
      });
    },
    tools: {
      toolOf: (name) => byName.get(name),
      toolNames: [...byName.keys()],
      contextOf: (callKey, signal) => toolContext(core, turn, callKey, signal),
      maxParallel: environment.agent.maxParallel,
      async bound(result, tool) {
        const bounds = {
          ...environment.results,
          ...(tool?.maxResultChars === undefined ? {} : { maxChars: tool.maxResultChars }),
        };
        const bounded = await boundResult(result, bounds, usedChars, (whole) => spill(core, turn.record.id, whole));
        usedChars += bounded.content.length;
        return bounded;
      },
      ask: (call, question) => ask(core, turn, call, question),
      isWaiting: (call) => (turn.record.waiting?.callId === call.id ? turn.record.waiting.question : undefined),
      onTool: (call, state) => showTool(core, turn, call, state),
      now: core.now,
    },
  };
}

function showText(core: SessionCore, turn: RunningTurn, text: string): void {
  turn.text = text;
  core.hub.text(turn.record.id, text);
  turn.growing?.grow(text);
}

function showTool(core: SessionCore, turn: RunningTurn, call: ToolCall, state: "running" | "done" | "failed"): void {
  turn.hasRun = true;
  turn.doing = call.name;
  core.hub.tool(turn.record.id, { ...call, state });
}

function toolContext(core: SessionCore, turn: RunningTurn, callId: string, signal: AbortSignal): ToolContext {
  return {
    // ids are unique within a conversation as the model wrote them; the turn makes them unique for ever
    callKey: `${core.key}#${turn.record.id}#${callId}`,
    sessionKey: core.key,
    signal,
    now: core.now,
    workspace: core.workspace(),
    memory: core.memory(),
    todos: { read: () => core.store.todos(), write: (items) => core.store.setTodos(items) },
  };
}

async function spill(core: SessionCore, turnId: number, result: ToolResult): Promise<string> {
  // ids of calls may come again in another turn
  const name = `${turnId}-${result.callId.replaceAll(/[^\w-]/g, "_")}`;
  const path = `/workspace/.talaria/results/${name}.txt`;
  await core.workspace().writeFile(path, utf8(result.content), `${core.key}#spill#${name}`);
  return path;
}

/** The conversation's prompt: written once, then the same bytes until the next conversation. */
async function systemPrompt(core: SessionCore, turn: RunningTurn, tools: readonly AnyTool[]): Promise<string> {
  const { epoch, epochStartedAt } = core.facts();
  const kept = core.store.prompt(epoch);
  if (kept !== undefined) return kept;
  const environment = await core.environment();
  const memory = core.memory();
  const [notes, person] = await Promise.all([memory.read("memory"), memory.read("user")]);
  const hint = environment.adapterOf(turn.record.origin.platform)?.promptHint;
  const text = buildPrompt({
    persona: environment.agent.persona,
    toolNames: tools.map((tool) => tool.name),
    ...(hint === undefined ? {} : { platformHint: hint }),
    memory: notes,
    user: person,
    startedAt: epochStartedAt,
    timeZone: environment.timeZone,
    platform: turn.record.origin.platform,
  });
  core.store.setPrompt(epoch, text);
  return text;
}

/** Parks the turn: the question is committed with what is owed to the platform, and so is its answer when it comes. */
async function ask(core: SessionCore, turn: RunningTurn, call: ToolCall, question: Question): Promise<string> {
  const journal = journalOf(core, turn);
  turn.doing = "waiting for an answer";
  if (turn.record.waiting?.callId !== call.id) {
    const askedAt = core.now();
    journal.commitWaiting({ callId: call.id, question, askedAt, expiresAt: askedAt + QUESTION_TIMEOUT_MS });
    if (turn.growing?.record() !== undefined) {
      turn.growing = await core.deliveries.grow(turn.record.id, turn.record.origin, false);
    }
  }
  core.hub.question(
    turn.record.id,
    turn.record.waiting === undefined ? undefined : liveQuestion(turn.record.id, turn.record.waiting),
  );
  try {
    for (;;) {
      const { waiting } = turn.record;
      if (waiting?.answer !== undefined) return waiting.answer;
      if (waiting === undefined || core.now() >= waiting.expiresAt)
        return "[The person did not answer within 60 minutes.]";
      await abortable(turn.control.waitForWake(), turn.control.stopped);
    }
  } finally {
    core.hub.question(turn.record.id, undefined);
  }
}

/** The journal of one turn over the session's store. */
function journalOf(core: SessionCore, turn: RunningTurn): Journal {
  const { store, hub } = core;
  const turnId = turn.record.id;

  function unseen(): readonly Message[] {
    return core
      .rows()
      .filter((row) => row.turnId === turnId && row.role === "user" && row.kind !== "answer" && row.id > turn.seenId);
  }

  /** Appends a row; what a person wrote meanwhile moves behind it, for the model has not read it yet. */
  function append(message: Parameters<Journal["commitStep"]>[0], usage: Parameters<Journal["commitStep"]>[1]): Message {
    const late = unseen();
    const row = core.append(message, turnId, usage);
    for (const old of late) core.moveToEnd(old);
    if (late.length > 0) turn.seenId = row.id;
    return row;
  }

  return {
    rows() {
      const rows = core.rows();
      // what waits for its own turn is not said yet
      return rows.some((row) => row.turnId > turnId) ? rows.filter((row) => row.turnId <= turnId) : rows;
    },
    commitStep(message, usage) {
      const row = core.commit(() => append(message, usage));
      turn.text = "";
      hub.message(row);
      return row;
    },
    commitResults(results) {
      const row = core.commit(() => {
        if (turn.record.waiting !== undefined) saveWaiting(core, turn, undefined);
        return append(resultsMessage(results), undefined);
      });
      hub.message(row);
    },
    commitWaiting(waiting) {
      const { origin } = turn.record;
      core.commit(() => {
        saveWaiting(core, turn, waiting);
        if (waiting === undefined || !core.isMessenger(origin)) return;
        // what has been shown of an answer stays as it is: the question is a message of its own, and so is what follows
        if (turn.growing?.record() !== undefined)
          core.deliveries.owe({ turnId, origin, text: shownSoFar(core, turnId) }, turn.growing);
        const buttons = waiting.question.choices.map((label, index) => ({ label, value: choiceValue(turnId, index) }));
        const question = { turnId, origin, text: questionMarkdown(waiting), isOwn: true };
        core.deliveries.owe(buttons.length === 0 ? question : { ...question, buttons });
      });
      core.arm();
      core.deliveries.pump();
    },
    commitEnd(message, end, usage) {
      if (end === "answered" && unseen().length > 0) return false;
      const row = core.commit(() => {
        const committed = core.append(message, turnId, usage);
        store.removeTurn(turnId);
        if (core.isMessenger(turn.record.origin)) oweAnswer(core, turn, message.content);
        return committed;
      });
      turn.isOver = true;
      hub.message(row);
      hub.turnEnded(turnId);
      core.deliveries.pump();
      return true;
    },
  };
}

/** Whole answers that mean "say nothing": kept, and sent to nobody when no person asked. */
const SILENCE = /^\s*(\[SILENT\]|SILENT|NO_REPLY|NO REPLY)\s*$/i;

function oweAnswer(core: SessionCore, turn: RunningTurn, content: string): void {
  const { id, origin } = turn.record;
  if (SILENCE.test(content) && !core.isPersonal) return;
  const { text: words, files } = extractMedia(content);
  const text = words === "" ? files.map((path) => `📎 ${path.slice(path.lastIndexOf("/") + 1)}`).join("\n") : words;
  core.deliveries.owe({ turnId: id, origin, text, ...(files.length === 0 ? {} : { files }) }, turn.growing);
}

/** The words that the turn's last step came with. */
function shownSoFar(core: SessionCore, turnId: number): string {
  return core.rows().findLast((row) => row.turnId === turnId && row.role === "assistant")?.content ?? "";
}

function saveWaiting(core: SessionCore, turn: RunningTurn, waiting: Waiting | undefined): void {
  const { waiting: _before, ...rest } = turn.record;
  turn.record = waiting === undefined ? rest : { ...rest, waiting };
  core.store.saveTurn(turn.record);
}
