import type { HookFields } from "#src/domain/hook-event";
import type { Message, ToolCall, ToolResult } from "#src/domain/message";
import type { ModelFailure, ModelMessage, ToolSchema } from "#src/domain/provider";
import type { Journal, NewMessage, StepUsage, TurnEnd, TurnRecord } from "#src/domain/turn";
import type { ModelAnswer, ModelOutcome } from "./call-model";
import { explainFailure } from "./explain-failure";
import { distinctCalls } from "./distinct-calls";
import type { Money } from "./budgets/money-budget";
import { openLoopGuard } from "./guardrails/loop-guard";
import { passModelGate } from "./model-gate";
import { isSaid, newWords } from "./new-words";
import { pairToolMessages } from "./pair-tools";
import { type TurnBeginning, prepareWords } from "./prepare-words";
import { answerContext } from "./recovery/answer-context";
import { type SettledAnswer, settleAnswer } from "./recovery/settle-answer";
import { fileMutations, mutationFooter } from "./results/file-mutations";
import { MAX_CALLS_PER_ANSWER, runTools, type ToolPorts } from "./run-tools";
import { type TurnLimits, judgeBounds } from "./turn-bounds";
import { type TurnControl, REDIRECTED, STOPPED } from "./turn-control";
import { type TurnHooks, fireIfHeard } from "./turn-hooks";

/** Everything a turn needs of the world. */
export interface TurnPorts {
  readonly journal: Journal;
  readonly control: TurnControl;
  readonly hooks: TurnHooks;
  /** The system prompt: the same bytes for the whole conversation. */
  readonly system: string;
  /** Rows as the model reads them, pictures included. */
  readonly view: (rows: readonly Message[]) => readonly ModelMessage[];
  readonly toolSchemas: readonly ToolSchema[];
  readonly tools: Omit<ToolPorts, "stopped" | "onResults">;
  /** Asks the model, retries included. @throws the control's reason */
  readonly callModel: (
    /** Writes the request: once it is asked, and again when the conversation has become shorter. */
    write: () => readonly ModelMessage[],
    tools: readonly ToolSchema[],
    /** What stands of the answer already, for whoever shows it while it grows. */
    before: string,
  ) => Promise<ModelOutcome>;
  /** Goes on with the next model, because this one has nothing to say; false when there is none. */
  readonly passOn: () => boolean;
  /** Waits before a model that said nothing is asked again. @throws the control's reason */
  readonly waitForModel: (attempt: number) => Promise<void>;
  readonly usageOf: (answer: ModelAnswer) => StepUsage | undefined;
  /** Gets ready what the rows bring along, before each model call. */
  readonly prepare?: () => Promise<void>;
  /** What the person has seen of the answer under way. */
  readonly partial: () => string;
  readonly limits: TurnLimits;
  /** Takes secrets out of what the agent says. */
  readonly redact: (text: string) => string;
  /** US dollars so far. */
  readonly spent: () => Money;
  /** Milliseconds that a person was waited for. */
  readonly waitedMs: () => number;
  /** Why a session begins with this turn, when it does. */
  readonly sessionStart?: TurnBeginning["sessionStart"];
}

/**
 * Runs one turn until its answer is committed. Everything it has to know stands in the journal, so it can be called
 * again after a crash, with `interrupted`, and goes on from the last committed step.
 */
export async function runTurn(turn: TurnRecord, interrupted: boolean, ports: TurnPorts): Promise<TurnEnd> {
  let mayHaveRun = interrupted;
  const prepared = new Set<number>();
  for (;;) {
    const denied = await prepareNewWords(turn, prepared, ports);
    if (denied !== undefined) return denied;
    await getReady(ports);
    // what was said meanwhile has to pass the hooks too
    if (newWords(turn, prepared, ports.journal.rows(), ports.hooks).length > 0) continue;
    const rows = ports.journal.rows();
    const open = openCalls(rows, turn.id);
    if (open !== undefined) {
      await runOpenCalls(turn.id, open, mayHaveRun, ports);
      mayHaveRun = false;
      await fireIfHeard(ports.hooks, "turn.step", () => ({
        iteration: stepsOf(rows, turn.id),
        tool_names: open.calls.map((call) => call.name),
      }));
      continue;
    }
    mayHaveRun = false;
    if (ports.control.stopped.aborted) {
      return end(turn, ports, stoppedMessage(ports.control.stopWords() ?? ports.partial()), "stopped");
    }
    const finished = await step(turn, rows, prepared, ports);
    if (finished !== undefined) return finished;
  }
}

