import type { HookEventName } from "#src/domain/hook-event";
import type { HookDialectName } from "#src/domain/hook";
import { toHex } from "#src/lib/encoding";

/** What the headers of one try say of it. */
export interface HookRequestFacts {
  /** Our version, for `user-agent`. */
  readonly version: string;
  readonly hookId: string;
  readonly dialect: HookDialectName;
  readonly event: HookEventName;
  /** The event's name in the hook's dialect. */
  readonly nativeEvent: string;
  readonly eventId: string;
  /** Whether the answer counts. */
  readonly mode: "decision" | "observe";
  /** 1 for the first try. */
  readonly attempt: number;
  /** Epoch milliseconds after which nobody waits for the answer. */
  readonly deadlineAt: number;
  /** How many hooks deep the event already is: what a receiver gives back when it calls our API. */
  readonly depth: number;
  /** W3C trace context. */
  readonly traceparent: string;
}

/** Our own headers of a request to a hook, without its signature. Hermes' receivers get the names they know as well. */
export function hookRequestHeaders(facts: HookRequestFacts): Record<string, string> {
  return {
    "content-type": "application/json; charset=utf-8",
    "user-agent": `talaria-hooks/${facts.version}`,
    "x-agent-hook-event": facts.event,
    "x-agent-hook-dialect": facts.dialect,
    "x-agent-hook-hook-id": encodeURIComponent(facts.hookId),
    "x-agent-hook-attempt": String(facts.attempt),
    "x-agent-hook-mode": facts.mode,
    "x-agent-hook-deadline": String(facts.deadlineAt),
    "x-agent-hook-depth": String(facts.depth),
    traceparent: facts.traceparent,
    ...(facts.dialect === "hermes"
      ? { "x-hermes-event": encodeURIComponent(facts.nativeEvent), "x-hermes-delivery": facts.eventId }
      : {}),
  };
}

/** A new W3C trace context. Source: https://www.w3.org/TR/trace-context/#traceparent-header */
export function newTraceparent(random: (bytes: number) => Uint8Array): string {
  return `00-${toHex(random(16))}-${toHex(random(8))}-01`;
}

/** How deep an event is that a request into our own API causes; 0 for everybody who is no hook. */
export function readHookDepth(headers: Headers): number {
  const written = headers.get("x-agent-hook-depth") ?? "";
  return /^\d{1,3}$/.test(written) ? Number(written) : 0;
}

/** Whether a hook may be told of an event that hooks themselves caused: not of its own, and of nothing deeper. */
export function mayFireAtDepth(depth: number, hookId: string, originHookId: string | undefined): boolean {
  if (depth === 0) return true;
  return depth === 1 && hookId !== originHookId;
}
