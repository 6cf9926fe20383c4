import type { JsonObject, JsonValue } from "#src/domain/json";
import { isFields } from "../plain-json";
import type { ImportRun } from "./import-run";

/** What stands under `hooks`, or the whole when there is no such key. */
export function hooksIn(configured: JsonValue): JsonValue {
  return isFields(configured) && configured["hooks"] !== undefined ? configured["hooks"] : configured;
}

/** The entries of a list of hooks that each name their event. What is none is told. */
export function* hookEntries(
  configured: JsonValue,
  run: ImportRun,
): Generator<{ readonly event: string; readonly fields: JsonObject }> {
  const list = hooksIn(configured);
  if (list === null) return;
  const entries = isFields(list) ? byEvent(list) : list;
  if (!Array.isArray(entries)) {
    run.tell({ level: "warn", code: "hook.missing_target", message: "hooks is no list" });
    return;
  }
  for (const fields of entries as readonly JsonValue[]) {
    const event = isFields(fields) ? fields["event"] : undefined;
    if (isFields(fields) && typeof event === "string") yield { event, fields };
    else run.skip("hook.unknown_event", "an entry names no event");
  }
}

/** The entries of lists that stand under the names of their events. */
function byEvent(hooks: JsonObject): readonly JsonValue[] {
  return Object.entries(hooks).flatMap(([event, entries]) =>
    Array.isArray(entries)
      ? (entries as readonly JsonValue[]).map((entry) => (isFields(entry) ? { event, ...entry } : entry))
      : [],
  );
}
