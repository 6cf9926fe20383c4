import type { HookDecision, HookOccurrence, HookSettlement } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { applyInput } from "./apply-input";
import { supports } from "./decision-fields";
import type { EngagedHook } from "./engaged-hook";
import { isFailClosed } from "./failure-policy";
import { type Firing, type Settled, inputOf, joinContexts, present, toolOf, occurrenceWith, withText } from "./firing";
import { askTogether } from "./settle-together";

/** What was said so far, hook by hook. */
interface Tally {
  occurrence: HookOccurrence;
  input?: JsonObject;
  text?: string;
  meta?: HookDecision["meta"];
  /** Position of the last hook that changed the input. */
  lastRewriter: number;
  readonly notes: string[];
  readonly contexts: string[];
  readonly first: Partial<Record<"defer" | "ask" | "allow", Verdict>>;
}

interface Verdict {
  readonly outcome: HookSettlement["outcome"];
  readonly reason?: string;
  readonly by: string;
  readonly ruleKey?: string;
  readonly prevent?: HookSettlement["prevent"];
}

/**
 * Gates are heard one after the other; each sees what those before it made of the input, and the first refusal ends it.
 * Neighbours that only add context are asked at the same time, and heard in their order all the same.
 */
export async function settleGate(firing: Firing): Promise<Settled> {
  const tally: Tally = { occurrence: firing.occurrence, lastRewriter: -1, notes: [], contexts: [], first: {} };
  let asked = 0;
  for (const group of groupsOf(firing.hooks)) {
    const decisions = await askTogether(group, tally.occurrence, firing);
    const first = asked;
    asked += group.length;
    for (const [at, { hook }] of group.entries()) {
      const decision = decisions[at];
      const verdict = decision && hear(decision, hook, first + at, tally, firing);
      if (verdict === undefined) continue;
      const unasked = { hooks: firing.hooks.slice(asked), occurrence: tally.occurrence };
      return { settlement: settlementOf(tally, verdict), unasked };
    }
  }
  const refusal = await recheck(tally, firing);
  const { first } = tally;
  return { settlement: settlementOf(tally, refusal ?? first.defer ?? first.ask ?? first.allow) };
}

/** The hooks one by one, but for neighbours that only add context. */
function groupsOf(hooks: readonly EngagedHook[]): readonly (readonly EngagedHook[])[] {
  const groups: EngagedHook[][] = [];
  for (const engaged of hooks) {
    const last = groups.at(-1);
    if (engaged.onlyAdds && last?.[0]?.onlyAdds === true) last.push(engaged);
    else groups.push([engaged]);
  }
  return groups;
}

/** Takes one answer in; the verdict when it ends the matter. */
function hear(decision: HookDecision, hook: Hook, index: number, tally: Tally, firing: Firing): Verdict | undefined {
  tally.notes.push(...(decision.notes ?? []));
  if (decision.context !== undefined) tally.contexts.push(decision.context);
  tally.meta = decision.meta ?? tally.meta;
  const final = finalVerdict(decision, hook);
  if (final !== undefined) return final;
  const { decision: said, reason, ruleKey } = decision;
  if (said === "defer" || said === "ask" || said === "allow") {
    tally.first[said] ??= present<Verdict>({ outcome: said, reason, by: hook.name, ruleKey });
  }
  if (decision.input !== undefined) rewrite(decision.input, hook, index, tally, firing);
  if (decision.text !== undefined) {
    tally.text = decision.text;
    tally.occurrence = withText(tally.occurrence, decision.text);
  }
  return undefined;
}

function finalVerdict({ stop, decision, prevent, reason }: HookDecision, hook: Hook): Verdict | undefined {
  if (stop !== undefined) return present<Verdict>({ outcome: "stop", reason: stop.message, by: hook.name });
  if (decision !== "deny" && prevent === undefined) return undefined;
  const why = prevent?.reason ?? reason ?? "Blocked by hook.";
  return { outcome: "deny", reason: why, by: hook.name, prevent: { reason: why } };
}

function rewrite(
  change: NonNullable<HookDecision["input"]>,
  hook: Hook,
  index: number,
  tally: Tally,
  { log }: Firing,
): void {
  const before = inputOf(tally.occurrence) ?? {};
  const applied = applyInput(before, change, hook.id);
  applied.log.forEach(log);
  tally.input = applied.input;
  tally.lastRewriter = index;
  tally.occurrence = occurrenceWith(tally.occurrence, {
    input: applied.input,
    original_input: firstInput(tally.occurrence, before),
  });
}

function firstInput({ data }: HookOccurrence, before: JsonObject): HookOccurrence["data"][string] {
  return data["original_input"] ?? before;
}

/** A rewritten input must still be one that the tool takes, and that the guards before the rewrite let pass. */
async function recheck(tally: Tally, firing: Firing): Promise<Verdict | undefined> {
  if (tally.input === undefined) return undefined;
  const by = firing.hooks[tally.lastRewriter]?.hook.name ?? "";
  const problem = firing.validate(toolOf(firing.occurrence)?.name ?? "", tally.input);
  if (problem !== undefined) return { outcome: "deny", reason: `Hook modified parameters are invalid: ${problem}`, by };
  for (const engaged of firing.hooks.slice(0, tally.lastRewriter).filter(isGuard)) {
    const decision = await firing.ask(engaged, tally.occurrence, 1);
    if (decision?.decision !== "deny") continue;
    return { outcome: "deny", reason: decision.reason ?? "Blocked by hook.", by: engaged.hook.name };
  }
  return undefined;
}

function isGuard({ hook }: EngagedHook): boolean {
  return isFailClosed(hook);
}

function settlementOf(tally: Tally, verdict: Verdict | undefined): HookSettlement {
  return present<HookSettlement>({
    outcome: verdict?.outcome ?? "none",
    reason: verdict?.reason,
    by: verdict?.by,
    ruleKey: verdict?.ruleKey,
    prevent: supports(tally.occurrence.event, "prevent") ? verdict?.prevent : undefined,
    input: tally.input,
    text: tally.text,
    context: joinContexts(tally.contexts),
    notes: tally.notes,
    meta: tally.meta,
  });
}
