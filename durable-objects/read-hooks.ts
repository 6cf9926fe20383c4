import type { Hook, HookLogEntry } from "#src/domain/hook";
import { HOOK_EVENTS } from "#src/domain/hook-event";
import type { JsonObject, JsonValue } from "#src/domain/json";
import type { HookImport } from "#src/hooks/dialect";
import { DIALECTS } from "#src/hooks/dialects/registry";
import { importHooks } from "#src/hooks/import-hooks";
import type { HookSources } from "./hooks-setup";
import type { RegisteredHook } from "./plugins";

/** Whether a hook is switched off by hand, or in quarantine. */
export function isOff(hook: Hook, sources: HookSources): boolean {
  return sources.profile.disabled.includes(hook.id) || isInQuarantine(hook, sources);
}

function isInQuarantine({ target }: Hook, { profile }: HookSources): boolean {
  return target.type === "module" && profile.quarantined.includes(target.module);
}

/** What is said of hooks in quarantine. */
export function quarantineLog(hooks: readonly Hook[], sources: HookSources): readonly HookLogEntry[] {
  const message = "in quarantine: it was running when the process died, twice in a row; /hooks enable brings it back";
  return hooks
    .filter((hook) => isInQuarantine(hook, sources))
    .map(({ id }) => ({ level: "warn", code: "hook.quarantined", hook: id, message }));
}

/** Where hooks come from that stand in the deployment's own configuration. */
export const CONFIG_FILE = "config.yaml";

/** Reads the hooks of plugins, of config.yaml and of what was added at run time, in this order. */
export function importAll(
  sources: HookSources,
  options: Pick<Parameters<typeof importHooks>[1], "gateDefault" | "judgeUrl">,
) {
  const { config, profile, plugins } = sources;
  const ofPlugins = plugins.map((one) => importPlugin(one, options));
  const ofConfig = isEmpty(config)
    ? []
    : [importHooks(wrapped(config), { ...options, source: CONFIG_FILE, rank: "config" })];
  const ofProfile = profile.sources.map(({ id, dialect, native }) =>
    importHooks(wrapped(native), {
      ...options,
      source: `api:${id}`,
      rank: "config",
      ...(dialect === undefined ? {} : { dialect }),
    }),
  );
  return [...ofPlugins, ...ofConfig, ...ofProfile];
}

/** A plugin's hook, read like any other: it is one that came with the deployment. */
function importPlugin(
  { plugin, event, module, options: own }: RegisteredHook,
  options: Parameters<typeof importAll>[1],
): HookImport {
  const fields: JsonObject = {
    name: `${plugin}: ${event}`,
    ...(own.matcher === undefined ? {} : { matcher: own.matcher }),
    ...(own.priority === undefined ? {} : { priority: own.priority }),
    ...(own.timeoutSeconds === undefined ? {} : { timeout: own.timeoutSeconds }),
    ...(own.onFailure === undefined ? {} : { onFailure: own.onFailure }),
  };
  const common = { ...options, source: `plugin:${plugin}`, rank: "plugin" } as const;
  return event in HOOK_EVENTS
    ? importHooks({ hooks: [{ ...fields, event, type: "module", module }] }, { ...common, dialect: "native" })
    : importHooks({ plugins: { [module]: { ...fields, register: [event] } } }, { ...common, dialect: "hermes" });
}

/** A list or map of hooks may stand alone, as the value of `hooks:` in config.yaml does. */
export function wrapped(native: JsonValue): JsonValue {
  const isWhole =
    typeof native === "object" &&
    native !== null &&
    !Array.isArray(native) &&
    // a file of its system, or a map of several systems' files
    ("hooks" in native || "HOOK.yaml" in native || "events" in native || "plugins" in native || isByDialect(native));
  return isWhole ? native : { hooks: native };
}

function isByDialect(native: object): boolean {
  const names = Object.keys(native);
  return names.length > 0 && names.every((name) => Object.hasOwn(DIALECTS, name));
}

function isEmpty(config: JsonValue): boolean {
  return config === null || (typeof config === "object" && Object.keys(config).length === 0);
}
