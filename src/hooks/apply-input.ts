import type { HookDecision } from "#src/domain/hook-event";
import type { HookLogEntry } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";

type Rewrite = NonNullable<HookDecision["input"]>;

/**
 * What a rewrite makes of a tool's input: `merge` adds and replaces keys, `existing` replaces those that are there,
 * `replace` takes the place of the whole.
 */
export function applyInput(
  input: JsonObject,
  { mode, value }: Rewrite,
  hookId: string,
): { readonly input: JsonObject; readonly log: readonly HookLogEntry[] } {
  if (mode === "replace") return { input: value, log: [] };
  if (mode === "merge") return { input: { ...input, ...value }, log: [] };
  const known: Record<string, JsonValue> = { ...input };
  const log: HookLogEntry[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (Object.hasOwn(input, key)) known[key] = item;
    else
      log.push({ level: "warn", code: "hook.rewrite_unknown_key", hook: hookId, message: `the input has no "${key}"` });
  }
  return { input: known, log };
}
