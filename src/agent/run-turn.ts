import type { Message, ToolCall, ToolResult } from "#src/domain/message";
import type { ModelFailure, ModelMessage, ToolSchema } from "#src/domain/provider";
import type { Journal, NewMessage, StepUsage, TurnEnd, TurnRecord } from "#src/domain/turn";
import type { ModelAnswer, ModelOutcome } from "./call-model";
import { explainFailure } from "./explain-failure";
import { distinctCalls } from "./distinct-calls";
import { pairToolMessages } from "./pair-tools";
import { MAX_CALLS_PER_ANSWER, runTools, type ToolPorts } from "./run-tools";
import { type TurnControl, REDIRECTED, STOPPED } from "./turn-control";

/** Everything a turn needs of the world. */
export interface TurnPorts {
  readonly journal: Journal;
  readonly control: TurnControl;
  /** The system prompt: the same bytes for the whole conversation. */
  readonly system: string;
  /** Rows as the model reads them, pictures included. */
  readonly view: (rows: readonly Message[]) => readonly ModelMessage[];
  readonly toolSchemas: readonly ToolSchema[];
  readonly tools: Omit<ToolPorts, "stopped" | "onResults">;
  /** Asks the model, retries included. @throws the control's reason */
  readonly callModel: (messages: readonly ModelMessage[], tools: readonly ToolSchema[]) => Promise<ModelOutcome>;
  readonly usageOf: (answer: ModelAnswer) => StepUsage | undefined;
  /** Gets ready what the rows bring along, before each model call. */
  readonly prepare?: () => Promise<void>;
  /** What the person has seen of the answer under way. */
  readonly partial: () => string;
  /** Model calls a turn may make before it has to sum up. */
  readonly maxSteps: number;
}

/**
 * Runs one turn until its answer is committed. Everything it has to know stands in the journal, so it can be called
 * again after a crash, with `interrupted`, and goes on from the last committed step.
 */
export async function runTurn(turn: TurnRecord, interrupted: boolean, ports: TurnPorts): Promise<TurnEnd> {
  let mayHaveRun = interrupted;
  for (;;) {
    await ports.prepare?.();
    const rows = ports.journal.rows();
    const open = openCalls(rows, turn.id);
    if (open !== undefined) {
      await runOpenCalls(open, mayHaveRun, ports);
      mayHaveRun = false;
      continue;
    }
    mayHaveRun = false;
    if (ports.control.stopped.aborted) return end(ports, stoppedMessage(ports.partial()), "stopped");
    const finished = await step(turn, rows, ports);
    if (finished !== undefined) return finished;
  }
}

/** One model answer and what follows from it; undefined when the turn goes on. */
async function step(turn: TurnRecord, rows: readonly Message[], ports: TurnPorts): Promise<TurnEnd | undefined> {
  const mayUseTools = stepsOf(rows, turn.id) < ports.maxSteps;
  const messages = requestMessages(turn, rows, ports);
  if (!mayUseTools) messages.push({ role: "user", content: SUM_UP });
  let outcome: ModelOutcome;
  try {
    outcome = await ports.callModel(messages, mayUseTools ? ports.toolSchemas : []);
  } catch (reason) {
    if (reason === REDIRECTED || reason === STOPPED) return undefined;
    throw reason;
  }
  if (outcome.type === "failed") return end(ports, failedMessage(outcome.failure), "failed");
  const { answer } = outcome;
  if (answer.toolCalls.length > 0 && mayUseTools) {
    // one call too many is kept: its result tells the model that it asked for too much
    const toolCalls = distinctCalls(answer.toolCalls.slice(0, MAX_CALLS_PER_ANSWER + 1), rows);
    ports.journal.commitStep(
      { role: "assistant", kind: "chat", content: answer.text, toolCalls },
      ports.usageOf(answer),
    );
    return undefined;
  }
  if (answer.text.trim() === "") return end(ports, OUT_OF_STEPS, "failed", ports.usageOf(answer));
  const message: NewMessage = { role: "assistant", kind: "chat", content: answer.text };
  if (ports.journal.commitEnd(message, "answered", ports.usageOf(answer))) return "answered";
  // a person wrote while the last words came in: the one answer to come has to say what these said, and more
  ports.journal.commitStep({ ...message, kind: "partial" }, ports.usageOf(answer));
  return undefined;
}

const SUM_UP =
  "You have reached the largest number of tool steps for one turn. Answer now, without tools: say what was done, what was found and what is left.";

/** What a person reads of a model that calls tools and says nothing even when it has none left. */
const OUT_OF_STEPS: NewMessage = {
  role: "assistant",
  kind: "notice",
  content:
    "⚠️ I used up all tool steps of one turn without coming to an answer. Ask me to go on, or for a smaller part of it.",
};

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
  open: { readonly calls: readonly ToolCall[]; readonly done: ReadonlySet<string> },
  mayHaveRun: boolean,
  ports: TurnPorts,
): Promise<void> {
  await runTools(open.calls, open.done, mayHaveRun, {
    ...ports.tools,
    stopped: ports.control.stopped,
    onResults: (results: readonly ToolResult[]) => ports.journal.commitResults(results),
  });
}

function stepsOf(rows: readonly Message[], turnId: number): number {
  return rows.filter((row) => row.turnId === turnId && row.role === "assistant" && row.toolCalls !== undefined).length;
}

function end(ports: TurnPorts, message: NewMessage, how: TurnEnd, usage?: StepUsage): TurnEnd {
  // a stop or a failure ends the turn whatever was written meanwhile: those words are answered by this sentence
  ports.journal.commitEnd(message, how, usage);
  return how;
}

/** What a stopped turn leaves as its one answer. */
function stoppedMessage(partial: string): NewMessage {
  return { role: "assistant", kind: "notice", content: partial === "" ? "⏹ Stopped." : `${partial}\n\n⏹ Stopped.` };
}

function failedMessage(failure: ModelFailure): NewMessage {
  return { role: "assistant", kind: "notice", content: explainFailure(failure) };
}
