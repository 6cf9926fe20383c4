import type { Hook, HookDialectName, HookReading, HookResult } from "#src/domain/hook";
import type { HookOccurrence } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";
import type { HookImport } from "#src/hooks/dialect";
import { dialectOf } from "#src/hooks/dialects/registry";
import { aHook } from "./hook-fixtures";

/** Imports a configuration, as config.yaml would hold it. */
export function imported(dialect: HookDialectName, native: JsonValue): HookImport {
  return dialectOf(dialect).importHooks(native, { source: "config.yaml", rank: "config" });
}

/** A hook of a dialect at one of its events: a command unless a test says otherwise. */
export function hookAt(dialect: HookDialectName, nativeEvent: string, over: Partial<Hook> = {}): Hook {
  const events = dialectOf(dialect).resolveEvent(nativeEvent) ?? [];
  return aHook({ dialect, nativeEvent, events, target: { type: "command", command: "h" }, ...over });
}

/** What a command came to that printed this. */
export function ran(stdout: string | JsonObject, over: Partial<HookResult> = {}): HookResult {
  const text = typeof stdout === "string" ? stdout : JSON.stringify(stdout);
  return { exit: 0, stdout: text, stderr: "", via: "exec", durationMs: 0, ...over };
}

/** What a module returned. */
export function returned(value: unknown): HookResult {
  return { exit: 0, stdout: "", stderr: "", via: "module", returned: value, durationMs: 0 };
}

/** How a hook's dialect reads an answer. */
export function readOf(hook: Hook, result: HookResult, occurrence: HookOccurrence): HookReading {
  return dialectOf(hook.dialect).read(hook, result, occurrence);
}

/** The decision that a hook's dialect reads in an answer; undefined when it reads a failure. */
export function decisionOf(hook: Hook, result: HookResult, occurrence: HookOccurrence) {
  const reading = readOf(hook, result, occurrence);
  return reading.type === "decision" ? reading.decision : undefined;
}

/** Whether a hook's matcher takes an occurrence. */
export function matchesOf(hook: Hook, occurrence: HookOccurrence): boolean {
  return dialectOf(hook.dialect).matcher(hook)(occurrence);
}

/** What a hook is handed. */
export function payloadOf(hook: Hook, occurrence: HookOccurrence): JsonObject {
  return dialectOf(hook.dialect).payload(hook, occurrence);
}
