import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { utf8 } from "#src/lib/encoding";

/** Largest body of a call whose answer counts, and of any call, in bytes. */
export const MAX_DECISION_BYTES = 256 * 1024;
export const MAX_BODY_BYTES = 1024 * 1024;

/** What a receiver gets that called an earlier body too large (413); Standard Webhooks advises to stay below it. */
export const REDUCED_BODY_BYTES = 20 * 1024;

/** Fields of a conversation, whose oldest entries go first. */
const LISTS = new Set(["history", "conversation_history", "messages"]);

/**
 * What gates and claims decide about, as the dialects call it. It is never cut: whoever could make a gate see less
 * than what happens then could pass it by padding.
 */
const SUBJECTS = new Set([
  "input",
  "original_input",
  "tool_input",
  "args",
  "arguments",
  "command",
  "prompt",
  "prompt_content",
  "message",
  "text",
  "notification",
  "user_message",
  "last_user_message",
]);

/** Objects that a payload keeps its fields in, beside its own top. */
const CONTAINERS = new Set(["data", "extra"]);

/** Fields smaller than this stay: cutting them wins nothing. In bytes. */
const MIN_CUT_BYTES = 256;

export interface FitOptions {
  readonly event: HookEventName;
  readonly maxBytes: number;
  /** Where the payload says what was cut, as JSON pointers; absent where the hook's system has no such field. */
  readonly listCutsIn?: "data";
}

/** A body that fits, and JSON pointers of what was cut in it; or that what must not be cut is too large already. */
export type FittedBody =
  | { readonly fits: true; readonly body: string; readonly truncated: readonly string[] }
  | { readonly fits: false; readonly bytes: number };

/** Makes a payload small enough by cutting its largest fields, largest first. */
export function fitBody(payload: JsonObject, { event, maxBytes, listCutsIn }: FitOptions): FittedBody {
  let current: JsonValue = payload;
  const truncated: string[] = [];
  for (;;) {
    const whole = withCuts(current, truncated, listCutsIn);
    const body = JSON.stringify(whole);
    const bytes = utf8(body).length;
    if (bytes <= maxBytes) return { fits: true, body, truncated };
    const largest = largestField(current, isJudged(event));
    if (largest === undefined) return { fits: false, bytes };
    // its own pointer takes room in the list as well
    const pointer = toPointer(largest.path);
    const target = Math.max(0, largest.bytes - (bytes - maxBytes) - utf8(JSON.stringify(pointer)).length - 32);
    current = replaceAt(current, largest.path, (value) => cutTo(value, target));
    if (!truncated.includes(pointer)) truncated.push(pointer);
  }
}

function isJudged(event: HookEventName): boolean {
  const { kind } = HOOK_EVENTS[event];
  return kind === "gate" || kind === "claim";
}

interface Field {
  readonly path: readonly string[];
  readonly bytes: number;
}

/** The largest field that may be cut: a list with more than one entry, or a text. */
function largestField(payload: JsonValue, isJudged: boolean): Field | undefined {
  let largest: Field | undefined;
  const visit = (value: JsonValue, path: readonly string[]): void => {
    const name = path.at(-1) ?? "";
    const isAtTop = path.length === 1 || (path.length === 2 && CONTAINERS.has(path[0] ?? ""));
    if (isJudged && isAtTop && SUBJECTS.has(name)) return;
    if (typeof value === "string" || (Array.isArray(value) && value.length > 1 && LISTS.has(name))) {
      const bytes = sizeOf(value);
      if (bytes >= MIN_CUT_BYTES && bytes > (largest?.bytes ?? 0)) largest = { path, bytes };
    }
    if (typeof value !== "object" || value === null) return;
    for (const [key, child] of Object.entries(value)) visit(child, [...path, key]);
  };
  visit(payload, []);
  return largest;
}

/** As much of a text's beginning, or of a list's end, as takes so many bytes. */
function cutTo(value: JsonValue, maxBytes: number): JsonValue {
  if (typeof value === "string") return cutText(value, maxBytes);
  if (!Array.isArray(value)) return value;
  // readonly arrays are not narrowed by isArray
  const entries = value as readonly JsonValue[];
  let left = maxBytes - 2;
  let from = entries.length;
  while (from > 0) {
    left -= sizeOf(entries[from - 1] ?? null) + 1;
    if (left < 0) break;
    from -= 1;
  }
  // at least one goes and one stays: what is still too large is then cut inside
  return entries.slice(Math.min(Math.max(from, 1), entries.length - 1));
}

function cutText(text: string, maxBytes: number): string {
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sizeOf(text.slice(0, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  const isSplitPair = /[\ud800-\udbff]$/.test(text.slice(0, low));
  return text.slice(0, isSplitPair ? low - 1 : low);
}

function replaceAt(value: JsonValue, path: readonly string[], replace: (value: JsonValue) => JsonValue): JsonValue {
  const [key, ...rest] = path;
  if (key === undefined) return replace(value);
  if (Array.isArray(value))
    return value.map((child, i) => (String(i) === key ? replaceAt(child, rest, replace) : child));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, child]) => [name, name === key ? replaceAt(child, rest, replace) : child]),
  );
}

function withCuts(payload: JsonValue, truncated: readonly string[], listCutsIn: "data" | undefined): JsonValue {
  if (listCutsIn === undefined || truncated.length === 0) return payload;
  return replaceAt(payload, [listCutsIn], (value) => (isObject(value) ? { ...value, truncated } : value));
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Bytes of a value as JSON. */
function sizeOf(value: JsonValue): number {
  return utf8(JSON.stringify(value)).length;
}

/** Source: https://www.rfc-editor.org/rfc/rfc6901 */
function toPointer(path: readonly string[]): string {
  return path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
