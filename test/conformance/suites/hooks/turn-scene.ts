import type { Message } from "#src/domain/message";
import type { HookSettlement } from "#src/domain/hook-event";
import { memoryJournal } from "../../../support/memory-journal";
import {
  type Says,
  type ScriptedTurn,
  TURN,
  call,
  fakeTool,
  scriptedTurn,
  textsOf,
} from "../../../support/scripted-turn";
import type { Fired, Seen, SessionScene, Stage } from "./scene";
import { textOf } from "./text-of";

/** How a conversation of the case goes. */
export interface Conversation extends SessionScene {
  readonly turns: number;
  /** Why a session begins with the first of them; absent when it goes on. */
  readonly sessionStart?: "startup" | "clear";
  readonly text?: string;
}

const SYSTEM = "You are under test.";

/** Plays turns of one session through the real turn, with a model that follows the case. */
export async function playTurns(stage: Stage, conversation: Conversation): Promise<Seen> {
  const notes: string[] = [];
  let last: { readonly turn: ScriptedTurn; readonly how: string } | undefined;
  let before: readonly Message[] = [];
  for (let number = 1; number <= conversation.turns; number += 1) {
    const { sessionStart } = conversation;
    const turn = turnOf(stage, conversation, before, number, notes, number === 1 ? sessionStart : undefined);
    const how = await turn.run(false, { ...TURN, id: number });
    last = { turn, how };
    before = turn.journal.all();
  }
  return last === undefined ? {} : seenOf(stage, last.turn, last.how, notes);
}

function turnOf(
  stage: Stage,
  conversation: Conversation,
  before: readonly Message[],
  turnId: number,
  notes: string[],
  sessionStart: Conversation["sessionStart"],
): ScriptedTurn {
  const hooks = stage.hooksFor({ ...conversation, turnId: String(turnId) });
  const text = conversation.text ?? textOf(stage.about.data["user_message"] ?? stage.about.data["message"], "hi");
  const turn: ScriptedTurn = scriptedTurn({
    say: (_request, count) => says(stage, count, () => turn.control.stop()),
    tools: [fakeTool("stub", async () => ({ content: "ok" }))],
    journal: memoryJournal({ turnId, text, before }),
    hooks,
    guard: { notify: (said) => void notes.push(...said) },
    maxTries: 1,
    ...(sessionStart === undefined ? {} : { sessionStart }),
  });
  return turn;
}

/** What the model says to its request number `count` of a turn. */
function says({ simulate, about }: Stage, count: number, stop: () => void): Says {
  const { model_calls = 1, interrupted, error, final_response } = simulate;
  if (count < model_calls) return { calls: [call(`call_${count}`, "stub")] };
  if (error !== undefined) return { failure: { reason: "unknown", retryable: false, message: error } };
  if (interrupted === true) stop();
  return { text: final_response ?? finalText(about.data) };
}

function finalText(data: Stage["about"]["data"]): string {
  const texts = [data["response_text"], data["response"], data["assistant_response"], data["delta"]];
  return texts.find((text): text is string => typeof text === "string") ?? "ok";
}

function seenOf(stage: Stage, turn: ScriptedTurn, how: string, notes: readonly string[]): Seen {
  const { about, fired } = stage;
  const own = fired.filter(({ occurrence }) => occurrence.event === about.event);
  const [first, latest] = [own[0]?.settlement, own.at(-1)?.settlement];
  const rows = turn.journal.all();
  const said = rows.find((row) => row.role === "user" && row.kind === "chat");
  const ended = turn.journal.ends.at(-1)?.message;
  const requests = turn.asked.map(({ messages }) => textsOf(messages).join("\n"));
  const continuations = rows.filter(({ kind }) => kind === "hook").length;
  const stopReason = own.find(({ settlement }) => settlement.outcome === "stop")?.settlement.reason;
  return {
    outcome: outcomeOf(about.event, first, latest),
    reason: (KEEPS_GOING.has(about.event) ? first : latest)?.keepGoing?.message ?? latest?.reason,
    model_called: turn.asked.length > 0,
    model_calls_in_turn: turn.asked.length,
    agent_ran: turn.asked.length > 0,
    user_notes: notes,
    stored_user_message: said?.content,
    prompt_persisted: said !== undefined && said.content !== "",
    system_prompt_changed: turn.asked.some(({ messages }) => textsOf(messages)[0] !== SYSTEM),
    text_final: latest?.text !== undefined && about.event === "prompt.submit" ? said?.content : ended?.content,
    text_stored: ended?.content,
    text_displayed: ended?.display ?? ended?.content,
    completion_accepted: own[0]?.settlement.keepGoing === undefined,
    max_continuations: continuations,
    final_outcome: how === "answered" ? "stop" : how,
    turn_stopped: stopReason !== undefined || latest?.outcome === "stop",
    model_sees_stop_reason: stopReason !== undefined && requests.some((text) => text.includes(stopReason)),
    contexts: contextsOf(fired, requests),
    model_context_target: targetOf(turn, fired),
    model_context_delivery: deliveryOf(requests, fired),
    tool_executed: rows.some(({ toolResults }) => toolResults !== undefined),
  };
}

const KEEPS_GOING: ReadonlySet<string> = new Set(["stop", "completion.claim", "subagent.stop"]);

function outcomeOf(event: string, first: HookSettlement | undefined, latest: HookSettlement | undefined): string {
  if (KEEPS_GOING.has(event)) return first?.keepGoing === undefined ? "stop" : "keep_going";
  if (latest?.outcome === "stop") return "stop_turn";
  if (latest?.outcome === "deny") return event === "prompt.submit" ? "drop" : "deny";
  return latest?.text === undefined ? "proceed" : "rewrite";
}

/** The texts of hooks that a request to the model really held: the latest of each event, in the order of the events. */
export function contextsOf(fired: readonly Fired[], requests: readonly string[]): ReadonlyMap<string, string> {
  const contexts = new Map<string, string>();
  for (const { occurrence, settlement } of fired) {
    const { context } = settlement;
    if (context !== undefined && requests.some((text) => text.includes(context)))
      contexts.set(occurrence.event, context);
  }
  return contexts;
}

function targetOf(turn: ScriptedTurn, fired: readonly Fired[]): string | undefined {
  const context = fired.find(({ settlement }) => settlement.context !== undefined)?.settlement.context;
  if (context === undefined) return undefined;
  const holders = (turn.asked[0]?.messages ?? []).filter((message) => textsOf([message]).join("").includes(context));
  return holders.length === 1 ? `${holders[0]?.role}_message` : undefined;
}

function deliveryOf(requests: readonly string[], fired: readonly Fired[]): string | undefined {
  const context = fired.find(({ settlement }) => settlement.context !== undefined)?.settlement.context;
  return context !== undefined && (requests[0] ?? "").includes(context) ? "first_model_call_of_session" : undefined;
}