/** Takes what a person has said, and no hook has seen, past the hooks; ends the turn when they refuse its first words. */
async function prepareNewWords(
  turn: TurnRecord,
  prepared: Set<number>,
  ports: TurnPorts,
): Promise<TurnEnd | undefined> {
  const { hooks, journal } = ports;
  const first = journal.rows().find((row) => row.turnId === turn.id && isSaid(row))?.id;
  for (const row of newWords(turn, prepared, journal.rows(), hooks)) {
    prepared.add(row.id);
    const beginning = row.id === first ? beginningOf(ports) : undefined;
    const outcome = await prepareWords(row, hooks, ports.tools.guard.notify, beginning);
    if (outcome.type === "ready") {
      journal.commitPrepared([outcome.words]);
      continue;
    }
    // what ends the turn leaves the words as they were said
    if (outcome.type === "denied") journal.commitPrepared([{ id: row.id, content: "" }]);
    if (row.id === first) return end(turn, ports, notice(outcome.reason), "stopped");
    ports.tools.guard.notify([outcome.reason]);
  }
  return undefined;
}

/** Gets ready what the rows bring along. What a stop cuts off is not missed any more. */
async function getReady({ control, prepare }: TurnPorts): Promise<void> {
  if (control.stopped.aborted) return;
  await prepare?.().catch((reason: unknown) => {
    if (reason !== STOPPED) throw reason;
  });
}

function beginningOf(ports: TurnPorts): TurnBeginning {
  return {
    ...(ports.sessionStart === undefined ? {} : { sessionStart: ports.sessionStart }),
    toolCount: ports.toolSchemas.length,
    history: () => ports.view(ports.journal.rows()),
  };
}

/** One model answer and what follows from it; undefined when the turn goes on. */
async function step(
  turn: TurnRecord,
  rows: readonly Message[],
  prepared: ReadonlySet<number>,
  ports: TurnPorts,
): Promise<TurnEnd | undefined> {
  const { limits, tools } = ports;
  const bounds = judgeBounds({
    turn,
    rows,
    limits,
    spent: ports.spent(),
    now: tools.now(),
    waitedMs: ports.waitedMs(),
    isReadOnly: (name) => tools.toolOf(name)?.effect === "safe",
  });
  if (bounds.type === "over") return end(turn, ports, notice(bounds.sentence), "failed");
  const write = (): readonly ModelMessage[] => [
    ...requestMessages(turn, ports.journal.rows(), ports),
    ...(bounds.type === "sum_up" ? [{ role: "user" as const, content: bounds.request }] : []),
  ];
  const schemas = bounds.type === "sum_up" ? [] : ports.toolSchemas;
  const gate = await passModelGate(ports.hooks, ports.tools.guard.notify, () => ({
    system: ports.system,
    messages: write(),
    tools: schemas,
    callIndex: stepsOf(rows, turn.id),
  }));
  if ("refusal" in gate) return end(turn, ports, notice(gate.refusal), "stopped");
  // what was said while the hooks looked has to pass them first
  if (newWords(turn, prepared, ports.journal.rows(), ports.hooks).length > 0) return undefined;
  let settled: SettledAnswer;
  try {
    settled = await settleAnswer({
      context: answerContext(
        rows,
        turn.id,
        schemas.map((tool) => tool.name),
      ),
      ask: (behind, before) => ports.callModel(() => [...gate.add(write()), ...behind], schemas, before),
      wait: (attempt) => ports.waitForModel(attempt),
      passOn: () => ports.passOn(),
    });
  } catch (reason) {
    if (reason === REDIRECTED || reason === STOPPED) return undefined;
    throw reason;
  }
  if (settled.type === "failed") {
    const { failure, usage } = settled;
    const spent = usage === undefined ? undefined : ports.usageOf({ text: "", toolCalls: [], finish: "stop", usage });
    return end(turn, ports, failedMessage(failure), "failed", spent);
  }
  return act(turn, settled, rows, ports);
}

