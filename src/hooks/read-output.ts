import type { HookDecision } from "#src/domain/hook-event";
import type { HookLogEntry, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";
import { isFields } from "./plain-json";

/** What a hook printed or answered with, before its dialect looks at it. */
export type Output =
  | { readonly type: "empty" }
  | { readonly type: "object"; readonly value: JsonObject }
  | { readonly type: "text"; readonly text: string }
  /** It began like an object and is none. */
  | { readonly type: "broken" };

/** Longest part of stderr that becomes a reason, in characters. */
const MAX_STDERR_CHARS = 400;

/** What a block is called that gives no reason. */
export const DEFAULT_REASON = "Blocked by hook.";

/** Looks at what a hook gave: objects of JSON, text, or what a module returned. */
export function outputOf({ stdout, returned }: HookResult): Output {
  if (returned !== undefined && returned !== null) {
    if (isFields(returned)) return { type: "object", value: returned };
    return typeof returned === "string" ? textOutput(returned) : { type: "empty" };
  }
  const text = stdout.trim();
  if (!text.startsWith("{")) return textOutput(text);
  const value = parseObject(text);
  return value === undefined ? { type: "broken" } : { type: "object", value };
}

function textOutput(text: string): Output {
  return text.trim() === "" ? { type: "empty" } : { type: "text", text };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Why a call came to nothing, as whoever made it says; undefined when the hook did answer. */
export function failureOf({ exit, code, why }: HookResult): HookReading | undefined {
  const isTimeout = exit === 124 || code === "hook.timeout";
  if (code === undefined && !isTimeout) return undefined;
  return { type: "failed", isTimeout, why: why ?? (isTimeout ? "timed out" : `exit ${exit}`), log: [] };
}

export function decided(decision: HookDecision, log: readonly HookLogEntry[] = []): HookReading {
  return { type: "decision", decision, log };
}

/** A hook without an opinion. */
export function noOpinion(log: readonly HookLogEntry[] = []): HookReading {
  return decided({}, log);
}

/** A hook that ended with an exit code that means nothing but that it failed. */
export function failedExit(result: HookResult): HookReading {
  return { type: "failed", isTimeout: false, why: `exit ${result.exit}`, log: [exitEntry(result)] };
}

/** A hook that gave something else than its dialect reads. */
export function unreadable(): HookReading {
  const why = "unparseable stdout (expected a JSON object)";
  return { type: "failed", isTimeout: false, why, log: [{ level: "warn", code: "hook.invalid_json", message: why }] };
}

/** Tells of an exit code; its message is what the hook said first about it. */
export function exitEntry({ exit, stderr }: HookResult): HookLogEntry {
  const [line = ""] = stderr.trim().split("\n");
  return { level: "warn", code: "hook.nonzero_exit", message: line === "" ? `exit ${exit}` : line };
}

/** The start of what a hook said on stderr; undefined when that is nothing. */
export function stderrReason({ stderr }: HookResult): string | undefined {
  const said = stderr.trim().slice(0, MAX_STDERR_CHARS);
  return said === "" ? undefined : said;
}
