import type { HookValue } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";

/** Depth at which a value is cut off: what refers to itself would never end. */
const MAX_DEPTH = 64;

/**
 * A payload as JSON. What JSON cannot say becomes text instead of being lost: dates, big numbers, functions. Absent
 * fields stay absent.
 */
export function plainJson(fields: Readonly<Record<string, HookValue>>): JsonObject {
  return objectOf(fields, 0);
}

function objectOf(fields: object, depth: number): JsonObject {
  const entries = Object.entries(fields).flatMap(([key, value]: [string, unknown]) =>
    value === undefined ? [] : [[key, valueOf(value, depth + 1)] as const],
  );
  return Object.fromEntries(entries);
}

function valueOf(value: unknown, depth: number): JsonValue {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "bigint" || typeof value === "symbol" || typeof value === "function") return value.toString();
  if (typeof value !== "object") return null;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
  if (depth > MAX_DEPTH) return "[nested too deep]";
  if (Array.isArray(value)) return value.map((item: unknown) => valueOf(item, depth + 1));
  return objectOf(value, depth);
}

/** Whether a value is an object of fields, and neither a list nor null. */
export function isFields(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A text that says something, or undefined. */
export function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value : undefined;
}

/** A value as text: a text as it is, all else as JSON; nothing is the empty text. */
export function textOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
