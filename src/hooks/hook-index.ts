import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import { type HookStatus, guardsThoughChanged } from "./approvals";
import { engageHook } from "./engage-hook";
import type { EngagedHook } from "./engaged-hook";

/** A hook of the configuration and where it stands. */
export interface ListedHook {
  readonly hook: Hook;
  readonly status: HookStatus;
}

/** Who listens to one event, in the order in which they are heard. */
export interface Listeners {
  /** Those whose answer counts. */
  readonly deciders: readonly EngagedHook[];
  readonly observers: readonly EngagedHook[];
  /** Those that stood guard and may not be called as they are now: until somebody looks, nothing passes them. */
  readonly refusers: readonly Hook[];
}

/** Who listens to what: made once for a configuration, so that an event costs one look-up. */
export function indexHooks(listed: readonly ListedHook[]): ReadonlyMap<HookEventName, Listeners> {
  const index = new Map<HookEventName, { deciders: EngagedHook[]; observers: EngagedHook[]; refusers: Hook[] }>();
  const listenersOf = (event: HookEventName) => {
    const known = index.get(event) ?? { deciders: [], observers: [], refusers: [] };
    index.set(event, known);
    return known;
  };
  const seen = new Set<string>();
  for (const { hook, status } of inOrder(listed)) {
    for (const event of hook.events) {
      const key = `${event}\n${hook.id}`;
      // the same hook in two files is one hook
      if (seen.has(key)) continue;
      seen.add(key);
      if (guardsThoughChanged(hook, status)) listenersOf(event).refusers.push(hook);
      if (!isCalled(status)) continue;
      const engaged = engageHook(hook, event);
      const { deciders, observers } = listenersOf(event);
      (engaged.decides && HOOK_EVENTS[event].kind !== "observe" ? deciders : observers).push(engaged);
    }
  }
  return index;
}

/** One that cannot be reached is called all the same: it fails, by its own policy. */
function isCalled(status: HookStatus): boolean {
  return status === "active" || status === "unavailable";
}

const RANKS: Readonly<Record<Hook["rank"], number>> = { managed: 0, plugin: 1, config: 2 };

function inOrder(listed: readonly ListedHook[]): readonly ListedHook[] {
  return listed.toSorted(({ hook: a }, { hook: b }) => RANKS[a.rank] - RANKS[b.rank] || b.priority - a.priority);
}
