import { randomBytes } from "node:crypto";
import type { SessionEvent } from "./protocol.ts";
import type { Session } from "./sessions.ts";

/** An event before it has its place. */
export type NewEvent = Omit<SessionEvent, "cursor" | "at">;

/** What a reader of events gets. */
export interface EventPage {
  readonly events: readonly SessionEvent[];
  readonly next_cursor: string;
  /** The cursor was of an earlier start of the sidecar: everything since this start follows. */
  readonly restarted?: true;
  /** Events between the cursor and the first of these are no longer kept. */
  readonly missed?: true;
}

/** What happened in sessions, kept for those who look later. */
export interface Events {
  add(session: Session, event: NewEvent): void;
  /** What happened after a cursor; from the beginning when there is none. */
  read(session: Session, after: string | undefined): EventPage;
  /** Waits until something happens, or the signal aborts. */
  wait(session: Session, signal: AbortSignal): Promise<void>;
  forget(session: Session): void;
}

interface SessionLog {
  readonly events: SessionEvent[];
  readonly waiting: Set<() => void>;
  count: number;
}

const KEPT_EVENTS = 1000;

/** Keeps the last events of each session in memory; a cursor tells which start of the sidecar it is of. */
export function createEvents(now: () => number): Events {
  const boot = randomBytes(6).toString("hex");
  const logs = new Map<string, SessionLog>();

  function logOf({ id }: Session): SessionLog {
    const log = logs.get(id) ?? { events: [], waiting: new Set(), count: 0 };
    logs.set(id, log);
    return log;
  }

  return {
    add(session, event) {
      const log = logOf(session);
      log.count += 1;
      log.events.push({ ...event, cursor: `${boot}.${log.count}`, at: now() });
      if (log.events.length > KEPT_EVENTS) log.events.shift();
      for (const wake of log.waiting) wake();
    },
    read(session, after) {
      const log = logOf(session);
      const [start, place] = (after ?? `${boot}.0`).split(".");
      const isRestarted = start !== boot;
      const seen = isRestarted ? 0 : Math.min(Number(place) || 0, log.count);
      const first = log.count - log.events.length;
      return {
        events: log.events.slice(Math.max(0, seen - first)),
        next_cursor: `${boot}.${log.count}`,
        ...(isRestarted && { restarted: true }),
        ...(seen < first && { missed: true }),
      };
    },
    async wait(session, signal) {
      const { waiting } = logOf(session);
      if (signal.aborted) return;
      await new Promise<void>((resolve) => {
        const wake = () => {
          waiting.delete(wake);
          signal.removeEventListener("abort", wake);
          resolve();
        };
        waiting.add(wake);
        signal.addEventListener("abort", wake, { once: true });
      });
    },
    forget: ({ id }) => void logs.delete(id),
  };
}
