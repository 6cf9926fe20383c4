import type { HookOccurrence, HookValue } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { type TextTest, compileOr, patternProblem, wholePattern } from "../compile-pattern";
import type { HookDialect } from "../dialect";
import { dataOf } from "../event-fields";
import { hooksIn } from "../importing/hook-entries";
import { type ImportRun, type MatcherProblem, importRun } from "../importing/import-run";
import { listOf } from "../importing/read-target";
import { callOf } from "../match-fields";
import { isFields, plainJson, textIn, textOf } from "../plain-json";
import { visibleTo } from "../visible-fields";
import { HERMES_ARGUMENTS, otherArguments } from "./hermes/arguments";
import { HERMES_DECIDING, HERMES_EVENTS, resolveHermes } from "./hermes/events";
import { readHermes } from "./hermes/read";

/** Hooks of Hermes Agent: plugins' callbacks, shell hooks and outbound webhooks. */
export const hermes: HookDialect = {
  name: "hermes",
  nativeEvents: Object.keys(HERMES_EVENTS),
  resolveEvent: resolveHermes,
  payload,
  matcher,
  read: readHermes,
  decides: ({ nativeEvent }) => HERMES_DECIDING.has(nativeEvent),
  maxContinuations: 3,
  isToldOfDenied: false,
  importHooks(configured, options) {
    const run = importRun(
      {
        dialect: "hermes",
        nativeEvents: Object.keys(HERMES_EVENTS),
        resolveEvent: resolveHermes,
        timeout: (_native, entry) => (isOutbound(entry) ? { usual: 10, most: 60, least: 1 } : { usual: 60, most: 300 }),
        matcherProblem,
        policy: (native, entry) => (native === "pre_tool_call" && isFailClosed(entry) ? { onError: "deny" } : {}),
      },
      options,
    );
    const root = isFields(configured) ? configured : {};
    addPlugins(root["plugins"], run);
    const hooks = hooksIn(configured);
    if (isFields(hooks)) addHooks(hooks, run);
    const accepts = ["1", "true", "yes", "on"].includes(textOf(root["hooks_auto_accept"]).trim().toLowerCase());
    return sortPlugins(root["plugins"], run.end(accepts ? { autoAccept: true } : {}));
  },
};

function isFailClosed({ fail_closed: own, failClosed: other }: JsonObject): boolean {
  return (own ?? other) === true;
}

function isOutbound({ outbound }: JsonObject): boolean {
  return outbound === true;
}

/** Keys of a configuration that are not the hooks themselves, or sections of `hooks` that are no events. */
const NO_EVENTS: ReadonlySet<string> = new Set(["plugins", "hooks_auto_accept", "dialect", "output_spill"]);

function addHooks(hooks: JsonObject, run: ImportRun): void {
  for (const [name, entries] of Object.entries(hooks)) {
    if (NO_EVENTS.has(name) || entries === null) continue;
    if (!Array.isArray(entries)) {
      run.skip("hook.missing_target", `what stands under ${name.slice(0, 100)} is no list`);
      continue;
    }
    for (const fields of entries as readonly JsonValue[]) {
      if (name === "outbound") addOutbound(fields, run);
      else run.add({ natives: [name], fields });
    }
  }
}

/** An outbound webhook is told of its events and has no say. */
function addOutbound(fields: JsonValue, run: ImportRun): void {
  const natives = isFields(fields) ? listOf(fields["events"]) : [];
  if (!isFields(fields) || natives.length === 0) {
    run.skip("hook.missing_target", "an outbound webhook names no events");
    return;
  }
  const { command: _command, module: _module, prompt: _prompt, ...rest } = fields;
  run.add({
    natives,
    fields: { signature: "hermes", ...rest, type: "http", outbound: true },
    fixed: { observe: true, extra: { outbound: true } },
  });
}

function addPlugins(plugins: JsonValue | undefined, run: ImportRun): void {
  for (const [name, plugin] of isFields(plugins) ? Object.entries(plugins) : []) {
    const natives = isFields(plugin) ? listOf(plugin["register"]) : [];
    const fields = isFields(plugin) ? { name, ...plugin } : { name };
    run.add({ natives, fields, fixed: { target: { type: "module", module: name }, rank: "plugin" } });
  }
}