/** Does what an answer says: runs its calls, or ends the turn with its words. */
async function act(
  turn: TurnRecord,
  { answer: given, refused }: Extract<SettledAnswer, { type: "answer" }>,
  rows: readonly Message[],
  ports: TurnPorts,
): Promise<TurnEnd | undefined> {
  const answer = { ...given, text: ports.redact(given.text) };
  await fireIfHeard(ports.hooks, "model.post", () => ({
    response_text: answer.text,
    tool_calls: answer.toolCalls.map(({ id, name }) => ({ id, name })),
    finish_reason: answer.finish,
    usage: answer.usage === undefined ? null : { ...answer.usage },
  }));
  if (answer.toolCalls.length === 0) return finish(turn, answer, rows, ports);
  // one call too many is kept: its result tells the model that it asked for too much
  const toolCalls = distinctCalls(answer.toolCalls.slice(0, MAX_CALLS_PER_ANSWER + 1), rows);
  ports.journal.commitStep({ ...wordsOf(answer), toolCalls }, ports.usageOf(answer));
  const kept = refused.flatMap((result) => {
    // a call may have got another id, or been one too many
    const callId = toolCalls[answer.toolCalls.findIndex((call) => call.id === result.callId)]?.id;
    return callId === undefined ? [] : [{ ...result, callId }];
  });
  if (kept.length > 0) ports.journal.commitResults(kept);
  return undefined;
}

/** The last words of a turn: the hooks may have it go on, or say it otherwise. */
async function finish(
  turn: TurnRecord,
  answer: ModelAnswer,
  rows: readonly Message[],
  ports: TurnPorts,
): Promise<TurnEnd | undefined> {
  const usage = ports.usageOf(answer);
  const objection = await objectionTo(turn, answer, rows, ports);
  if (objection !== undefined) {
    ports.journal.commitKeptGoing(wordsOf(answer), objection, usage);
    return undefined;
  }
  const said = await fireIfHeard(ports.hooks, "response.transform", () => ({ response_text: answer.text }));
  ports.tools.guard.notify(said.notes);
  const footer = mutationFooter(fileMutations(rows, turn.id, ports.tools.toolOf));
  const text = [said.text ?? answer.text, ...(footer === undefined ? [] : [footer])].join("\n\n");
  const words = text === answer.text ? answer : { ...answer, text: ports.redact(text) };
  const shown = await fireIfHeard(ports.hooks, "response.display", () => ({
    message_id: String(turn.id),
    index: 0,
    final: true,
    delta: words.text,
  }));
  const display = shown.text === undefined ? {} : { display: shown.text };
  const ended = await end(turn, ports, { ...wordsOf(words), ...display }, "answered", usage);
  if (ended !== undefined) return ended;
  // a person wrote while the last words came in: the one answer to come has to say what these said, and more
  ports.journal.commitStep({ ...wordsOf(words), kind: "partial" }, usage);
  return undefined;
}

/** What a hook says against the turn's end, if any does. */
async function objectionTo(
  turn: TurnRecord,
  answer: ModelAnswer,
  rows: readonly Message[],
  ports: TurnPorts,
): Promise<string | undefined> {
  const own = rows.filter((row) => row.turnId === turn.id);
  const since = own.slice(own.findLastIndex(isSaid) + 1);
  const attempt = since.filter((row) => row.kind === "hook").length;
  const data = (): HookFields => ({
    response: answer.text,
    tool_names: own.flatMap((row) => (row.toolCalls ?? []).map((call) => call.name)),
    changed_paths: [...fileMutations(own, turn.id, ports.tools.toolOf).changed],
    stop_hook_active: attempt > 0,
    attempt,
    goal: own.find(isSaid)?.content ?? "",
    summary: answer.text.slice(0, 500),
  });
  for (const event of ["stop", "completion.claim"] as const) {
    const settled = await fireIfHeard(ports.hooks, event, data);
    ports.tools.guard.notify(settled.notes);
    if (settled.outcome === "stop") return undefined;
    if (settled.keepGoing !== undefined) return settled.keepGoing.message;
  }
  return undefined;
}

function wordsOf(answer: ModelAnswer): NewMessage {
  return {
    role: "assistant",
    kind: "chat",
    content: answer.text,
    ...(answer.state === undefined ? {} : { providerState: answer.state }),
  };
}

function notice(content: string): NewMessage {
  return { role: "assistant", kind: "notice", content };
}

