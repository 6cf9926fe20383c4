import { type CompactionState, NEVER_COMPACTED } from "#src/agent/compaction/compaction-state";
import { windowStart } from "#src/agent/estimate-tokens";
import type { Hooks } from "#src/domain/hook";
import type { Message } from "#src/domain/message";
import type { MemoryStore, Workspace } from "#src/domain/tool";
import type { NewMessage, StepUsage, TurnOrigin, TurnRecord } from "#src/domain/turn";
import type { CredentialPool } from "#src/providers/credentials";
import type { Environment } from "./environment";
import type { LiveHub } from "./live-hub";
import type { ChildSession } from "./session-children";
import type { Deliveries, Route } from "./session-deliveries";
import type { Observers } from "./session-observers";
import type { SessionMedia } from "./session-media";
import type { SessionFacts, SessionStore } from "./session-store";
import type { Suspects } from "./session-suspects";
import type { RunningTurn } from "./session-turns";

/** What every part of a session shares. Made once per life of the object by {@link ChatSession}. */
export interface SessionCore {
  readonly key: string;
  /** Names this life of the object: a turn of another one was interrupted. */
  readonly bootId: string;
  /** Several people share the conversation. */
  readonly isShared: boolean;
  /** A person talks here; false where a program's events arrive. */
  readonly isPersonal: boolean;
  readonly store: SessionStore;
  readonly hub: LiveHub;
  readonly deliveries: Deliveries;
  readonly observers: Observers;
  readonly suspects: Suspects;
  readonly media: SessionMedia;
  environment(): Promise<Environment>;
  /** The hooks, as of the last look at the settings; undefined before the first. */
  hooksNow(): Hooks | undefined;
  facts(): SessionFacts;
  /** The conversation as the model may read it: cached, and in step with SQLite by every method here. */
  rows(): readonly Message[];
  /** Runs one transaction; what was cached is forgotten when it fails. */
  commit<T>(work: () => T): T;
  /** Inside `commit`: */
  append(message: NewMessage, turnId: number | undefined, usage?: StepUsage): Message;
  moveToEnd(message: Message): void;
  replace(message: Message): void;
  setFacts(facts: SessionFacts): void;
  /** What is known of the conversation's summaries. */
  compaction(): CompactionState;
  /** Inside `commit`: writes it, and reads the rows anew. */
  setCompaction(state: CompactionState): void;
  /** Writes the facts of a session that is new. */
  keepFacts(): void;
  /** Cuts what the model is shown when it has outgrown the budget: where a turn begins. */
  fit(tokens: number): void;
  /** Reads the rows anew: the conversation is another one, or part of it was hidden. */
  forgetRows(): void;
  /** Makes sure that the object is woken when something has to be done later. */
  arm(): void;
  /** Resolves when everything written so far is on disk. */
  sync(): Promise<void>;
  keepAlive(work: Promise<unknown>): void;
  workspace(): Workspace;
  memory(): MemoryStore;
  /** The session of a subagent. */
  childSession(key: string): ChildSession;
  /** Allows kinds of danger for good, for the whole profile. */
  allowAlways(keys: readonly string[]): Promise<void>;
  /** Tells the profile, for the operator's list, whether a turn waits for leave. Never throws. */
  noteWaiting(isWaiting: boolean): Promise<void>;
  /** US dollars that the whole profile has spent today. */
  spentToday(): Promise<number>;
  /** Tells the profile where a vendor's keys stand. */
  keepCredentials(pool: CredentialPool): Promise<void>;
  routeOf(origin: TurnOrigin): Promise<Route | undefined>;
  /** Whether answers leave for a messenger; elsewhere the conversation itself is the delivery. */
  isMessenger(origin: TurnOrigin): boolean;
  readonly now: () => number;
  readonly random: () => number;
}

/** What is under way in this life of the object. */
export interface SessionWork {
  running: RunningTurn | undefined;
  /** Turns that wait for it, first come first served. */
  queue: TurnRecord[];
  /** A turn ended without its end being written: the alarm takes it up again. */
  isStuck: boolean;
}

/** Tokens of history read before the settings are known. */
const DEFAULT_HISTORY_TOKENS = 32_000;

/** Times its budget that a conversation may grow while nobody could summarise it. */
const CUT_AT = 1.5;

/** The cached window of rows that a model may read, over the store. */
export function openWindow(store: SessionStore, now: () => number, key: string) {
  let facts: SessionFacts | undefined;
  /** The facts stand in the store, not only here. */
  let isStored = false;
  let rows: Message[] | undefined;
  // until the first turn knows better: enough to tell where the conversation stands
  let budget = DEFAULT_HISTORY_TOKENS;

  function currentFacts(): SessionFacts {
    if (facts !== undefined) return facts;
    const stored = store.exists() ? store.facts() : undefined;
    isStored = stored !== undefined;
    facts = stored ?? { key, epoch: 1, epochStartedAt: now(), digestedTo: 0, messageCount: 0, usage: [] };
    return facts;
  }

  function current(): Message[] {
    const { epoch, windowFrom = 0 } = currentFacts();
    // some slack, so that what is read is cut by the window's rule and not by the reading
    rows ??= store.exists() ? readRows(epoch, windowFrom) : [];
    return rows;
  }

  /** What is read of a conversation: all of the window, less what its summary stands for. */
  function readRows(epoch: number, windowFrom: number): Message[] {
    const { summary } = compaction();
    if (summary === undefined) return store.newestRows(epoch, windowFrom, 2 * budget);
    const kept = store.keptRows(epoch, summary, store.turns()[0]?.id);
    const later = store.newestRows(epoch, Math.max(windowFrom, summary.toId + 1), 2 * budget);
    return [...kept.filter((row) => row.id <= summary.toId), ...later];
  }

  function compaction(): CompactionState {
    return (store.exists() ? store.compaction(currentFacts().epoch) : undefined) ?? NEVER_COMPACTED;
  }

  function setFacts(next: SessionFacts): void {
    store.setFacts(next);
    facts = next;
    isStored = true;
  }

  return {
    facts: currentFacts,
    rows: current,
    compaction,
    setCompaction(state: CompactionState): void {
      store.setCompaction(currentFacts().epoch, state);
      rows = undefined;
    },
    /** Cuts the window when it has outgrown the budget: called inside a transaction, where a turn begins. */
    fit(tokens: number): void {
      if (tokens > budget) rows = undefined;
      budget = tokens;
      const all = current();
      // a summary is tried first: the window is only cut when that did not help
      const start = windowStart(all, tokens * CUT_AT);
      const first = all[start];
      if (start === 0 || first === undefined) return;
      rows = all.slice(start);
      setFacts({ ...currentFacts(), windowFrom: first.id });
    },
    setFacts,
    keepFacts(): void {
      const current = currentFacts();
      if (!isStored) setFacts(current);
    },
    append(message: NewMessage, turnId: number | undefined, usage?: StepUsage): Message {
      const { epoch } = currentFacts();
      const before = current();
      const row = store.insertMessage(message, {
        epoch,
        now: now(),
        ...(turnId === undefined ? {} : { turnId }),
        usage,
      });
      before.push(row);
      return row;
    },
    moveToEnd(message: Message): void {
      const all = current();
      const id = store.moveToEnd(message.id);
      all.splice(all.indexOf(message), 1);
      all.push({ ...message, id });
    },
    replace(message: Message): void {
      store.updateWords(message);
      const all = current();
      const index = all.findIndex((row) => row.id === message.id);
      if (index !== -1) all[index] = message;
    },
    forgetRows(): void {
      facts = undefined;
      rows = undefined;
    },
  };
}
