import type { HookDecision, HookEventName, HookOccurrence, HookSettlement } from "#src/domain/hook-event";
import type { Hook, HookLogEntry, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { type CallPorts, type HookRun, callHook } from "./call-hook";
import { engageHook } from "./engage-hook";
import type { ListedHook } from "./hook-index";
import { CLOSED_CIRCUIT } from "./http/circuit-breaker";
import { type HookPorts, openHooks } from "./open-hooks";
import { timeBudgets } from "./time-budget";

/** A hook tried out: what it was sent, what came back and what that means. */
export interface HookTrial {
  /** Whether its matcher takes the event; one that does not was called all the same. */
  readonly isMatched: boolean;
  readonly payload?: JsonObject;
  readonly result?: HookResult;
  readonly decision?: HookDecision;
  readonly log: readonly HookLogEntry[];
}

/** An event tried out on all of its hooks: what became of those that were called, and what they want together. */
export interface EventTrial {
  readonly settlement: HookSettlement;
  /** By the hooks' ids; one that was passed over has none. */
  readonly trials: ReadonlyMap<string, HookTrial>;
  /** What was said of the event as a whole. */
  readonly log: readonly HookLogEntry[];
}

/** What somebody hears of calls that nothing comes of. */
type Heard = "circuits" | "log" | "onRun" | "onGone" | "onTampered";

/**
 * Calls a hook as an event would, and nothing comes of it: no circuit, no statistics and no session hears of it.
 * What the hook itself does with the call cannot be undone.
 */
export async function tryHook(
  hook: Hook,
  occurrence: HookOccurrence,
  ports: Omit<CallPorts, Heard>,
): Promise<HookTrial> {
  const { heard, runs, log } = overhear();
  const engaged = engageHook(hook, occurrence.event);
  const decision = await callHook(
    engaged,
    occurrence,
    { round: 0, mode: "decision", budget: timeBudgets(ports.now).open("trial"), origin: { depth: 0 } },
    { ...ports, ...heard },
  );
  const [run] = runs;
  return {
    isMatched: engaged.matches(occurrence),
    ...(run === undefined ? {} : { payload: run.payload, result: run.result }),
    ...(decision === undefined ? {} : { decision }),
    log,
  };
}

/** Lets an event happen to all of its hooks as it would in a conversation, and nothing comes of it. */
export async function tryEvent(
  listed: readonly ListedHook[],
  occurrence: HookOccurrence,
  ports: Omit<HookPorts, Heard>,
): Promise<EventTrial> {
  const { heard, runs, log } = overhear();
  const open = openHooks(listed, { ...ports, ...heard });
  const settlement = await open.fire(occurrence);
  // of a gate that was asked twice, what it said last
  const trials = new Map(runs.map((run) => [run.hook.id, trialOf(run, log)]));
  for (const { hookId } of open.owed(occurrence)) {
    const hook = listed.find((one) => one.hook.id === hookId)?.hook;
    if (hook !== undefined) trials.set(hookId, await tryHook(hook, occurrence, ports));
  }
  return { settlement, trials, log: log.filter(({ hook }) => hook === undefined || !trials.has(hook)) };
}

function trialOf({ hook, payload, result, decision }: HookRun, log: readonly HookLogEntry[]): HookTrial {
  return {
    isMatched: true,
    payload,
    result,
    ...(decision === undefined ? {} : { decision }),
    log: log.filter((entry) => entry.hook === hook.id),
  };
}

function overhear() {
  const log: HookLogEntry[] = [];
  const runs: HookRun[] = [];
  const heard: Pick<CallPorts, Heard> = {
    circuits: { read: () => CLOSED_CIRCUIT, write: () => undefined },
    log: (entry) => log.push(entry),
    onRun: (run) => runs.push(run),
    onGone: () => undefined,
    onTampered: () => undefined,
  };
  return { heard, runs, log };
}

/** A made-up occurrence of an event, with something in every field that hooks look at. */
export function madeUpOccurrence(
  event: HookEventName,
  { at, id, tool = "terminal", data = {} }: MadeUp,
): HookOccurrence {
  return {
    event,
    id,
    seq: 0,
    at,
    common: {
      session_id: "test",
      session_key: "main:web:dm:test",
      agent_id: "main",
      surface: "web",
      cwd: "/workspace",
    },
    data: {
      tool: { name: tool, kind: "builtin", call_id: "call_test" },
      input: { command: "echo test" },
      ok: true,
      result: "test",
      result_text: "test",
      output: "test",
      exit_code: 0,
      command: "test",
      args: "",
      duration_ms: 1,
      user_message: "test",
      text: "test",
      is_first_turn: true,
      system: "",
      last_user_message: "test",
      call_index: 0,
      response: "test",
      tool_names: [],
      stop_hook_active: false,
      attempt: 0,
      source: "startup",
      ...data,
    },
  };
}

interface MadeUp {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly id: string;
  readonly tool?: string;
  readonly data?: HookOccurrence["data"];
}
