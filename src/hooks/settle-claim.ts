import type { HookDecision, HookSettlement } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import { type Firing, type Settled, present, toolOf } from "./firing";

/** Those who may take a matter on themselves are asked one after the other; the first who does settles it. */
export async function settleClaim(firing: Firing): Promise<Settled> {
  const notes: string[] = [];
  for (const engaged of firing.hooks) {
    const decision = await firing.ask(engaged, firing.occurrence);
    if (decision === undefined) continue;
    notes.push(...(decision.notes ?? []));
    const claim = claimOf(decision, engaged.hook, firing);
    if (claim !== undefined) return { settlement: { ...claim, by: engaged.hook.name, notes } };
  }
  return { settlement: { outcome: "none", notes } };
}

function claimOf(decision: HookDecision, hook: Hook, firing: Firing): Omit<HookSettlement, "notes"> | undefined {
  const { stop, skip, text, elicitation, meta } = decision;
  if (stop !== undefined) return present<Omit<HookSettlement, "notes">>({ outcome: "stop", reason: stop.message });
  const permission = permissionOf(decision, firing);
  if (permission !== undefined) return { outcome: permission.behavior, permission };
  if (skip !== undefined) return present<Omit<HookSettlement, "notes">>({ outcome: "none", skip, reason: skip.reason });
  if (text !== undefined) return { outcome: "none", text };
  if (elicitation !== undefined) return { outcome: "none", elicitation };
  if (meta !== undefined) return { outcome: "none", meta };
  if (firing.occurrence.event === "tool.permission" || decision.decision === undefined) return undefined;
  return present<Omit<HookSettlement, "notes">>({
    outcome: decision.decision,
    reason: decision.reason,
    // a message that nobody may vouch for is not let in
    skip: decision.decision === "deny" ? present({ reason: decision.reason ?? `refused by ${hook.name}` }) : undefined,
  });
}

/** A permission as a hook gives it; an input that it changed must still be one that the tool takes. */
function permissionOf(decision: HookDecision, { occurrence, validate }: Firing): HookDecision["permission"] {
  const { permission } = decision;
  if (permission === undefined) {
    const isRefused = occurrence.event === "tool.permission" && decision.decision === "deny";
    return isRefused ? present({ behavior: "deny" as const, message: decision.reason }) : undefined;
  }
  if (permission.behavior === "deny" || permission.input === undefined) return permission;
  const problem = validate(toolOf(occurrence)?.name ?? "", permission.input);
  if (problem === undefined) return permission;
  return { behavior: "deny", message: `Hook modified parameters are invalid: ${problem}` };
}
