import type { HookDialectName } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import type { HookImport, ImportOptions } from "./dialect";
import { hasClawdcodeKeys } from "./dialects/clawdcode";
import { DIALECTS } from "./dialects/registry";
import { hooksIn } from "./importing/hook-entries";
import { isFields, textOf } from "./plain-json";

/** Where a configuration comes from, and the system it is of when that is known. */
export interface ConfiguredImport extends ImportOptions {
  readonly dialect?: HookDialectName;
}

const NOTHING: HookImport = { hooks: [], log: [], settings: {}, entries: [] };

/**
 * Reads a configuration of hooks in the words of any system: `hooks:` of config.yaml, a settings.json of Claude Code, a
 * HOOK.yaml, or an object of several under the names of their dialects. Never throws: what cannot be read is told.
 */
export function importHooks(configured: JsonValue, options: ConfiguredImport): HookImport {
  const several = dialectsIn(configured);
  if (several !== undefined && (options.dialect === undefined || options.dialect === "native")) {
    return several.map(([dialect, part]) => DIALECTS[dialect].importHooks(part, options)).reduce(joinImports, NOTHING);
  }
  const dialect = options.dialect ?? detectDialect(configured);
  const entries = byOwnDialect(configured, dialect);
  if (entries === undefined) return DIALECTS[dialect].importHooks(configured, options);
  return entries.map((entry) => importEntry(entry, dialect, options)).reduce(joinImports, NOTHING);
}

/** An object whose keys are all names of dialects, in its order. */
function dialectsIn(configured: JsonValue): readonly (readonly [HookDialectName, JsonValue])[] | undefined {
  if (!isFields(configured)) return undefined;
  const parts = Object.entries(configured).flatMap(([key, part]) => {
    const name = dialectNamed(key);
    return name === undefined ? [] : [[name, part] as const];
  });
  return parts.length > 0 && parts.length === Object.keys(configured).length ? parts : undefined;
}

function dialectNamed(name: JsonValue | undefined): HookDialectName | undefined {
  // own keys of DIALECTS are names of dialects
  return typeof name === "string" && Object.hasOwn(DIALECTS, name) ? (name as HookDialectName) : undefined;
}

/** The entries of a list in which at least one names a dialect of its own. */
function byOwnDialect(configured: JsonValue, usual: HookDialectName): readonly JsonValue[] | undefined {
  const list = hooksIn(configured);
  if (!Array.isArray(list)) return undefined;
  const entries = list as readonly JsonValue[];
  return entries.some((entry) => ownDialect(entry) !== undefined && ownDialect(entry) !== usual) ? entries : undefined;
}

function ownDialect(entry: JsonValue): HookDialectName | undefined {
  return isFields(entry) ? dialectNamed(entry["dialect"]) : undefined;
}

/** An entry of a list in the dialect it names: those with maps of events get one of this entry alone. */
function importEntry(entry: JsonValue, usual: HookDialectName, options: ImportOptions): HookImport {
  const dialect = ownDialect(entry) ?? usual;
  const event = isFields(entry) ? textOf(entry["event"]) : "";
  const read = (part: JsonValue): HookImport => DIALECTS[dialect].importHooks(part, options);
  if (dialect === "native" || dialect === "starchild" || !isFields(entry)) return read([entry]);
  if (dialect === "hermes-gateway") return read({ name: entry["module"] ?? null, events: event, ...entry });
  if (dialect === "hermes") return read({ hooks: { [event]: [entry] } });
  const { matcher, ...handler } = entry;
  const group = { ...(matcher === undefined ? {} : { matcher }), hooks: [handler] };
  return read({ hooks: { [event]: [group] } });
}

/** The system that a configuration is of, by its form. */
export function detectDialect(configured: JsonValue): HookDialectName {
  const named = isFields(configured) ? dialectNamed(configured["dialect"]) : undefined;
  if (named !== undefined) return named;
  if (isFields(configured) && "HOOK.yaml" in configured) return "hermes-gateway";
  const hooks = hooksIn(configured);
  if (Array.isArray(hooks)) return detectInList(hooks as readonly JsonValue[]);
  return isFields(hooks) ? detectInMap(hooks) : "native";
}

function detectInList(entries: readonly JsonValue[]): HookDialectName {
  const events = entries.flatMap((entry) => (isFields(entry) ? [textOf(entry["event"])] : []));
  if (events.length === 0) return "native";
  return events.some(isNativeName) ? "native" : "starchild";
}

function isNativeName(event: string): boolean {
  return event.includes(".") || DIALECTS.native.resolveEvent(event) !== undefined;
}

function detectInMap(hooks: JsonObject): HookDialectName {
  if (Object.keys(hooks).length === 0 || Object.keys(hooks).some(isNativeName)) return "native";
  if (hasClawdcodeKeys(hooks)) return "clawdcode";
  const groups = Object.values(hooks)
    .flatMap((value) => (Array.isArray(value) ? (value as readonly JsonValue[]) : []))
    .filter(isFields)
    .filter((group) => Array.isArray(group["hooks"]));
  if (groups.length === 0) return "hermes";
  return groups.some(({ matcher }) => isFields(matcher)) ? "clawdcode" : "claude";
}

function joinImports(first: HookImport, second: HookImport): HookImport {
  const known = new Set(first.hooks.map(({ id }) => id));
  return {
    hooks: [...first.hooks, ...second.hooks.filter(({ id }) => !known.has(id))],
    log: [...first.log, ...second.log],
    settings: { ...first.settings, ...second.settings },
    entries: [...first.entries, ...second.entries],
  };
}
