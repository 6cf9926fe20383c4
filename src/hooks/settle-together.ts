import type { HookDecision, HookOccurrence, HookSettlement } from "#src/domain/hook-event";
import type { EngagedHook } from "./engaged-hook";
import { type Firing, type Settled, joinContexts, present } from "./firing";

/** Hooks that add context are called at the same time, but no more than this many: a Worker has few connections. */
const USUAL_AT_ONCE = 4;
const MAX_AT_ONCE = 5;

/** Those who add context are asked at the same time; what they say is put together in their order. */
export async function settleTogether(firing: Firing): Promise<Settled> {
  const { hooks, occurrence } = firing;
  const decisions = await askTogether(hooks, occurrence, firing);
  const stopAt = decisions.findIndex((decision) => decision?.stop !== undefined);
  const outputAt = decisions.findIndex((decision) => newOutput(decision) !== undefined);
  return {
    settlement: present<HookSettlement>({
      outcome: stopAt === -1 ? "none" : "stop",
      reason: decisions[stopAt]?.stop?.message,
      by: hooks[stopAt]?.hook.name,
      output: newOutput(decisions[outputAt]),
      context: joinContexts(decisions.map((decision) => decision?.context)),
      notes: decisions.flatMap((decision) => decision?.notes ?? []),
      meta: decisions.find((decision) => decision?.meta !== undefined)?.meta,
      retry: decisions.some((decision) => decision?.retry === true) ? true : undefined,
    }),
  };
}

/** What each of them says to the same occurrence, in their order. */
export async function askTogether(
  hooks: readonly EngagedHook[],
  occurrence: HookOccurrence,
  { ask }: Pick<Firing, "ask">,
): Promise<readonly (HookDecision | undefined)[]> {
  const [only] = hooks;
  // most are alone: what is on a turn's path waits once
  if (only !== undefined && hooks.length === 1) return [await ask(only, occurrence)];
  return inLanes(hooks, limitOf(hooks), (engaged) => ask(engaged, occurrence));
}

function newOutput(decision: HookDecision | undefined): HookDecision["output"] {
  return decision?.output ?? decision?.text;
}

function limitOf(hooks: readonly EngagedHook[]): number {
  const wanted = hooks.flatMap(({ hook }) => hook.maxConcurrent ?? []);
  return Math.max(1, Math.min(MAX_AT_ONCE, wanted.length === 0 ? USUAL_AT_ONCE : Math.min(...wanted)));
}

/** Runs all items, at most `size` at a time: the next begins when any of them ends. Keeps the order of the results. */
async function inLanes<Item, Made>(
  items: readonly Item[],
  size: number,
  run: (item: Item) => Promise<Made>,
): Promise<readonly Made[]> {
  if (items.length <= size) return Promise.all(items.map(run));
  const made: Made[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) made[index] = await run(item);
  };
  await Promise.all(Array.from({ length: size }, lane));
  return made;
}
