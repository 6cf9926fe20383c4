import { askModels } from "#src/agent/ask-models";
import type { GuardPorts } from "#src/agent/guard-call";
import { type TurnPorts, runTurn } from "#src/agent/run-turn";
import { firstAttempt, nextAttempt } from "#src/providers/next-attempt";
import { LOOP_GUARD_DEFAULTS } from "#src/agent/guardrails/loop-guard";
import type { TurnLimits } from "#src/agent/turn-bounds";
import { toModelMessages } from "#src/agent/to-model-messages";
import { type TurnControl, createTurnControl } from "#src/agent/turn-control";
import { NO_HOOKS, type TurnHooks } from "#src/agent/turn-hooks";
import type { ToolCall, ToolResult } from "#src/domain/message";
import type { ModelEvent, ModelFailure, ModelMessage, ModelRequest } from "#src/domain/provider";
import type { AnyTool, Question, ToolContext, ToolOutcome } from "#src/domain/tool";
import type { TurnEnd, TurnRecord } from "#src/domain/turn";
import { abortable } from "#src/lib/abortable";
import { type MemoryJournal, memoryJournal } from "./memory-journal";
import { toolContext } from "./tool-context";

export const TURN: TurnRecord = {
  id: 1,
  kind: "chat",
  interruptions: 0,
  startedAt: 0,
  origin: { platform: "test", target: { chatId: "7" }, user: { id: "7", isOwner: true } },
};

/** What the scripted model says to one request. */
export interface Says {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly failure?: ModelFailure;
}

export type Say = (request: ModelRequest, count: number, signal: AbortSignal) => Says | Promise<Says>;

export interface ScriptedTurn {
  readonly journal: MemoryJournal;
  readonly control: TurnControl;
  /** Requests that the model got. */
  readonly asked: readonly ModelRequest[];
  readonly ports: TurnPorts;
  run(interrupted?: boolean, turn?: TurnRecord): Promise<TurnEnd>;
}

export interface ScriptOptions {
  readonly limits?: Partial<TurnLimits>;
  readonly say: Say;
  readonly tools?: readonly AnyTool[];
  readonly journal?: MemoryJournal;
  readonly maxTries?: number;
  readonly hooks?: TurnHooks;
  readonly guard?: Partial<GuardPorts>;
  readonly sessionStart?: TurnPorts["sessionStart"];
}

/** A guard that lets everything through, and asks nobody. */
export function openGuard(over: Partial<GuardPorts> = {}): GuardPorts {
  return {
    hooks: NO_HOOKS,
    judge: () => ({ type: "run" }),
    isAsked: () => false,
    approve: async () => ({ type: "granted" }),
    notify: () => undefined,
    stopTurn: () => undefined,
    ...over,
  };
}

