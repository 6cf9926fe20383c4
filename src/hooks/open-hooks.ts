import { type HookOccurrence, type HookSettlement, NO_OPINION } from "#src/domain/hook-event";
import type { Hook, HookDelivery, Hooks } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { callMemory } from "./call-memory";
import { type CallPorts, type HookOrigin, type ModuleWatch, callHook } from "./call-hook";
import { refuseForChanged, refuseForFault, settle } from "./dispatch";
import type { EngagedHook } from "./engaged-hook";
import type { Settled } from "./firing";
import { type ListedHook, type Listeners, indexHooks } from "./hook-index";
import { mayFireAtDepth } from "./http/headers";
import { deliveryTo } from "./observer-delivery";
import { type EventBudget, timeBudgets } from "./time-budget";

/** What hooks need of the world. */
export interface HookPorts extends Omit<CallPorts, "onGone"> {
  /** What is wrong with a tool's input, in one clause that names the field; undefined when its schema takes it. */
  readonly validate: (toolName: string, input: JsonObject) => string | undefined;
  /** A hook said that it is gone for good and is off from now on: to be kept, and its owner told. */
  readonly onGone: CallPorts["onGone"];
}

/** The hooks of a configuration, ready to be called. */
export interface OpenHooks extends Hooks {
  /** The same hooks for events that a hook itself brought about by calling our API, and under somebody's eyes. */
  from(origin: HookOrigin, watch?: ModuleWatch): Hooks;
}

/** What the operator says of all hooks. */
export interface HookSettings {
  /** What a hook's question means where the person lets everything run; a question all the same when absent. */
  readonly askInBypass?: "allow";
}

/** What is remembered of refusals and repeated words: the latest. */
const MAX_REMEMBERED = 256;

/** Under what circumstances hooks are called. */
interface Circumstances {
  readonly origin: HookOrigin;
  readonly watch?: ModuleWatch;
}

const ORDINARY: Circumstances = { origin: { depth: 0 } };

/**
 * Makes the hooks of one configuration ready: matchers are compiled and everybody is put in order once. A new
 * configuration, an approval or a switch means opening them anew.
 *
 * `owed` also answers for hooks that were passed over because one before them refused: it is best asked after `fire`.
 */
