import type { TurnHooks } from "#src/agent/turn-hooks";
import type { Hook, HookDelivery, HookLogEntry } from "#src/domain/hook";
import type { HookScope, HookFields, HookEventName, HookOccurrence, HookSettlement } from "#src/domain/hook-event";
import type { JsonObject } from "#src/domain/json";
import { decideDelivery } from "#src/hooks/http/observer-backoff";
import { deliveryLog, sendDelivery } from "#src/hooks/observer-delivery";
import type { OpenHooks } from "#src/hooks/open-hooks";
import type { HookTransport } from "#src/hooks/transports/transport";
import type { HookCase, Simulation } from "./case-file";
import type { VirtualClock } from "./virtual-clock";

/** The event of a case in the system's own terms. */
export interface CaseEvent {
  readonly event: HookEventName;
  readonly common: Partial<HookScope>;
  readonly data: HookFields;
  /** A tool's input in the names of the case. */
  readonly inputAsWritten: (input: JsonObject) => unknown;
}

/** One event that was raised, with what became of it. */
export interface Fired {
  readonly occurrence: HookOccurrence;
  readonly settlement: HookSettlement;
}

/** What a scene found out, under the names of the format; what is absent was not looked at. */
export type Seen = Record<string, unknown>;

/** Everything that a scene plays with. */
export interface Stage {
  readonly test: HookCase;
  readonly input: Readonly<Record<string, unknown>>;
  readonly simulate: Simulation;
  readonly about: CaseEvent;
  readonly clock: VirtualClock;
  readonly fired: readonly Fired[];
  /** The hooks as a turn of a session sees them. */
  hooksFor(session: SessionScene): TurnHooks;
  /** Brings what is owed to those who watch. */
  deliverOwed(): Promise<DeliveryReport>;
}

export interface SessionScene {
  readonly sessionId?: string;
  readonly surface?: string;
  readonly turnId?: string;
}

export interface DeliveryReport {
  readonly attempts: ReadonlyMap<string, number>;
  /** Milliseconds before the next attempt after the first, by hook. */
  readonly nextDelayMs: ReadonlyMap<string, number>;
}

export interface StagePorts {
  readonly test: HookCase;
  readonly about: CaseEvent;
  readonly clock: VirtualClock;
  readonly hooks: OpenHooks;
  readonly hookOf: (hookId: string) => Hook | undefined;
  readonly transportOf: (hook: Hook) => HookTransport | undefined;
  readonly log: (entry: HookLogEntry) => void;
  /** A receiver said that it is gone for good. */
  readonly onGone: (hook: Hook) => void;
}

/** Tries of one delivery that a case may look at. */
const MAX_ATTEMPTS = 3;

/** What the pipeline knows better than the payload that the case gives. */
const PIPELINE_KNOWS: ReadonlySet<string> = new Set([
  "input",
  "original_input",
  "result",
  "result_text",
  "attempt",
  "stop_hook_active",
]);

export function openStage({ test, about, clock, hooks, hookOf, transportOf, log, onGone }: StagePorts): Stage {
  const fired: Fired[] = [];
  const owed: { readonly delivery: HookDelivery; readonly occurrence: HookOccurrence }[] = [];
  const { input } = test;
  let seq = 0;

  function occurrenceOf(event: HookEventName, data: HookFields, scene: SessionScene): HookOccurrence {
    seq += 1;
    return {
      event,
      id: `evt_${String(seq).padStart(26, "0")}`,
      seq,
      at: clock.now(),
      common: commonOf(about, scene),
      data: event === about.event ? overlay(data, about.data) : { ...extrasFor(event, about), ...data },
    };
  }

  function hooksFor(scene: SessionScene): TurnHooks {
    const origin = originOf(input);
    const source = origin === undefined ? hooks : hooks.from(origin);
    const fire = async (occurrence: HookOccurrence): Promise<HookSettlement> => {
      const settlement = await source.fire(occurrence);
      fired.push({ occurrence, settlement });
      owed.push(...source.owed(occurrence).map((delivery) => ({ delivery, occurrence })));
      return settlement;
    };
    return {
      // every moment counts here, also those that nobody listens to
      listens: () => true,
      fire: (event, data) => fire(occurrenceOf(event, data, scene)),
      tell: (events) => ({
        owed: [],
        async call() {
          for (const { event, data } of events) await fire(occurrenceOf(event, data, scene));
        },
      }),
    };
  }

  async function deliverOwed(): Promise<DeliveryReport> {
    const attempts = new Map<string, number>();
    const nextDelayMs = new Map<string, number>();
    for (const { delivery, occurrence } of owed.splice(0)) {
      const hook = hookOf(delivery.hookId);
      if (hook === undefined) continue;
      for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
        const { common, at } = occurrence;
        const signal = new AbortController().signal;
        const result = await sendDelivery(
          { hook, delivery, common, at, attempt, now: clock.now(), signal },
          transportOf(hook),
        );
        attempts.set(hook.id, attempt);
        deliveryLog(hook, result).forEach(log);
        if (result.gone === true) onGone(hook);
        const fate = decideDelivery({ result, attempt, now: clock.now(), random: () => 0.5 });
        if (fate.type !== "retry") break;
        if (attempt === 1) nextDelayMs.set(hook.id, fate.at - clock.now());
        await clock.sleep(fate.at - clock.now());
      }
    }
    return { attempts, nextDelayMs };
  }

  return {
    test,
    input,
    simulate: input["_simulate"] ?? {},
    about,
    clock,
    fired,
    hooksFor,
    deliverOwed,
  };
}

/** What a hook brought about by calling our API says of itself. */
function originOf(input: HookCase["input"]): { readonly depth: number; readonly hookId?: string } | undefined {
  const headers = input["_headers"] as Record<string, string> | undefined;
  const depth = Number(headers?.["x-agent-hook-depth"] ?? 0);
  const hookId = input["_origin_hook_id"];
  return depth === 0 ? undefined : { depth, ...(typeof hookId === "string" ? { hookId } : {}) };
}

function commonOf(about: CaseEvent, { sessionId, surface, turnId }: SessionScene): HookScope {
  return {
    session_id: "s",
    session_key: "main:web:dm:s",
    agent_id: "a",
    surface: "web",
    cwd: "/p",
    permission_mode: "default",
    turn_id: turnId ?? "1",
    ...about.common,
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
    ...(surface === undefined ? {} : { surface }),
  };
}

/** The pipeline's data with the case's own where the pipeline has nothing better. */
function overlay(real: HookFields, given: HookFields): HookFields {
  const kept = Object.entries(given).filter(
    ([key, value]) => value !== undefined && !(PIPELINE_KNOWS.has(key) && key in real),
  );
  const isActive = real["stop_hook_active"] === true || given["stop_hook_active"] === true;
  return {
    ...real,
    ...Object.fromEntries(kept),
    ...("stop_hook_active" in real ? { stop_hook_active: isActive } : {}),
  };
}

/** Ids that a case gives count for every event of the same call. */
function extrasFor(event: HookEventName, about: CaseEvent): HookFields {
  const isOfCall = event.startsWith("tool.") && about.event.startsWith("tool.");
  return isOfCall ? Object.fromEntries(Object.entries(about.data).filter(([key]) => key === "task_id")) : {};
}
