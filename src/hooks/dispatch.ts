import {
  HOOK_EVENTS,
  type HookEventName,
  type HookKind,
  type HookSettlement,
  NO_OPINION,
} from "#src/domain/hook-event";
import type { Hook, HookLogEntry } from "#src/domain/hook";
import { supports } from "./decision-fields";
import type { EngagedHook } from "./engaged-hook";
import { isFailClosed } from "./failure-policy";
import type { Firing, Settled } from "./firing";
import { settleClaim } from "./settle-claim";
import { settleGate } from "./settle-gate";
import { settleKeepGoing } from "./settle-keep-going";
import { settleTogether } from "./settle-together";
import { settleTransform } from "./settle-transform";

/** How the answers of several hooks become one, by what an event is for. */
const SETTLES: Readonly<Record<HookKind, (firing: Firing) => Promise<Settled>>> = {
  gate: settleGate,
  inject: settleTogether,
  transform: settleTransform,
  claim: settleClaim,
  "keep-going": settleKeepGoing,
  observe: settleTogether,
};

/** Asks everybody who has a say in an event and settles what they want. */
export async function settle(firing: Firing): Promise<Settled> {
  return SETTLES[HOOK_EVENTS[firing.occurrence.event].kind](firing);
}

/** What an event comes to while a guard of it is no longer what was approved; undefined when there is none. */
export function refuseForChanged(
  refusers: readonly Hook[],
  event: HookEventName,
  log: (entry: HookLogEntry) => void,
): HookSettlement | undefined {
  for (const { id } of refusers) {
    log({ level: "warn", code: "hook.tampered", hook: id, message: "changed since approval; run /hooks approve" });
  }
  const [hook] = refusers;
  if (hook === undefined) return undefined;
  return refusalAt(event, `hook ${hook.name} changed since approval; run /hooks approve`, hook.name);
}

/** What an event comes to when we fail ourselves: nothing passes a guard that was not heard. */
export function refuseForFault(
  deciders: readonly EngagedHook[],
  event: HookEventName,
  error: unknown,
  log: (entry: HookLogEntry) => void,
): HookSettlement {
  const message = error instanceof Error ? error.message : "the hooks could not be called";
  log({ level: "error", code: "hook.exception", message });
  const guard = deciders.find(({ hook }) => isFailClosed(hook))?.hook;
  if (guard === undefined) return NO_OPINION;
  return refusalAt(event, `hook ${guard.name} failed closed: ${message}`, guard.name) ?? NO_OPINION;
}

/** A refusal in the form that the event has for it; undefined for events that nothing can refuse. */
function refusalAt(event: HookEventName, reason: string, by: string): HookSettlement | undefined {
  const refusal = { outcome: "deny" as const, reason, by, notes: [] };
  if (supports(event, "permission")) return { ...refusal, permission: { behavior: "deny", message: reason } };
  if (supports(event, "prevent")) return { ...refusal, prevent: { reason } };
  if (supports(event, "skip")) return { ...refusal, skip: { reason } };
  const { kind } = HOOK_EVENTS[event];
  return kind === "gate" || kind === "transform" ? refusal : undefined;
}
