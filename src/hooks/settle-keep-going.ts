import type { HookDecision, HookSettlement } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import { type Firing, type Settled, present } from "./firing";

/**
 * Those who may refuse that an agent stops are asked one after the other; the first who refuses is obeyed. How often
 * the agent was kept going since a person last wrote stands in the event as `attempt`; at its cap a hook is not obeyed
 * any more, and the person is told.
 */
export async function settleKeepGoing(firing: Firing): Promise<Settled> {
  const notes: string[] = [];
  const attempt = attemptOf(firing);
  for (const engaged of firing.hooks) {
    const { hook, maxContinuations } = engaged;
    const decision = await firing.ask(engaged, firing.occurrence);
    if (decision === undefined) continue;
    notes.push(...(decision.notes ?? []));
    if (decision.stop !== undefined) {
      return {
        settlement: present<HookSettlement>({ outcome: "stop", reason: decision.stop.message, by: hook.name, notes }),
      };
    }
    const message = messageOf(decision);
    if (message === undefined) continue;
    const isRepeated = firing.isRepeated(hook, message);
    if (attempt < maxContinuations) {
      return { settlement: { outcome: "none", keepGoing: { message }, by: hook.name, notes } };
    }
    notes.push(tellCap(hook, maxContinuations, isRepeated, firing));
  }
  return { settlement: { outcome: "none", notes } };
}

function attemptOf({ occurrence }: Firing): number {
  const attempt = occurrence.data["attempt"];
  return typeof attempt === "number" ? attempt : 0;
}

/** A refusal to stop, in its own words or as a gate's. */
function messageOf({ keepGoing, decision, reason }: HookDecision): string | undefined {
  if (keepGoing !== undefined) return keepGoing.message;
  return decision === "deny" ? (reason ?? "Blocked by hook.") : undefined;
}

function tellCap(hook: Hook, times: number, isRepeated: boolean, { log, occurrence }: Firing): string {
  const again = isRepeated ? ", at last with the words it had used before" : "";
  const message = `not obeyed at ${occurrence.event}: it kept the agent going ${times} times${again}`;
  log({ level: "warn", code: "hook.stop_cap", hook: hook.id, message });
  return `The hook ${hook.name} was not satisfied after ${times} tries${again}; the agent stopped all the same.`;
}
