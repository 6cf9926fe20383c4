import type { HookLogEntry } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { nearestWord } from "#src/lib/nearest-word";
import { isFields } from "../plain-json";
import { readWord } from "./read-policy";

interface Kind {
  /** For people. */
  readonly expected: string;
  readonly fits: (value: JsonValue) => boolean;
}

const TEXT: Kind = { expected: "a text", fits: (value) => typeof value === "string" };
const SWITCH: Kind = { expected: "true or false", fits: (value) => typeof value === "boolean" };
const NUMBER: Kind = { expected: "a number", fits: (value) => typeof value === "number" };
const FIELDS: Kind = { expected: "an object", fits: isFields };
const LIST: Kind = { expected: "a list", fits: Array.isArray };
const TEXTS: Kind = { expected: "a text or a list of texts", fits: (value) => TEXT.fits(value) || LIST.fits(value) };
const POLICY: Kind = { expected: "allow, deny or ask", fits: (value) => readWord(value) !== undefined };
const ANY: Kind = { expected: "", fits: () => true };

/** The keys of an entry in our own words. What reads a key tells of its value where that is not said here. */
const KEYS: Readonly<Record<string, Kind>> = {
  dialect: ANY,
  event: ANY,
  type: ANY,
  url: ANY,
  module: ANY,
  command: ANY,
  shell: ANY,
  prompt: ANY,
  model: TEXT,
  matcher: ANY,
  timeout: ANY,
  id: {
    expected: "1 to 100 letters, digits and . : _ -",
    fits: (value) => typeof value === "string" && /^[\w.:-]{1,100}$/.test(value),
  },
  name: TEXT,
  onFailure: POLICY,
  onError: POLICY,
  onTimeout: POLICY,
  observe: SWITCH,
  priority: NUMBER,
  fields: FIELDS,
  chain: SWITCH,
  headers: FIELDS,
  allowedSecrets: TEXTS,
  allowedEnvVars: TEXTS,
  signature: { expected: "a list of schemes", fits: (value) => TEXTS.fits(value) || isFields(value) },
  only: SWITCH,
  responseKey: TEXT,
  blockStatuses: LIST,
  acceptText: SWITCH,
  retry: { expected: "0 or 1", fits: (value) => value === 0 || value === 1 },
};

/**
 * What is wrong with the keys of an entry in our own words: none of it counts, and a guard whose `onFailure` is
 * mistyped would let through what it was written to stop.
 */
export function entryProblems(entry: JsonObject): readonly HookLogEntry[] {
  return Object.entries(entry).flatMap(([key, value]): readonly HookLogEntry[] => {
    const kind = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (kind === undefined) return [unknownKey(key)];
    if (value === null || kind.fits(value)) return [];
    return [ignored(`its ${key} does not count: expected ${kind.expected}`)];
  });
}

function unknownKey(key: string): HookLogEntry {
  const suggestion = nearestWord(key, Object.keys(KEYS));
  return {
    ...ignored(`hooks have no "${key.slice(0, 40)}": it does not count`),
    ...(suggestion === undefined ? {} : { suggestion }),
  };
}

function ignored(message: string): HookLogEntry {
  return { level: "warn", code: "hook.field_ignored", message };
}
