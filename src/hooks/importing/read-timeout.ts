import type { HookLogEntry, HookTarget } from "#src/domain/hook";
import type { JsonValue } from "#src/domain/json";

/** How long hooks of a system may take, in seconds. */
export interface TimeoutRule {
  /** When the entry does not say. */
  readonly usual: number;
  readonly most?: number;
  readonly least?: number;
}

/** Longest that a call of each kind may take here, in seconds, whatever its system allows. */
const TRANSPORT_MOST: Readonly<Record<HookTarget["type"], number>> = {
  http: 120,
  command: 300,
  module: 120,
  prompt: 120,
};

/** Reads an entry's time-out in seconds. One above a cap is cut to it, and told: most of those are milliseconds. */
export function readTimeout(
  value: JsonValue | undefined,
  { usual, most = Number.POSITIVE_INFINITY, least = 0 }: TimeoutRule,
  type: HookTarget["type"],
): { readonly timeoutMs: number; readonly log: readonly HookLogEntry[] } {
  const cap = Math.min(most, TRANSPORT_MOST[type]);
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  if (typeof seconds !== "number" || !Number.isFinite(seconds) || seconds <= 0) {
    return { timeoutMs: inMs(Math.min(usual, cap)), log: [] };
  }
  if (seconds <= cap) return { timeoutMs: inMs(Math.max(seconds, least)), log: [] };
  const entry: HookLogEntry = {
    level: "warn",
    code: "hook.timeout_clamped",
    message: `its timeout of ${seconds} s was cut to ${cap} s`,
    ...(seconds % 1000 === 0 ? { hint: "seconds" } : {}),
  };
  return { timeoutMs: inMs(cap), log: [entry] };
}

function inMs(seconds: number): number {
  return Math.max(1, Math.round(seconds * 1000));
}
