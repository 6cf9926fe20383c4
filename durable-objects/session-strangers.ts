import { openPairing } from "./pairing";
import { type Arrival, originOf } from "./session-accept";
import type { SessionCore } from "./session-core";

/** Gives a stranger the code that the owner can approve. */
export async function offerPairing(
  core: SessionCore,
  arrival: Arrival,
  namespace: DurableObjectNamespace,
): Promise<void> {
  const { event, platform } = arrival;
  const requested = await openPairing(namespace, platform).request({
    id: event.userId,
    ...(event.userName === undefined ? {} : { name: event.userName }),
  });
  const text =
    "code" in requested
      ? `I do not know you yet. Ask my owner to approve this code: \`${requested.code}\`\n\nIt is good for one hour.`
      : "I do not know you yet, and cannot give out another pairing code right now. Please try again later.";
  core.commit(() => core.deliveries.owe({ turnId: 0, origin: originOf(arrival, false), text }));
  core.deliveries.pump();
}

/** Tells the platform that a button press was heard, and the person when it came too late. */
export async function acknowledge(core: SessionCore, arrival: Arrival, isStale: boolean): Promise<void> {
  const { action } = arrival.event;
  if (action?.callbackId === undefined) return;
  const route = await core.routeOf(originOf(arrival, false));
  const text = isStale ? { text: "This question is no longer open." } : {};
  await route?.client
    .acknowledge?.({ callbackId: action.callbackId, ...text }, AbortSignal.timeout(10_000))
    .catch(() => undefined);
}
