import { deliver, type DeliveryPorts } from "#src/delivery/deliver";
import { type GrowingMessage, growMessage } from "#src/delivery/growing-message";
import type { Button, OutboundFile, PlatformAdapter, PlatformClient } from "#src/domain/platform";
import type { DeliveryRecord, TurnOrigin } from "#src/domain/turn";
import type { SessionStore } from "./session-store";

/** Milliseconds of wait that are slept through; a longer one is left to the alarm, so that the object may rest. */
const SLEEP_MS = 5_000;

/** How one platform account is reached. */
export interface Route {
  readonly adapter: Pick<PlatformAdapter, "limits" | "delivery">;
  readonly client: PlatformClient;
}

export interface DeliveriesPorts {
  readonly store: SessionStore;
  /** Undefined when the platform is off, or the conversation itself is the delivery (web page, API). */
  readonly routeOf: (origin: TurnOrigin) => Promise<Route | undefined>;
  readonly readFile: (path: string) => Promise<OutboundFile | undefined>;
  readonly limits: () => Promise<{
    readonly maxAttempts: number;
    readonly giveUpAfterMs: number;
    readonly threshold: number;
  }>;
  /** Whether hooks want to see what is sent before it is. */
  readonly isGated: () => boolean;
  /** Takes a message past those hooks: its text as they left it, or why it stays here; with what they have to say. */
  readonly pass: (
    record: DeliveryRecord,
  ) => Promise<({ readonly text: string } | { readonly withheld: string }) & { readonly notes: readonly string[] }>;
  /** Told of a message that has arrived, and of one that a hook kept back; inside the transaction that says so. */
  readonly onSent: (record: DeliveryRecord) => void;
  readonly onWithheld: (record: DeliveryRecord, reason: string) => void;
  /** Told what hooks say of a message to the person, inside the transaction that lets it pass or keeps it back. */
  readonly onNotes: (record: DeliveryRecord, notes: readonly string[]) => void;
  readonly transaction: (work: () => void) => void;
  /** Called when something has to be done later, at `nextAt`. */
  readonly arm: () => void;
  readonly keepAlive: (work: Promise<unknown>) => void;
  readonly now: () => number;
  readonly random: () => number;
}

/** What the session owes to platforms, handed over strictly in order. */
export interface Deliveries {
  /**
   * Begins an answer that grows by edits; nothing is sent before it says something. `interrupted`: an earlier life may
   * have begun it already.
   */
  grow(turnId: number, origin: TurnOrigin, interrupted: boolean): Promise<GrowingMessage | undefined>;
  /** Writes what is owed, inside the caller's transaction. The growing message it ends, if any, has to be given. */
  owe(message: Owed, growing?: GrowingMessage): void;
  /** Sends what is owed and due. */
  pump(): void;
  /** Takes up what an earlier life of the object left. */
  recover(): void;
  /** Something is being handed over right now, or could be. */
  isBusy(): boolean;
  /** Epoch milliseconds of the next try; undefined when nothing waits for one. */
  nextAt(): number | undefined;
  list(): readonly DeliveryRecord[];
  /** Tries a dead delivery again. Returns false when there is none with this id. */
  replay(id: number): boolean;
}

export interface Owed {
  readonly turnId: number;
  readonly origin: TurnOrigin;
  readonly text: string;
  readonly buttons?: readonly Button[];
  readonly files?: readonly string[];
  /** A message beside the turn's answer, which therefore does not take over what has grown of that. */
  readonly isOwn?: boolean;
  /** Written by the hooks themselves: it does not pass them again. */
  readonly isOfHooks?: boolean;
}

interface Pending {
  record: DeliveryRecord;
  isUnconfirmed: boolean;
  needsEdit: boolean;
  readonly growing?: GrowingMessage;
}