export function openHooks(listed: readonly ListedHook[], ports: HookPorts, settings: HookSettings = {}): OpenHooks {
  const index = indexHooks(listed);
  const budgets = timeBudgets(ports.now);
  const memory = callMemory();
  const gone = new Set<string>();
  const unasked = new Map<string, NonNullable<Settled["unasked"]>>();
  const feedback = new Map<string, string>();
  const callPorts: CallPorts = {
    ...ports,
    onGone(hook) {
      gone.add(hook.id);
      ports.onGone(hook);
    },
  };

  function listening(engaged: readonly EngagedHook[], occurrence: HookOccurrence): readonly EngagedHook[] {
    return engaged.filter((one) => !gone.has(one.hook.id) && matches(one, occurrence, ports));
  }

  function isRepeated(hook: Hook, occurrence: HookOccurrence, said: string): boolean {
    const key = JSON.stringify([turnOf(occurrence), occurrence.event, hook.id]);
    const before = feedback.get(key);
    keepLatest(feedback, key, said);
    return before === said;
  }

  async function decide(
    { deciders, refusers }: Listeners,
    occurrence: HookOccurrence,
    around: Circumstances,
    budget: EventBudget,
  ): Promise<HookSettlement> {
    const changed = refuseForChanged(refusers, occurrence.event, ports.log);
    if (changed !== undefined) return changed;
    const hooks = listening(deciders, occurrence);
    if (hooks.length === 0) return NO_OPINION;
    const settled = await settle({
      occurrence,
      hooks,
      ask: (engaged, shown, round = 0) =>
        memory.once(engaged.hook.id, round, shown, () =>
          callHook(engaged, shown, { round, mode: "decision", budget, ...around }, callPorts),
        ),
      log: ports.log,
      validate: ports.validate,
      isRepeated: (hook, said) => isRepeated(hook, occurrence, said),
    });
    if (settled.unasked !== undefined) await tellUnasked(settled.unasked, around, budget);
    return isWavedThrough(settled.settlement, occurrence, settings)
      ? { ...settled.settlement, outcome: "allow" }
      : settled.settlement;
  }

  async function tellUnasked(
    { hooks, occurrence }: NonNullable<Settled["unasked"]>,
    around: Circumstances,
    budget: EventBudget,
  ): Promise<void> {
    const told = hooks.filter(({ isToldOfDenied }) => isToldOfDenied);
    await tell(told.filter(isInline), occurrence, around, budget);
    const byWire = told.filter((engaged) => !isInline(engaged));
    if (byWire.length > 0) keepLatest(unasked, occurrence.id, { hooks: byWire, occurrence });
  }

  async function tell(
    hooks: readonly EngagedHook[],
    occurrence: HookOccurrence,
    around: Circumstances,
    budget: EventBudget,
  ): Promise<void> {
    for (const engaged of hooks) {
      await memory.once(engaged.hook.id, 0, occurrence, () =>
        callHook(engaged, occurrence, { round: 0, mode: "observe", budget, ...around }, callPorts),
      );
    }
  }

  async function fire(occurrence: HookOccurrence, around: Circumstances): Promise<HookSettlement> {
    const listeners = index.get(occurrence.event);
    if (listeners === undefined) return NO_OPINION;
    const budget = budgets.open(turnOf(occurrence));
    try {
      const settlement = await decide(listeners, occurrence, around, budget);
      await tell(listening(listeners.observers, occurrence).filter(isInline), occurrence, around, budget);
      return settlement;
    } catch (error) {
      return refuseForFault(listeners.deciders, occurrence.event, error, ports.log);
    } finally {
      budget.close();
    }
  }

  function owed(occurrence: HookOccurrence, origin: HookOrigin): readonly HookDelivery[] {
    const observers = listening(index.get(occurrence.event)?.observers ?? [], occurrence);
    const passed = [...unasked.values()];
    unasked.clear();
    const deliver = (engaged: EngagedHook, shown: HookOccurrence): readonly HookDelivery[] =>
      isInline(engaged) || !mayFireAtDepth(origin.depth, engaged.hook.id, origin.hookId)
        ? []
        : deliveryTo(engaged, shown, ports.log);
    return [
      ...observers.flatMap((engaged) => deliver(engaged, occurrence)),
      ...passed.flatMap((one) => one.hooks.flatMap((engaged) => deliver(engaged, one.occurrence))),
    ];
  }

  return {
    listens: (event) => index.has(event),
    fire: (occurrence) => fire(occurrence, ORDINARY),
    owed: (occurrence) => owed(occurrence, ORDINARY.origin),
    from: (origin, watch) => ({
      listens: (event) => index.has(event),
      fire: (occurrence) => fire(occurrence, { origin, ...(watch === undefined ? {} : { watch }) }),
      owed: (occurrence) => owed(occurrence, origin),
    }),
  };
}

const BYPASS_MODES: ReadonlySet<string> = new Set(["bypassPermissions", "bypass", "yolo"]);

/** Whether a question is answered by the mode that the person chose. */
function isWavedThrough(
  { outcome }: HookSettlement,
  { common: { permission_mode = "default" } }: HookOccurrence,
  { askInBypass }: HookSettings,
): boolean {
  return outcome === "ask" && askInBypass === "allow" && BYPASS_MODES.has(permission_mode);
}

function isInline({ hook }: EngagedHook): boolean {
  return hook.target.type === "module";
}

/** Whether a hook wants this occurrence. One whose matcher breaks is called: a guard must not be lost by it. */
function matches({ hook, matches: takes }: EngagedHook, occurrence: HookOccurrence, { log }: HookPorts): boolean {
  try {
    return takes(occurrence);
  } catch {
    log({ level: "warn", code: "hook.matcher_invalid", hook: hook.id, message: "its matcher broke; it is called" });
    return true;
  }
}

function turnOf({ common }: HookOccurrence): string {
  return common.turn_id ?? common.session_id;
}

function keepLatest<Kept>(map: Map<string, Kept>, key: string, value: Kept): void {
  map.delete(key);
  map.set(key, value);
  const oldest = map.size > MAX_REMEMBERED ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
}
