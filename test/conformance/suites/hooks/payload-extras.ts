import type { HookFields, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookDialectName } from "#src/domain/hook";
import { DIALECTS } from "#src/hooks/dialects/registry";
import type { HookCase } from "./case-file";
import type { CaseEvent } from "./scene";

type Fields = Readonly<Record<string, unknown>>;

/** Fields that are made anew for every call unless a case gives them. */
const GIVEN: ReadonlySet<string> = new Set(["hook_execution_id", "timestamp", "transcript_path"]);

/**
 * What of a case's payload has no name in the system's own terms, and what only one system makes up: its hooks must get
 * it back all the same.
 */
export function payloadExtras(test: HookCase, about: CaseEvent): { readonly extra?: HookFields[string] } {
  const dialect = Object.keys(DIALECTS).find((name): name is HookDialectName => name === test.dialect);
  const native = [test.event].flat()[0] ?? "";
  if (dialect === undefined || dialect === "native" || test.source_system === "unified") return {};
  if (DIALECTS[dialect].resolveEvent(native)?.includes(about.event) !== true) return {};
  const given = argumentsIn(Object.fromEntries(Object.entries(test.input).filter(([key]) => !key.startsWith("_"))));
  const isShell = "hook_event_name" in test.input;
  const made = argumentsIn(DIALECTS[dialect].payload(hookOf(dialect, native, isShell), occurrenceOf(about)));
  const missing = Object.entries(given).filter(([key]) => !(key in made) || GIVEN.has(key));
  // the case's own values, whatever they are
  return missing.length === 0 ? {} : ({ extra: Object.fromEntries(missing) } as { readonly extra: HookFields[string] });
}

/** The fields of a payload, those of its inner objects beside its own. */
function argumentsIn(payload: Fields): Fields {
  const { extra, context, ...own } = payload;
  return { ...own, ...(isFields(extra) ? extra : {}), ...(isFields(context) ? context : {}) };
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function hookOf(dialect: HookDialectName, nativeEvent: string, isShell: boolean): Hook {
  return {
    id: "h",
    name: "h",
    dialect,
    source: "case",
    rank: "config",
    nativeEvent,
    events: [],
    target: isShell || dialect !== "hermes" ? { type: "command", command: "h" } : { type: "module", module: "h" },
    timeoutMs: 1000,
    onError: "allow",
    onTimeout: "allow",
    observe: false,
    priority: 0,
  };
}

function occurrenceOf({ event, common, data }: CaseEvent): HookOccurrence {
  const usual = { session_id: "s", session_key: "s", agent_id: "a", surface: "web", cwd: "/p" };
  return { event, id: "evt_0", seq: 1, at: 0, common: { ...usual, ...common }, data };
}
