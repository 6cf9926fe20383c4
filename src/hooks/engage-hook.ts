import type { HookEventName } from "#src/domain/hook-event";
import type { Hook } from "#src/domain/hook";
import { dialectOf } from "./dialects/registry";
import type { EngagedHook } from "./engaged-hook";

/** Makes a hook ready for one event, in the words of its dialect. */
export function engageHook(hook: Hook, event: HookEventName): EngagedHook {
  const dialect = dialectOf(hook.dialect);
  return {
    hook,
    matches: dialect.matcher(hook),
    payload: (occurrence) => dialect.payload(hook, occurrence),
    read: (result, occurrence) => dialect.read(hook, result, occurrence),
    decides: !hook.observe && dialect.decides(hook, event),
    onlyAdds: dialect.onlyAdds?.(hook.nativeEvent) === true,
    isToldOfDenied: dialect.isToldOfDenied,
    maxContinuations: dialect.maxContinuations,
  };
}
