import { HOOK_EVENTS, type HookDecision, type HookEventName, type HookSettlement } from "#src/domain/hook-event";
import type { JsonValue } from "#src/domain/json";
import { type Firing, type Settled, joinContexts, present, withText } from "./firing";

/** What a transform came to so far. */
interface Progress {
  /** The replacement that stands, and whose it is. */
  winner?: { readonly value: JsonValue; readonly by: string };
  readonly notes: string[];
  readonly contexts: (string | undefined)[];
}

/**
 * Those who replace a text are asked one after the other; the first replacement stands. One that chains works on what
 * stands so far. All are asked, for what they want a person to know.
 */
export async function settleTransform(firing: Firing): Promise<Settled> {
  const progress: Progress = { notes: [], contexts: [] };
  for (const engaged of firing.hooks) {
    const { hook } = engaged;
    const stands = hook.chain === true ? progress.winner?.value : undefined;
    const shown = stands === undefined ? firing.occurrence : withText(firing.occurrence, stands);
    const decision = await firing.ask(engaged, shown);
    if (decision === undefined) continue;
    progress.notes.push(...(decision.notes ?? []));
    progress.contexts.push(decision.context);
    const ends = endOf(decision, hook.name, progress);
    if (ends !== undefined) return { settlement: ends };
    const value = replacementOf(decision, firing.occurrence.event);
    if (value === undefined) continue;
    if (progress.winner === undefined || hook.chain === true) progress.winner = { value, by: hook.name };
    else
      firing.log({
        level: "debug",
        code: "hook.field_ignored",
        hook: hook.id,
        message: "a hook before it replaced the text",
      });
  }
  return { settlement: settlementOf(progress) };
}

function endOf({ stop, decision, reason }: HookDecision, by: string, progress: Progress): HookSettlement | undefined {
  const { notes } = progress;
  if (stop !== undefined) return present<HookSettlement>({ outcome: "stop", reason: stop.message, by, notes });
  if (decision !== "deny") return undefined;
  return present<HookSettlement>({ outcome: "deny", reason, by, notes });
}

function replacementOf({ text, output }: HookDecision, event: HookEventName): JsonValue | undefined {
  const value = text ?? output;
  const spec = HOOK_EVENTS[event];
  return value === "" && "nonEmpty" in spec ? undefined : value;
}

function settlementOf({ winner, notes, contexts }: Progress): HookSettlement {
  const value = winner?.value;
  return present<HookSettlement>({
    outcome: "none",
    by: winner?.by,
    text: typeof value === "string" ? value : undefined,
    output: typeof value === "string" ? undefined : value,
    context: joinContexts(contexts),
    notes,
  });
}
