import type { JsonObject, JsonValue } from "#src/domain/json";
import { isFields } from "../plain-json";
import type { ImportRun, RawEntry } from "./import-run";

/** Reads `{Event: [{matcher, hooks: [...]}]}`: each handler of each group is an entry with its group's matcher. */
export function addGroups(
  hooks: JsonValue,
  run: ImportRun,
  { notEvents, fixed }: { readonly notEvents: ReadonlySet<string>; readonly fixed?: RawEntry["fixed"] },
): void {
  if (!isFields(hooks)) return run.tell(malformed("hooks is no object of events"));
  for (const [native, groups] of Object.entries(hooks)) {
    if (notEvents.has(native) || groups === null) continue;
    if (!Array.isArray(groups)) run.skip("hook.missing_target", `what stands under ${native.slice(0, 100)} is no list`);
    else for (const group of groups as readonly JsonValue[]) addGroup(native, group, run, fixed);
  }
}

function addGroup(native: string, group: JsonValue, run: ImportRun, fixed: RawEntry["fixed"]): void {
  const handlers = isFields(group) ? group["hooks"] : undefined;
  if (!isFields(group) || !Array.isArray(handlers)) {
    run.skip("hook.missing_target", `a group of ${native.slice(0, 100)} has no list of hooks`);
    return;
  }
  const around = aroundOf(group);
  for (const fields of handlers as readonly JsonValue[]) {
    // a handler has no matcher of its own
    const own = isFields(fields) ? withoutMatcher(fields) : fields;
    run.add({ natives: [native], fields: own, around, ...(fixed === undefined ? {} : { fixed }) });
  }
}

/** What a group says for all of its handlers: everything but what is called. */
function aroundOf({
  hooks: _h,
  type: _t,
  command: _c,
  url: _u,
  module: _m,
  prompt: _p,
  ...around
}: JsonObject): JsonObject {
  return around;
}

function withoutMatcher({ matcher: _matcher, ...fields }: JsonObject): JsonObject {
  return fields;
}

function malformed(message: string) {
  return { level: "warn", code: "hook.missing_target", message } as const;
}
