import * as z from "zod";
import { type ConfigProblem, didYouMean } from "./problem";
import type { Config } from "./schema";
import { allPaths, keysAt, schemaAt } from "./schema-path";

export type CheckedSetting = { readonly value: unknown } | { readonly problem: ConfigProblem };

/** What may be set under `platforms` while the system runs: the rest are secrets and addresses. */
const RUNTIME_PLATFORM_KEYS: ReadonlySet<string> = new Set(["allow_all_users", "allowed_users"]);

/** Reads one value for the setting at a path such as `agent.max_turns`. */
export function checkSetting(path: string, value: unknown): CheckedSetting {
  const keys = path.split(".");
  const schema = schemaAt(keys);
  if (schema === undefined) {
    // the section that it would stand in is no setting either
    const others = allPaths().filter((other) => !path.startsWith(`${other}.`));
    return problem(path, `there is no such setting.${didYouMean(path, others)}`);
  }
  if (keys[0] === "platforms" && !(keys.length === 3 && RUNTIME_PLATFORM_KEYS.has(keys[2] ?? ""))) {
    return problem(path, "platforms are set up in the environment or in config.yaml, where their secrets belong.");
  }
  if (schema instanceof z.ZodObject) {
    return problem(path, `is a section; set what is in it, such as ${path}.${keysAt(keys)[0] ?? ""}.`);
  }
  const result = z.safeParse(schema, value);
  if (result.success) return { value: result.data };
  return problem(path, result.error.issues[0]?.message ?? "that value does not fit.");
}

/**
 * Changes by their settings' paths. Sections may stand within one another, as `GET /api/config` shows them, or be
 * written with dots.
 */
export function flattenSettings(changes: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(changes).flatMap(([path, value]) => flatten(path, value)));
}

function flatten(path: string, value: unknown): readonly (readonly [string, unknown])[] {
  const isSection = schemaAt(path.split(".")) instanceof z.ZodObject;
  if (!isSection || typeof value !== "object" || value === null || Array.isArray(value)) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => flatten(`${path}.${key}`, inner));
}

/** A copy of a configuration with one setting at a path changed; both must have been checked. */
export function withSetting(config: Config, path: string, value: unknown): Config {
  return withValue(config, [], path.split("."), value) as Config; // the schema has checked the path and the value
}

function withValue(
  node: object,
  above: readonly string[],
  [key = "", ...rest]: readonly string[],
  value: unknown,
): object {
  if (rest.length === 0) return { ...node, [key]: value };
  const at = [...above, key];
  return { ...node, [key]: withValue(sectionOf(node, at), at, rest, value) };
}

/** The section at a path, or what it is by default: a platform that config.yaml does not name has none yet. */
function sectionOf(parent: object, path: readonly string[]): object {
  const own: unknown = Object.getOwnPropertyDescriptor(parent, path.at(-1) ?? "")?.value;
  if (typeof own === "object" && own !== null) return own;
  const schema = schemaAt(path);
  const empty: unknown = schema === undefined ? {} : z.parse(schema, {});
  return typeof empty === "object" && empty !== null ? empty : {};
}

function problem(path: string, message: string): CheckedSetting {
  return { problem: { path, message } };
}