function requestMessages(turn: TurnRecord, rows: readonly Message[], ports: TurnPorts): ModelMessage[] {
  const { brought } = turn;
  const system = brought?.system === undefined ? ports.system : `${ports.system}\n\n${brought.system}`;
  return [{ role: "system", content: system }, ...pairToolMessages([...(brought?.history ?? []), ...ports.view(rows)])];
}

/** The calls of this turn's last answer that have no result yet, with those that do. */
function openCalls(
  rows: readonly Message[],
  turnId: number,
): { readonly calls: readonly ToolCall[]; readonly done: ReadonlySet<string> } | undefined {
  const last = rows.findLastIndex(
    (row) => row.turnId === turnId && row.role === "assistant" && row.toolCalls !== undefined,
  );
  const calls = rows[last]?.toolCalls;
  if (calls === undefined) return undefined;
  const done = new Set(rows.slice(last + 1).flatMap((row) => (row.toolResults ?? []).map((result) => result.callId)));
  return calls.some((call) => !done.has(call.id)) ? { calls, done } : undefined;
}

async function runOpenCalls(
  turnId: number,
  open: { readonly calls: readonly ToolCall[]; readonly done: ReadonlySet<string> },
  mayHaveRun: boolean,
  ports: TurnPorts,
): Promise<void> {
  const guard = openLoopGuard({
    rows: ports.journal.rows(),
    turnId,
    limits: ports.limits.loops,
    isReadOnly: (name) => ports.tools.toolOf(name)?.effect === "safe",
    weightOf: (name, args) => (name === "delegate_task" ? countTasks(args) : 1),
  });
  await runTools(open.calls, open.done, mayHaveRun, {
    ...ports.tools,
    loopGuard: guard,
    stopped: ports.control.stopped,
    onResults: (results: readonly ToolResult[]) => ports.journal.commitResults(results),
  });
}

/** Subagents that a call of delegate_task starts. */
function countTasks(args: string): number {
  try {
    const { tasks } = JSON.parse(args) as { readonly tasks?: unknown };
    return Array.isArray(tasks) ? tasks.length : 1;
  } catch {
    return 1;
  }
}

function stepsOf(rows: readonly Message[], turnId: number): number {
  return rows.filter((row) => row.turnId === turnId && row.role === "assistant" && row.toolCalls !== undefined).length;
}

/**
 * Commits the turn's end with what its observers are owed. Undefined when a person wrote meanwhile and the turn has to
 * go on; a stop or a failure ends it all the same: those words are answered by its sentence.
 */
async function end<How extends TurnEnd>(
  turn: TurnRecord,
  ports: TurnPorts,
  message: NewMessage,
  how: How,
  usage?: StepUsage,
): Promise<How extends "answered" ? How | undefined : How> {
  const told = ports.hooks.tell(endEvents(turn, message, how, ports));
  const isOver = ports.journal.commitEnd(message, how, usage, told.owed);
  if (isOver) await told.call();
  // only an answer can be put off
  return (isOver || how !== "answered" ? how : undefined) as How extends "answered" ? How | undefined : How;
}

function endEvents(turn: TurnRecord, message: NewMessage, how: TurnEnd, ports: TurnPorts) {
  const { hooks } = ports;
  const outcome = { answered: "turn.complete", failed: "turn.failed", stopped: "turn.interrupted" } as const;
  const events = ([outcome[how], "turn.end"] as const).filter((event) => hooks.listens(event));
  if (events.length === 0) return [];
  const own = ports.journal.rows().filter((row) => row.turnId === turn.id);
  const data: HookFields = {
    message: own.find(isSaid)?.content ?? "",
    user_message: own.find(isSaid)?.content ?? "",
    response: message.content,
    assistant_response: message.content,
    history: JSON.parse(JSON.stringify(ports.view(own))),
    completed: how === "answered",
    interrupted: how === "stopped",
    ...(how === "failed" ? { error: message.content } : {}),
  };
  return events.map((event) => ({ event, data }));
}

/** What a stopped turn leaves as its one answer. */
function stoppedMessage(partial: string): NewMessage {
  return notice(partial === "" ? "⏹ Stopped." : `${partial}\n\n⏹ Stopped.`);
}

function failedMessage(failure: ModelFailure): NewMessage {
  return notice(explainFailure(failure));
}
