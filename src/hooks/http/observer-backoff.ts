import type { HookResult } from "#src/domain/hook";
import type { GuardVerdict } from "./guard-url";

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Waits before the second try and those after it. After the last one the delivery is put aside. */
const WAITS_MS = [
  5 * SECOND_MS,
  30 * SECOND_MS,
  2 * MINUTE_MS,
  10 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  6 * HOUR_MS,
  12 * HOUR_MS,
];
/** Each wait is spread by this share, both ways: receivers that come back are not met by everybody at once. */
const JITTER = 0.2;
/** Longest wait, whatever a receiver asks for. */
const MAX_WAIT_MS = 12 * HOUR_MS;

/** A hook that has failed for so long is switched off, and its owner told. */
const MAX_FAILING_MS = 72 * HOUR_MS;

const RETRIED_STATUSES: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** What becomes of a delivery after a try. `dead`: put aside for the owner, who may replay it. */
export type DeliveryFate =
  | { readonly type: "done" }
  | { readonly type: "retry"; readonly at: number }
  | { readonly type: "dead"; readonly why: string; readonly isGone?: true };

export interface DeliveryTry {
  readonly result: Pick<HookResult, "exit" | "code" | "status" | "retryAfterMs" | "gone" | "why"> & {
    readonly guard?: GuardVerdict;
  };
  /** The try that was made: 1 for the first. */
  readonly attempt: number;
  /** Epoch milliseconds. */
  readonly now: number;
  /** From 0 up to 1. */
  readonly random: () => number;
}

/** Decides about a delivery to an observer after a try. What a receiver says in a 2xx does not matter. */
export function decideDelivery({ result, attempt, now, random }: DeliveryTry): DeliveryFate {
  const why = result.why ?? `exit ${result.exit}`;
  if (hasArrived(result)) return { type: "done" };
  if (result.gone === true) return { type: "dead", why, isGone: true };
  const waitMs = WAITS_MS[attempt - 1];
  if (!isWorthRetrying(result) || waitMs === undefined) return { type: "dead", why };
  const spread = waitMs * (1 + JITTER * (2 * random() - 1));
  return { type: "retry", at: now + Math.min(Math.max(spread, result.retryAfterMs ?? 0), MAX_WAIT_MS) };
}

/** Whether a receiver took a delivery, whatever it said to it. */
export function hasArrived({ exit, status = 0 }: Pick<HookResult, "exit" | "status">): boolean {
  return exit === 0 || (status >= 200 && status < 300);
}

/** Whether a hook whose deliveries all failed since then is to be switched off. */
export function hasFailedTooLong(failingSince: number | undefined, now: number): boolean {
  return failingSince !== undefined && now - failingSince >= MAX_FAILING_MS;
}

function isWorthRetrying({ status, code, guard }: DeliveryTry["result"]): boolean {
  if (status !== undefined) return status >= 500 || RETRIED_STATUSES.has(status);
  // a name may resolve again; an address that is refused for its text stays refused
  if (guard !== undefined && guard.class !== "public") return guard.stage === "call";
  return code === "hook.network" || code === "hook.timeout" || code === "hook.circuit_open";
}
