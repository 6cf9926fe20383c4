import type { HookCall } from "#src/hooks/transports/transport";
import { aHook, occurrenceOf } from "./hook-fixtures";

/** One call to a hook, with what a test changes of it. */
export function aCall(over: Partial<HookCall> = {}): HookCall {
  const { signal } = new AbortController();
  const occurrence = occurrenceOf();
  const payload = over.payload ?? {};
  return {
    hook: aHook(),
    occurrence: { ...occurrence, common: { ...occurrence.common, cwd: "/p" } },
    payload,
    body: () => JSON.stringify(payload),
    mode: "decision",
    attempt: 1,
    depth: 1,
    timeoutMs: 10_000,
    deadlineAt: 10_000,
    signal: () => signal,
    ...over,
  };
}