export function openDeliveries(ports: DeliveriesPorts): Deliveries {
  const { store } = ports;
  const pending = new Map<number, Pending>();
  const lifetime = new AbortController();
  let pumping: Promise<void> | undefined;

  function newRecord(owed: Omit<Owed, "isOwn" | "isOfHooks">): DeliveryRecord {
    return {
      id: 0,
      key: crypto.randomUUID(),
      state: "final",
      parts: [],
      attempts: 0,
      createdAt: ports.now(),
      nextAt: 0,
      ...owed,
    };
  }

  function growingOf(turnId: number): DeliveryRecord | undefined {
    return store.deliveries().find((record) => record.state === "growing" && record.turnId === turnId);
  }

  async function portsFor(record: DeliveryRecord): Promise<DeliveryPorts | undefined> {
    const route = await ports.routeOf(record.origin);
    if (route === undefined) return undefined;
    const { maxAttempts, giveUpAfterMs } = await ports.limits();
    return {
      ...route,
      save: (record) => store.saveDelivery(record),
      remove: (record) =>
        ports.transaction(() => {
          store.removeDelivery(record.id);
          ports.onSent(record);
        }),
      readFile: ports.readFile,
      signal: lifetime.signal,
      now: ports.now,
      random: ports.random,
      maxAttempts,
      giveUpAfterMs,
    };
  }

  /** One delivery, as far as it comes now. Resolves true when the next one may go. */
  async function attempt(id: number, entry: Pending): Promise<boolean> {
    if (entry.growing !== undefined) await mergeGrown(entry, entry.growing);
    const deliveryPorts = await portsFor(entry.record);
    if (deliveryPorts === undefined) {
      store.saveDelivery({
        ...entry.record,
        state: "dead",
        error: `The platform ${entry.record.origin.platform} is off.`,
      });
      pending.delete(id);
      return true;
    }
    if (entry.record.mustPass === true && !(await passed(entry))) {
      pending.delete(id);
      return true;
    }
    const left = await deliver(entry.record, entry, deliveryPorts);
    if (left === undefined || left.state === "dead") {
      if (left !== undefined)
        console.error(`delivery ${left.key} is dead after ${left.attempts} tries: ${left.error ?? ""}`);
      pending.delete(id);
      return true;
    }
    // what is still `sending` after a try was cut off
    const isUnconfirmed = left.parts.some((part) => part.state === "sending");
    pending.set(id, { record: left, isUnconfirmed, needsEdit: entry.needsEdit });
    return false;
  }

  /** Takes a message past the hooks; false when they keep it back: then it has to pass them whenever it is sent. */
  async function passed(entry: Pending): Promise<boolean> {
    const { mustPass: _mustPass, ...record } = entry.record;
    const verdict = await ports.pass(record);
    ports.transaction(() => {
      if ("text" in verdict) {
        entry.record = store.saveDelivery({ ...record, text: verdict.text, parts: [{ state: "sending" }] });
      } else {
        store.saveDelivery({ ...entry.record, state: "dead", error: `Kept back by a hook: ${verdict.withheld}` });
        ports.onWithheld(record, verdict.withheld);
      }
      ports.onNotes(record, verdict.notes);
    });
    return "text" in verdict;
  }

  async function run(): Promise<void> {
    for (;;) {
      const [next] = pending;
      if (next === undefined) return;
      const [id, entry] = next;
      const waitMs = entry.record.nextAt - ports.now();
      if (waitMs > SLEEP_MS) return ports.arm();
      if (waitMs > 0) {
        ports.arm(); // in case this life ends while it sleeps
        await new Promise((resolve) => setTimeout(resolve, waitMs));
        continue;
      }
      await attempt(id, entry);
    }
  }

  function pump(): void {
    pumping ??= run()
      .catch((error: unknown) => console.error("deliveries stopped", error))
      .finally(() => {
        pumping = undefined;
        // what is left waits for the alarm: its try could not even be made
        if (pending.size > 0) ports.arm();
      });
    ports.keepAlive(pumping);
  }

  return {
    async grow(turnId, origin, interrupted) {
      const route = await ports.routeOf(origin);
      if (route?.adapter.delivery.editIntervalMs === undefined || route.client.edit === undefined) return undefined;
      const { threshold } = await ports.limits();
      const resume = interrupted ? growingOf(turnId) : undefined;
      return growMessage({
        ...route,
        ...(resume === undefined ? {} : { resume }),
        begin: () => newRecord({ turnId, origin, text: "" }),
        save: (record) => store.saveDelivery(record),
        mayBegin: () => pending.size === 0,
        threshold,
        signal: lifetime.signal,
        now: ports.now,
      });
    },
    owe({ isOwn = false, isOfHooks = false, ...owed }, growing) {
      // an earlier life may have begun the answer without this one having taken it up
      const begun = growing === undefined ? (isOwn ? undefined : growingOf(owed.turnId)) : growing.record();
      const fresh = newRecord(owed);
      // what stands behind others is not being sent yet
      const isGated = !isOfHooks && ports.isGated();
      const unsent = pending.size > 0 || isGated ? [] : [{ state: "sending" } as const];
      const parts = begun?.parts.length ? begun.parts : unsent;
      const record = store.saveDelivery({
        ...fresh,
        ...(begun === undefined ? {} : { id: begun.id, key: begun.key, createdAt: begun.createdAt }),
        parts,
        ...(isGated && begun === undefined ? { mustPass: true } : {}),
      });
      const isLeft = growing === undefined && begun !== undefined;
      pending.set(record.id, {
        record,
        ...startOf(isLeft ? begun.parts : []),
        ...(growing === undefined ? {} : { growing }),
      });
    },
    pump,
    recover() {
      for (const record of store.deliveries()) {
        // a growing one belongs to a turn that goes on: the turn's end takes it up
        if (record.state !== "final") continue;
        pending.set(record.id, { record, ...startOf(record.parts) });
      }
      if (pending.size > 0) pump();
    },
    isBusy: () => [...pending.values()].some((entry) => entry.record.nextAt <= ports.now()),
    nextAt() {
      const times = [...pending.values()].map((entry) => entry.record.nextAt).filter((at) => at > ports.now());
      return times.length === 0 ? undefined : Math.min(...times);
    },
    list: () => (store.exists() ? store.deliveries() : []),
    replay(id) {
      const record = store.deliveries().find((candidate) => candidate.id === id && candidate.state === "dead");
      if (record === undefined) return false;
      const again = store.saveDelivery({ ...record, state: "final", attempts: 0, nextAt: 0, createdAt: ports.now() });
      pending.set(id, { record: again, ...startOf(again.parts) });
      pump();
      return true;
    },
  };
}

/** How parts that another life has left are to be read: an open one is in doubt, and what was shown may not be the end. */
function startOf(parts: DeliveryRecord["parts"]): { readonly isUnconfirmed: boolean; readonly needsEdit: boolean } {
  return { isUnconfirmed: parts.some((part) => part.state === "sending"), needsEdit: parts[0]?.state === "sent" };
}

/** Waits until the growing message is still, and takes over what became of its first send. */
async function mergeGrown(entry: Pending, growing: GrowingMessage): Promise<void> {
  const grown = await growing.settle();
  if (grown.record === undefined) return;
  const parts = grown.record.parts.length > 0 ? grown.record.parts : entry.record.parts;
  entry.record = { ...entry.record, parts };
  entry.isUnconfirmed = grown.isUnconfirmed;
  entry.needsEdit = parts[0]?.state === "sent" && grown.shown !== entry.record.text;
}
