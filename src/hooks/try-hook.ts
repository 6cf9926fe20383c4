import type { HookDecision, HookEventName, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookLogEntry, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { type CallPorts, type HookRun, callHook } from "./call-hook";
import { engageHook } from "./engage-hook";
import { CLOSED_CIRCUIT } from "./http/circuit-breaker";
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

/**
 * Calls a hook as an event would, and nothing comes of it: no circuit, no statistics and no session hears of it.
 * What the hook itself does with the call cannot be undone.
 */
export async function tryHook(
  hook: Hook,
  occurrence: HookOccurrence,
  ports: Omit<CallPorts, "circuits" | "log" | "onRun" | "onGone" | "onTampered">,
): Promise<HookTrial> {
  const log: HookLogEntry[] = [];
  const runs: HookRun[] = [];
  const engaged = engageHook(hook, occurrence.event);
  const decision = await callHook(
    engaged,
    occurrence,
    { round: 0, mode: "decision", budget: timeBudgets(ports.now).open("trial"), origin: { depth: 0 } },
    {
      ...ports,
      circuits: { read: () => CLOSED_CIRCUIT, write: () => undefined },
      log: (entry) => log.push(entry),
      onRun: (run) => runs.push(run),
      onGone: () => undefined,
      onTampered: () => undefined,
    },
  );
  const [run] = runs;
  return {
    isMatched: engaged.matches(occurrence),
    ...(run === undefined ? {} : { payload: run.payload, result: run.result }),
    ...(decision === undefined ? {} : { decision }),
    log,
  };
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