/** Plugins are called in the order of their folders' names, whatever the order they are written in. */
function sortPlugins(plugins: JsonValue | undefined, imported: ReturnType<ImportRun["end"]>): typeof imported {
  const folderOf = ({ target }: Hook): string => {
    const plugin = target.type === "module" && isFields(plugins) ? plugins[target.module] : undefined;
    return (isFields(plugin) ? textIn(plugin["dir"]) : undefined) ?? (target.type === "module" ? target.module : "");
  };
  const isPlugin = ({ rank }: Hook): boolean => rank === "plugin";
  const sorted = imported.hooks.filter(isPlugin).toSorted((a, b) => compareText(folderOf(a), folderOf(b)));
  return { ...imported, hooks: [...sorted, ...imported.hooks.filter((hook) => !isPlugin(hook))] };
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

const TOOL_EVENTS: ReadonlySet<string> = new Set(["pre_tool_call", "post_tool_call"]);

function matcherProblem(value: JsonValue, native: string): MatcherProblem | undefined {
  if (typeof value !== "string") {
    return { code: "hook.matcher_invalid", message: "a matcher is a pattern as text", isIgnored: true };
  }
  if (value.trim() === "") return undefined;
  if (!TOOL_EVENTS.has(native)) {
    return {
      code: "hook.matcher_ignored",
      message: `${native} has no matcher; the hook is always called`,
      isIgnored: true,
    };
  }
  const why = patternProblem(value.trim());
  if (why === undefined) return undefined;
  const message = `its matcher is no pattern that can be used (${why}); it is taken as a name`;
  return { code: "hook.matcher_invalid", message, isIgnored: false };
}

function matcher({ matcher: written, nativeEvent }: Hook): (occurrence: HookOccurrence) => boolean {
  if (nativeEvent === "on_session_start") return isNewSession;
  if (nativeEvent === "pre_verify") return hasChangedFiles;
  const pattern = textIn(written)?.trim();
  if (pattern === undefined || !TOOL_EVENTS.has(nativeEvent)) return () => true;
  const test: TextTest = compileOr(pattern, wholePattern, (name) => name === pattern);
  return (occurrence) => {
    const call = callOf(occurrence);
    return call !== undefined && test(call.name);
  };
}

/** Hermes has no word for sessions that go on; one that begins anew is new. */
export function isNewSession(occurrence: HookOccurrence): boolean {
  return ["startup", "clear"].includes(dataOf(occurrence, "session.start").source ?? "startup");
}

/** A turn that changed no file has nothing to verify. */
function hasChangedFiles(occurrence: HookOccurrence): boolean {
  return dataOf(occurrence, "stop").changed_paths?.length !== 0;
}

/** What of a call's arguments a shell hook gets beside `extra`. */
const PROMOTED: ReadonlySet<string> = new Set(["tool_name", "args", "arguments", "session_id", "parent_session_id"]);

function payload(hook: Hook, all: HookOccurrence): JsonObject {
  const occurrence = visibleTo(hook, all);
  const { extra } = occurrence.data;
  const named = (HERMES_ARGUMENTS[hook.nativeEvent] ?? otherArguments)(occurrence);
  const args: Readonly<Record<string, HookValue>> = { ...named, ...(isFields(extra) ? extra : {}) };
  if (hook.target.type === "module") return plainJson(args);
  const { common, id, at } = occurrence;
  return plainJson({
    hook_event_name: hook.nativeEvent,
    tool_name: args["tool_name"] ?? null,
    tool_input: args["args"] ?? args["arguments"] ?? null,
    session_id: args["session_id"] ?? args["parent_session_id"] ?? common.session_id,
    cwd: common.cwd ?? "",
    extra: Object.fromEntries(Object.entries(args).filter(([key]) => !PROMOTED.has(key))),
    ...(hook.extra?.["outbound"] === true ? { delivery_id: id, timestamp: new Date(at).toISOString() } : {}),
  });
}
