import type { HookOccurrence } from "#src/domain/hook-event";
import type { Hook, HookReading, HookResult } from "#src/domain/hook";
import type { JsonObject } from "#src/domain/json";

/** A hook made ready for one event: everything that its definition alone decides was decided once. */
export interface EngagedHook {
  readonly hook: Hook;
  /** Whether its matcher takes this occurrence. */
  readonly matches: (occurrence: HookOccurrence) => boolean;
  /** What it is handed, in the words of its dialect. */
  readonly payload: (occurrence: HookOccurrence) => JsonObject;
  /** What its answer means at this event. */
  readonly read: (result: HookResult, occurrence: HookOccurrence) => HookReading;
  /** Whether its answer counts here; else it is only told. */
  readonly decides: boolean;
  /** Whether it only adds context: it need not wait for its neighbours, nor they for it. */
  readonly onlyAdds: boolean;
  /** Whether it still wants to be told when a hook before it refused. */
  readonly isToldOfDenied: boolean;
  /** How often in a row it may keep an agent going. */
  readonly maxContinuations: number;
}
