import { type HookFields, type HookEventName, type HookSettlement, NO_OPINION } from "#src/domain/hook-event";
import type { SessionCore } from "./session-core";
import { hooksOf } from "./session-hooks";

export interface RaisedEvent {
  readonly event: HookEventName;
  readonly data: HookFields;
}

/** What of a settlement crosses RPC. */
export type RaisedSettlement = Pick<HookSettlement, "outcome" | "reason" | "context">;

/** Fires events that happened outside of any turn; resolves with what the hooks of the last one want. */
export async function raiseEvents(core: SessionCore, events: readonly RaisedEvent[]): Promise<RaisedSettlement> {
  const { hooks } = await core.environment();
  core.store.create();
  // a start that dies of its own hooks would be tried for ever
  if (events.some(({ event }) => event === "gateway.startup")) core.suspects.begin();
  const scene = hooksOf(core, hooks, {});
  let settled: HookSettlement = NO_OPINION;
  for (const { event, data } of events) settled = await scene.fire(event, data);
  // what observers are owed goes out with a commit
  core.commit(() => undefined);
  core.suspects.passed();
  core.suspects.rest();
  core.arm();
  const { outcome, reason, context } = settled;
  return { outcome, ...(reason === undefined ? {} : { reason }), ...(context === undefined ? {} : { context }) };
}
