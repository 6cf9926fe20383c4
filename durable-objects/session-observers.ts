import type { HookDelivery, HookResult } from "#src/domain/hook";
import { decideDelivery } from "#src/hooks/http/observer-backoff";
import type { SessionStore } from "./session-store";

/** A call owed to an observer, as its row keeps it. */
export interface ObserverRecord {
  readonly id: number;
  readonly delivery: HookDelivery;
  readonly state: "owed" | "dead";
  readonly attempts: number;
  /** Epoch milliseconds. */
  readonly createdAt: number;
  readonly nextAt: number;
  /** The last failure, one sentence. */
  readonly error?: string;
}

/** What follows from a try: undefined when it is done, else when to try again, or that it is given up. */
export type ObserverVerdict =
  | { readonly type: "done" }
  | { readonly type: "again"; readonly afterMs: number; readonly why: string }
  | { readonly type: "dead"; readonly why: string };

export interface ObserverPorts {
  readonly store: SessionStore;
  /** One try. Rejects when it could not be made: then it is made again later, and does not count. */
  readonly send: (delivery: HookDelivery, attempt: number) => Promise<HookResult | undefined>;
  /** What a result means after so many tries. */
  readonly judge: (result: HookResult | undefined, record: ObserverRecord) => ObserverVerdict;
  readonly transaction: (work: () => void) => void;
  readonly arm: () => void;
  readonly keepAlive: (work: Promise<unknown>) => void;
  readonly now: () => number;
}

/** What the session owes to those who watch it: rows committed with what they observe, sent at least once. */
export interface Observers {
  /** Notes calls that are owed; they become rows with the next commit. */
  owe(deliveries: readonly HookDelivery[]): void;
  /** Writes what is noted: inside every commit. Returns what makes it forgotten, once the transaction stands. */
  flush(): () => void;
  /** Sends what is owed and due. */
  pump(): void;
  nextSeq(): number;
  isBusy(): boolean;
  nextAt(): number | undefined;
  list(): readonly ObserverRecord[];
  /** Tries a dead one again. Returns false when there is none with this id. */
  replay(id: number): boolean;
}

/** What a try came to, by the schedule of hooks. A hook that is gone is owed nothing any more. */
export function judgeDelivery(
  result: HookResult | undefined,
  record: ObserverRecord,
  now: number = Date.now(),
  random: () => number = Math.random,
): ObserverVerdict {
  if (result === undefined) return { type: "done" };
  const fate = decideDelivery({ result, attempt: record.attempts + 1, now, random });
  if (fate.type === "done") return fate;
  const why = result.why ?? `exit ${result.exit}`;
  return fate.type === "dead" ? { type: "dead", why: fate.why } : { type: "again", afterMs: fate.at - now, why };
}

/** Calls under way at the same time: a Worker has six connections, and answers need some. */
const MAX_CALLS = 2;

export function openObservers(ports: ObserverPorts): Observers {
  const { store } = ports;
  let noted: HookDelivery[] = [];
  let owed: Map<number, ObserverRecord> | undefined;
  let pumping: Promise<void> | undefined;
  let seq = 0;

  function records(): Map<number, ObserverRecord> {
    owed ??= new Map(store.exists() ? store.observers().map((record) => [record.id, record]) : []);
    return owed;
  }

  function due(): ObserverRecord[] {
    return [...records().values()].filter((record) => record.state === "owed" && record.nextAt <= ports.now());
  }

  async function attempt(record: ObserverRecord): Promise<void> {
    const result = await ports.send(record.delivery, record.attempts + 1);
    const verdict = ports.judge(result, record);
    if (verdict.type === "done") {
      ports.transaction(() => store.removeObserver(record.id));
      records().delete(record.id);
      return;
    }
    const next: ObserverRecord = {
      ...record,
      attempts: record.attempts + 1,
      error: verdict.why,
      ...(verdict.type === "dead" ? { state: "dead" } : { nextAt: ports.now() + verdict.afterMs }),
    };
    ports.transaction(() => store.saveObserver(next));
    records().set(record.id, next);
  }

  async function run(): Promise<void> {
    for (let next = due(); next.length > 0; next = due()) {
      // none may be left under way: it would be sent again beside itself
      const tries = await Promise.allSettled(next.slice(0, MAX_CALLS).map(attempt));
      for (const one of tries) if (one.status === "rejected") throw one.reason;
    }
  }

  function pump(): void {
    if (pumping !== undefined || due().length === 0) return;
    pumping = run()
      .catch((error: unknown) => console.error("observers stopped", error))
      .finally(() => {
        pumping = undefined;
        // what is left waits for its time, or for the alarm when a try could not even be made
        ports.arm();
      });
    ports.keepAlive(pumping);
  }

  return {
    owe(deliveries) {
      noted.push(...deliveries);
    },
    flush() {
      if (noted.length === 0) return () => undefined;
      const written = noted;
      const saved = written.map((delivery) =>
        store.saveObserver({ id: 0, delivery, state: "owed", attempts: 0, createdAt: ports.now(), nextAt: 0 }),
      );
      return () => {
        noted = noted.filter((one) => !written.includes(one));
        for (const record of saved) records().set(record.id, record);
        pump();
      };
    },
    pump,
    nextSeq() {
      // a counter that needs no row: it never falls behind the clock, and two events never share a number
      seq = Math.max(seq + 1, ports.now());
      return seq;
    },
    isBusy: () => due().length > 0,
    nextAt() {
      const times = [...records().values()].filter((record) => record.state === "owed").map((record) => record.nextAt);
      const later = times.filter((at) => at > ports.now());
      return later.length === 0 ? undefined : Math.min(...later);
    },
    list: () => [...records().values()],
    replay(id) {
      const record = records().get(id);
      if (record?.state !== "dead") return false;
      const again: ObserverRecord = { ...record, state: "owed", attempts: 0, nextAt: 0, createdAt: ports.now() };
      ports.transaction(() => store.saveObserver(again));
      records().set(id, again);
      pump();
      return true;
    },
  };
}
