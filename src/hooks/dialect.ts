import type { HookEventName, HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookDialectName, HookFailurePolicy, HookLogEntry, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";

/**
 * The words of one system: how its hooks are configured, what they are handed, which events they want and what their
 * answers mean. Everything that differs between systems stands behind this; who calls hooks knows none of them.
 */
export interface HookDialect {
  readonly name: HookDialectName;
  /** All names that its configuration may give to events: for suggestions and catalogues. */
  readonly nativeEvents: readonly string[];
  /**
   * What an event of the system is here; undefined when it has no event of that name. Some have no moment here: the
   * list is empty, or HOOK_EVENTS says `absent`.
   */
  resolveEvent(native: string): readonly HookEventName[] | undefined;
  /** What a hook of the system is handed: its own keys, tool names and argument names, as plain JSON. */
  payload(hook: Hook, occurrence: HookOccurrence): JsonObject;
  /** Makes the test of a hook's matcher: once for a configuration, since patterns are compiled. */
  matcher(hook: Hook): (occurrence: HookOccurrence) => boolean;
  /** What an answer means at the event it was given to. */
  read(hook: Hook, result: HookResult, occurrence: HookOccurrence): HookReading;
  /** Whether the system lets a hook have a say at this event. Where it does not, the hook observes. */
  decides(hook: Hook, event: HookEventName): boolean;
  /** Whether its hooks at an event of the system only add context: those that stand together are called together. */
  onlyAdds?(native: string): boolean;
  /** How often in a row one of its hooks may keep an agent going. */
  readonly maxContinuations: number;
  /** Whether its hooks want to be told of what a hook before them refused. */
  readonly isToldOfDenied: boolean;
  /** Reads a configuration of the system. Never throws: what cannot be read is told in the log. */
  importHooks(native: JsonValue, options: ImportOptions): HookImport;
}

/** Where a configuration comes from, and what the operator says of all of them. */
export interface ImportOptions {
  /** `config.yaml`, `api`, `plugin:<name>`. */
  readonly source: string;
  readonly rank: Hook["rank"];
  /** What failed gates of the native dialect mean when they do not say; `allow` when absent. */
  readonly gateDefault?: HookFailurePolicy;
  /** Why a URL may not be called, in a word; undefined when it may. Such a hook is kept: it fails, by its own policy. */
  readonly judgeUrl?: (url: string, dialect: HookDialectName) => string | undefined;
}

/** A configuration after it was read. */
export interface HookImport {
  /** In the order of the configuration, plugins first; each once, however often it was written. */
  readonly hooks: readonly Hook[];
  readonly log: readonly HookLogEntry[];
  readonly settings: ImportedSettings;
  /** For every entry, in order of appearance, the ids of its hooks, one for each event; none when it was skipped or said before. */
  readonly entries: readonly (readonly string[])[];
}

/** What a configuration says of all its hooks. */
export interface ImportedSettings {
  /** Switched off as a whole; its hooks are `disabled` then. */
  readonly enabled?: false;
  /** Asks that hooks need no approval: only an operator may let that count. */
  readonly autoAccept?: true;
}
