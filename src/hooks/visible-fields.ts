import type { HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import { digestNow } from "./short-digest";

/** Fields that hold a conversation, and those that hold what a tool gave. */
const HISTORY_FIELDS = ["history", "messages"] as const;
const RESULT_FIELDS = ["result", "result_text", "output", "results"] as const;

/**
 * An occurrence with as much of its large fields as a hook is to see: its `fields` say it, else the conversation stays
 * here when a native hook is called over HTTP. Other systems promise their hooks all of it.
 */
export function visibleTo(hook: Hook, occurrence: HookOccurrence): HookOccurrence {
  const { fields, dialect, target } = hook;
  const history = fields?.["history"] ?? (dialect === "native" && target.type === "http" ? "none" : "full");
  const result = fields?.["result"] ?? "full";
  const hidesSystem = fields?.["system"] === false;
  if (history === "full" && result === "full" && !hidesSystem) return occurrence;
  const data: Record<string, HookValue> = { ...occurrence.data };
  for (const field of HISTORY_FIELDS) if (field in data) data[field] = tailOf(data[field], history);
  for (const field of RESULT_FIELDS) if (field in data) data[field] = partOf(data[field], result);
  if (hidesSystem) delete data["system"];
  return { ...occurrence, data };
}

function tailOf(value: HookValue, setting: unknown): HookValue {
  const length = countIn(setting, "tail");
  if (setting === "full" || !Array.isArray(value)) return value;
  return length === undefined || length === 0 ? undefined : value.slice(-length);
}

function partOf(value: HookValue, setting: unknown): HookValue {
  if (setting === "full" || value === undefined) return value;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (setting === "hash") return `sha256:${digestNow(text)}`;
  const length = countIn(setting, "head");
  return length === undefined ? value : text.slice(0, length);
}

/** The number in `tail:5`. */
function countIn(setting: unknown, word: string): number | undefined {
  const [, digits] = new RegExp(`^${word}:(\\d{1,9})$`).exec(String(setting)) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
