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
  if (list === null || (isFields(list) && Object.keys(list).length === 0)) return;
  if (!Array.isArray(list)) {
    run.tell({ level: "warn", code: "hook.missing_target", message: "hooks is no list" });
    return;
  }
  for (const fields of list as readonly JsonValue[]) {
    const event = isFields(fields) ? fields["event"] : undefined;
    if (isFields(fields) && typeof event === "string") yield { event, fields };
    else run.skip("hook.unknown_event", "an entry names no event");
  }
}
