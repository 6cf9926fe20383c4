import type { HookResult } from "#src/domain/hook";

/** Failures in a row that open the circuit; a timeout counts for two. */
const MAX_CONSECUTIVE = 5;
/** Share of failed calls that opens it, out of at least so many in the window. */
const MAX_FAILURE_SHARE = 0.5;
const MIN_CALLS = 20;
const WINDOW_MS = 60_000;
/** Calls of the window that are remembered, the latest. */
const MAX_REMEMBERED = 200;

/** How long it stays open before one call is tried, at first and at most. */
const FIRST_OPEN_MS = 30_000;
const MAX_OPEN_MS = 600_000;
/** A gate that denies while its circuit is open is tried more often. */
const FAIL_CLOSED_PROBE_MS = 10_000;
/** A probe that nobody heard of again is forgotten: longer than any call may take. */
const LOST_PROBE_MS = 300_000;

/** Milliseconds between two log lines about one open circuit. */
const LOG_EVERY_MS = 60_000;

/** What is known of one hook's endpoint. Plain JSON: it is kept beside the hook. Times are epoch milliseconds. */
export interface CircuitState {
  readonly consecutive: number;
  /** The latest calls, oldest first: when, and what each weighs as a failure (0 for a success). */
  readonly calls: readonly (readonly [at: number, weight: number])[];
  /** Since when it is open; absent while it is closed. */
  readonly openedAt?: number;
  /** How long it stays open this time. */
  readonly openMs?: number;
  /** When the one call was let through that decides; absent when none is under way. */
  readonly probedAt?: number;
  readonly loggedAt?: number;
}

export type CircuitEvent = "started" | "succeeded" | "failed" | "timed_out" | "logged";

/** Whether a call may leave: as usual, as the one that decides, or not. */
export type CircuitPermission = "call" | "probe" | "skip";

/** A circuit that nothing is known of. */
export const CLOSED_CIRCUIT: CircuitState = { consecutive: 0, calls: [] };

export function mayCall(state: CircuitState, now: number, isFailClosed: boolean): CircuitPermission {
  if (state.openedAt === undefined) return "call";
  if (state.probedAt !== undefined && now - state.probedAt < LOST_PROBE_MS) return "skip";
  const openMs = state.openMs ?? FIRST_OPEN_MS;
  return now - state.openedAt >= (isFailClosed ? FAIL_CLOSED_PROBE_MS : openMs) ? "probe" : "skip";
}

/** Whether skipping a call is worth a log line by now. A `logged` event must follow. */
export function isLogDue({ loggedAt }: CircuitState, now: number): boolean {
  return loggedAt === undefined || now - loggedAt >= LOG_EVERY_MS;
}

/** The state after something happened: `started` before a call leaves, then how it ended. */
export function nextCircuit(state: CircuitState, event: CircuitEvent, now: number): CircuitState {
  switch (event) {
    case "logged":
      return { ...state, loggedAt: now };
    case "started":
      return state.openedAt === undefined ? state : { ...state, probedAt: now };
    case "succeeded":
      return state.openedAt === undefined
        ? { ...state, consecutive: 0, calls: remember(state, now, 0) }
        : CLOSED_CIRCUIT;
    case "failed":
      return failedOnce(state, now, 1);
    case "timed_out":
      return failedOnce(state, now, 2);
  }
}

/** What a result says of the endpoint; undefined when nothing was sent, or when it says nothing of the endpoint. */
export function circuitEventOf({ exit, code, via }: HookResult): "succeeded" | "failed" | "timed_out" | undefined {
  if (code === "hook.ssrf_blocked" || code === "hook.circuit_open") return undefined;
  if (code === "hook.timeout" || exit === 124) return "timed_out";
  // a script that fails behind an endpoint that works
  if (via === "exec" && code === undefined) return "succeeded";
  return exit === 0 || exit === 2 ? "succeeded" : "failed";
}

function failedOnce(state: CircuitState, now: number, weight: number): CircuitState {
  const { probedAt: _over, ...rest } = state;
  const next = { ...rest, consecutive: state.consecutive + weight, calls: remember(state, now, weight) };
  if (state.openedAt !== undefined) return reopened(next, state, now);
  const failures = next.calls.reduce((sum, [, each]) => sum + each, 0);
  const isOften = next.calls.length >= MIN_CALLS && failures >= next.calls.length * MAX_FAILURE_SHARE;
  return next.consecutive >= MAX_CONSECUTIVE || isOften ? { ...next, openedAt: now, openMs: FIRST_OPEN_MS } : next;
}

/** Only the probe decides: a call that had left before the circuit opened does not open it for longer. */
function reopened(next: CircuitState, before: CircuitState, now: number): CircuitState {
  if (before.probedAt === undefined) return next;
  return { ...next, openedAt: now, openMs: Math.min((before.openMs ?? FIRST_OPEN_MS) * 2, MAX_OPEN_MS) };
}

function remember({ calls }: CircuitState, now: number, weight: number): CircuitState["calls"] {
  const recent = calls.filter(([at]) => now - at < WINDOW_MS);
  return [...recent, [now, weight] as const].slice(-MAX_REMEMBERED);
}