/** A turn over a journal in memory and a model that follows a script. */
export function scriptedTurn({
  say,
  tools = [],
  journal = memoryJournal(),
  limits = {},
  maxTries = 3,
  hooks = NO_HOOKS,
  guard = {},
  sessionStart,
}: ScriptOptions): ScriptedTurn {
  const control = createTurnControl();
  const asked: ModelRequest[] = [];
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  let text = "";

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent> {
    asked.push(request);
    const says = await say(request, asked.length, signal);
    if (says.text !== undefined) yield { type: "text", delta: says.text };
    if (says.failure !== undefined) yield { type: "failed", failure: says.failure };
    else
      yield { type: "finish", reason: says.calls === undefined ? "stop" : "tool_calls", toolCalls: says.calls ?? [] };
  }

  async function ask(call: ToolCall, question: Question): Promise<string> {
    if (journal.waiting()?.callId !== call.id) {
      journal.commitWaiting({ callId: call.id, question, askedAt: 0, expiresAt: 1 });
    }
    for (;;) {
      const answer = journal.waiting()?.answer;
      if (answer !== undefined) return answer;
      await abortable(control.waitForWake(), control.stopped);
    }
  }

  const ports: TurnPorts = {
    journal,
    control,
    hooks,
    ...(sessionStart === undefined ? {} : { sessionStart }),
    system: "You are under test.",
    view: (rows) => toModelMessages(rows, { isShared: false, canSee: false, images: new Map() }),
    toolSchemas: tools,
    partial: () => text,
    limits: {
      maxSteps: 20,
      wallTimeMs: 0,
      money: { turn: 0, session: 0, day: 0 },
      loops: LOOP_GUARD_DEFAULTS,
      ...limits,
    },
    spent: () => ({ turn: 0, session: 0, day: 0 }),
    waitedMs: () => 0,
    redact: (so) => so,
    passOn: () => false,
    waitForModel: async () => undefined,
    usageOf: () => undefined,
    callModel: (write, schemas) =>
      askModels(
        { messages: write(), tools: schemas },
        {
          routes: [
            {
              provider: "scripted",
              model: "m",
              keys: () => [""],
              stream: (request, _key, signal) => stream(request, signal),
              onKey: () => undefined,
            },
          ],
          first: firstAttempt({ now: 0, fallbacks: 0 }),
          next: (state, failure, keysLeft) =>
            nextAttempt(state, failure, { maxTries, keysLeft, fallbacks: 0, random: () => 0 }),
          compress: async () => undefined,
          onText: (so) => void (text = so),
          signal: control.beginCall(),
        },
      ),
    tools: {
      toolOf: (name) => byName.get(name),
      toolNames: [...byName.keys()],
      contextOf: (callKey, signal) => toolContext({ callKey, signal }),
      maxParallel: 4,
      bound: async (results) => results,
      ask,
      isWaiting: (call) => (journal.waiting()?.callId === call.id ? journal.waiting()?.question : undefined),
      onTool: () => undefined,
      guard: openGuard({ hooks, stopTurn: (message) => control.stop(message), ...guard }),
      onBegin: ({ id }) => journal.commitBegin(id),
      hasBegun: ({ id }) => journal.begun().includes(id),
      now: () => 0,
    },
  };
  return {
    journal,
    control,
    asked,
    ports,
    run: (interrupted = false, turn = TURN) => runTurn(turn, interrupted, ports),
  };
}

/** A tool that takes anything. */
export function fakeTool(
  name: string,
  execute: (args: unknown, context: ToolContext) => Promise<ToolOutcome>,
  over: Partial<AnyTool> = {},
): AnyTool {
  return {
    name,
    toolset: "test",
    description: "",
    parameters: { type: "object" },
    parse: (input) => input,
    effect: "safe",
    parallel: "never",
    execute,
    ...over,
  };
}

export function call(id: string, name: string, args = "{}"): ToolCall {
  return { id, name, arguments: args };
}

/** What the model was told in a message's text. */
export function textsOf(messages: readonly ModelMessage[]): readonly string[] {
  return messages.map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)));
}

/** Calls and results of all rows, by id, each in the order in which they stand. */
export function pairsOf(journal: MemoryJournal): {
  readonly calls: readonly string[];
  readonly results: readonly string[];
} {
  return {
    calls: journal.all().flatMap((row) => (row.toolCalls ?? []).map(({ id }) => id)),
    results: journal.all().flatMap((row) => (row.toolResults ?? []).map(({ callId }) => callId)),
  };
}

/** A tool that asks the person. */
export const asking = fakeTool("clarify", async () => ({ ask: { text: "Which?", choices: ["x", "y"] } }));

/** The failure of a call that was ended from our side. */
export const ABORTED: ModelFailure = { reason: "aborted", retryable: false, message: "The call was ended." };

/** Resolves when the signal fires: what a model or a tool does that hears of it. */
export async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/** A journal whose turn was answered with calls, of which some have results, and was then cut off while the rest ran. */
export function cutOff(
  calls: readonly ToolCall[],
  results: readonly ToolResult[] = [],
  begun: readonly ToolCall[] = calls,
): MemoryJournal {
  const journal = memoryJournal();
  journal.rows();
  journal.commitStep({ role: "assistant", kind: "chat", content: "", toolCalls: calls }, undefined);
  if (results.length > 0) journal.commitResults(results);
  for (const { id } of begun) journal.commitBegin(id);
  return journal;
}
