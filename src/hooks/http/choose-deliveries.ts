/** Deliveries that may be on their way at once: to one host, and altogether. A Worker has six connections for everything. */
const MAX_PER_HOST = 2;
const MAX_AT_ONCE = 4;

/** A delivery that waits: to whom, and since when it may go. */
export interface WaitingDelivery {
  readonly host: string;
  /** Epoch milliseconds. */
  readonly dueAt: number;
}

/** The deliveries to send now, oldest first: one slow receiver must not hold up the others. */
export function chooseDeliveries<Delivery extends WaitingDelivery>(
  waiting: readonly Delivery[],
  underWay: readonly Pick<WaitingDelivery, "host">[],
  now: number,
): readonly Delivery[] {
  const busy = new Map<string, number>();
  const count = (host: string): number => busy.get(host) ?? 0;
  for (const { host } of underWay) busy.set(host, count(host) + 1);
  const chosen: Delivery[] = [];
  for (const delivery of waiting.filter(({ dueAt }) => dueAt <= now).toSorted((a, b) => a.dueAt - b.dueAt)) {
    if (underWay.length + chosen.length >= MAX_AT_ONCE) break;
    if (count(delivery.host) >= MAX_PER_HOST) continue;
    busy.set(delivery.host, count(delivery.host) + 1);
    chosen.push(delivery);
  }
  return chosen;
}
