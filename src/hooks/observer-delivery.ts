import type { HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookDelivery, HookLogEntry, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import type { EngagedHook } from "./engaged-hook";
import { MAX_BODY_BYTES, fitBody } from "./http/fit-body";
import { exitEntry } from "./read-output";
import { type HookCall, type HookTransport, failedResult } from "./transports/transport";

/** What is owed to one observer of an event: nothing when its payload cannot be made. */
export function deliveryTo(
  { hook, payload }: EngagedHook,
  occurrence: HookOccurrence,
  log: (entry: HookLogEntry) => void,
): readonly HookDelivery[] {
  const { event, id, seq } = occurrence;
  try {
    return [{ hookId: hook.id, event, eventId: id, seq, body: bodyOf(payload(occurrence), occurrence, hook) }];
  } catch (error) {
    const message = error instanceof Error ? error.message : "its payload cannot be made";
    log({ level: "warn", code: "hook.exception", hook: hook.id, message });
    return [];
  }
}

function bodyOf(payload: JsonObject, { event }: HookOccurrence, hook: Hook): string {
  const body = JSON.stringify(payload);
  // a character is at most three bytes
  if (body.length * 3 <= MAX_BODY_BYTES) return body;
  const options = {
    event,
    maxBytes: MAX_BODY_BYTES,
    ...(hook.dialect === "native" ? { listCutsIn: "data" as const } : {}),
  };
  const fitted = fitBody(payload, options);
  if (!fitted.fits) throw new RangeError("the event is too large for it");
  return fitted.body;
}

/** What is told of a try that failed. What a receiver says is nobody's concern otherwise. */
export function deliveryLog({ id }: Hook, result: HookResult): readonly HookLogEntry[] {
  if (result.exit === 0) return [];
  const { code, why } = result;
  if (code === undefined) return [{ ...exitEntry(result), hook: id }];
  return [{ level: code === "hook.ssrf_blocked" ? "error" : "warn", code, hook: id, message: why ?? code }];
}

/** One try to bring a delivery to its observer. */
export interface DeliveryAttempt {
  readonly hook: Hook;
  readonly delivery: HookDelivery;
  /** The event as far as a transport needs it; its data stands in the body. */
  readonly common: HookOccurrence["common"];
  /** Epoch milliseconds of the event. */
  readonly at: number;
  /** 1 for the first try. */
  readonly attempt: number;
  /** Epoch milliseconds of this try. */
  readonly now: number;
  readonly signal: AbortSignal;
}

/** Sends a delivery as it was written when the event happened. Never throws; what becomes of it is for the caller. */
export async function sendDelivery(
  { hook, delivery, common, at, attempt, now, signal }: DeliveryAttempt,
  transport: HookTransport | undefined,
): Promise<HookResult> {
  const via = hook.target.type === "command" ? "exec" : hook.target.type;
  if (transport === undefined) return failedResult(via, "nothing here can call it", { code: "hook.unavailable" });
  const { event, eventId, seq, body } = delivery;
  const call: HookCall = {
    hook,
    occurrence: { event, id: eventId, seq, at, common, data: {} },
    // it was made of the payload by JSON.stringify
    payload: JSON.parse(body) as JsonObject,
    body: () => body,
    mode: "observe",
    attempt,
    depth: 1,
    timeoutMs: hook.timeoutMs,
    deadlineAt: now + hook.timeoutMs,
    signal: () => signal,
  };
  try {
    return await transport.call(call, hook.target);
  } catch (error) {
    const why = error instanceof Error ? error.message : "it could not be called";
    return failedResult(via, why, { stderr: why });
  }
}
