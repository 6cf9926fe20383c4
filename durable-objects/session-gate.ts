import type { HookFields } from "#src/domain/hook-event";
import type { Environment } from "./environment";
import { type Arrival, type IngestResult, accessOf, isOwners, originOf } from "./session-accept";
import type { SessionCore } from "./session-core";
import { hooksOf } from "./session-hooks";
import type { After, Intake } from "./session-intake";

/** Events that hooks see before anybody else: kept in rows until they have, and taken in one after the other. */
export interface ArrivalGate {
  /** Stores an event; resolves with what became of it once the hooks have let it through, or not. */
  hold(arrival: Arrival): { readonly status: "duplicate" } | { readonly settled: Promise<IngestResult> };
  /** Takes up what an earlier life of the object left. */
  recover(): void;
  /** Takes up what could not be taken in before. */
  retry(): void;
  isBusy(): boolean;
}

export function openArrivalGate(core: SessionCore, intake: Intake): ArrivalGate {
  const { store } = core;
  let last: Promise<unknown> = Promise.resolve();
  let held = 0;
  const stuck = new Map<number, Arrival>();

  async function pass(id: number, arrival: Arrival): Promise<IngestResult> {
    const environment = await core.environment();
    const seen = await shown(core, environment, arrival);
    const after: After[] = [];
    const result = core.commit((): IngestResult => {
      store.removeArrival(id);
      if (seen === undefined) return { status: "ignored" };
      return intake.admit(seen, accessOf(seen, environment), environment, after);
    });
    core.arm();
    for (const follow of after) follow();
    return result;
  }

  function enqueue(id: number, arrival: Arrival): Promise<IngestResult> {
    held += 1;
    const settled = last.then(() => pass(id, arrival)).finally(() => (held -= 1));
    last = settled.catch((error: unknown) => {
      console.error("an arrival could not be taken in", error);
      stuck.set(id, arrival);
      core.arm();
    });
    core.keepAlive(last);
    return settled;
  }

  return {
    hold(arrival) {
      const id = core.commit(() =>
        store.markSeen(arrival.event.dedupeKeys, core.now()) ? store.saveArrival(arrival) : undefined,
      );
      if (id === undefined) return { status: "duplicate" };
      core.arm();
      return { settled: enqueue(id, arrival) };
    },
    recover() {
      for (const { id, arrival } of store.arrivals()) void enqueue(id, arrival);
    },
    retry() {
      const again = [...stuck];
      stuck.clear();
      for (const [id, arrival] of again) void enqueue(id, arrival);
    },
    isBusy: () => held > 0 || stuck.size > 0,
  };
}

/** An event as the hooks leave it; undefined when they drop it. */
async function shown(core: SessionCore, environment: Environment, arrival: Arrival): Promise<Arrival | undefined> {
  const { event } = arrival;
  const hooks = hooksOf(core, environment.hooks, { origin: originOf(arrival, isOwners(arrival)) });
  const settled = await hooks.fire("message.received", receivedData(arrival));
  if (settled.skip !== undefined || settled.outcome === "deny" || settled.outcome === "stop") return undefined;
  if (settled.text === undefined) return arrival;
  // whose words they are has to stay known: no hook may speak as the owner
  const hookOrigin = arrival.hookOrigin ?? { depth: 0 };
  return { ...arrival, hookOrigin, event: { ...event, text: settled.text, rawText: settled.text } };
}

function receivedData({ event, platform }: Arrival): HookFields {
  return {
    text: event.text,
    message_id: event.messageId ?? event.eventId,
    kind: event.kind,
    internal: false,
    source: {
      platform,
      chat_id: event.chatId,
      chat_type: event.chatType,
      user_id: event.userId,
      ...(event.userName === undefined ? {} : { user_name: event.userName }),
      ...(event.threadId === undefined ? {} : { thread_id: event.threadId }),
    },
  };
}
