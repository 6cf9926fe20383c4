import type { JsonObject, JsonValue } from "#src/domain/json";
import { DIALECTS } from "./dialects/registry";
import { isFields } from "./plain-json";

/**
 * A configuration of several hooks as configurations of one entry each, so that each can be changed and removed by
 * itself. What stands beside the hooks stays with each of them. What has another form stays whole.
 */
export function splitHooks(configured: JsonValue): readonly JsonValue[] {
  if (Array.isArray(configured)) return (configured as readonly JsonValue[]).map((entry) => ({ hooks: [entry] }));
  if (!isFields(configured)) return [configured];
  const isSeveralDialects = Object.keys(configured).some((key) => Object.hasOwn(DIALECTS, key));
  const isFile = ["HOOK.yaml", "events", "plugins"].some((key) => key in configured);
  if (isSeveralDialects || isFile) return [configured];
  const { hooks, ...rest } = configured;
  // a bare map of events is the value of `hooks` itself
  const parts = hooks === undefined ? splitMap(configured) : splitAny(hooks);
  const beside = hooks === undefined ? {} : rest;
  return parts.length === 0 ? [configured] : parts.map((part) => ({ ...beside, hooks: part }));
}

function splitAny(hooks: JsonValue): readonly JsonValue[] {
  if (Array.isArray(hooks)) return (hooks as readonly JsonValue[]).map((entry) => [entry]);
  return isFields(hooks) ? splitMap(hooks) : [];
}

/** Each entry under its event; a group of handlers becomes one group each. Settings that stand between stay with all. */
function splitMap(hooks: JsonObject): readonly JsonObject[] {
  const settings = Object.fromEntries(Object.entries(hooks).filter(([, value]) => !Array.isArray(value)));
  return Object.entries(hooks).flatMap(([event, entries]) =>
    Array.isArray(entries)
      ? (entries as readonly JsonValue[]).flatMap(splitGroup).map((entry) => ({ ...settings, [event]: [entry] }))
      : [],
  );
}

function splitGroup(group: JsonValue): readonly JsonValue[] {
  if (!isFields(group) || !Array.isArray(group["hooks"])) return [group];
  return (group["hooks"] as readonly JsonValue[]).map((handler) => ({ ...group, hooks: [handler] }));
}
