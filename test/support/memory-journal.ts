import type { HookDelivery } from "#src/domain/hook";
import type { Message, MessageKind } from "#src/domain/message";
import type { Journal, NewMessage, StepUsage, TurnEnd, Waiting } from "#src/domain/turn";

/** A turn's rows in memory, as a session keeps them, with what a test wants to know of them. */
export interface MemoryJournal extends Journal {
  /** Every row, those of other turns included. */
  all(): readonly Message[];
  /** How the turn ended: one entry, unless something is wrong. */
  readonly ends: readonly { readonly end: TurnEnd; readonly message: NewMessage }[];
  /** Questions in the order in which they were committed. */
  readonly questions: readonly Waiting[];
  readonly usages: readonly (StepUsage | undefined)[];
  waiting(): Waiting | undefined;
  /** Unsafe calls that were about to run. */
  begun(): readonly string[];
  /** What observers are owed, in order. */
  readonly owed: readonly HookDelivery[];
  /** A person writes into the running turn. */
  write(text: string, kind?: MessageKind): void;
  /** A person answers the open question. */
  answer(text: string): void;
}

export interface MemoryJournalOptions {
  readonly turnId?: number;
  /** The message that began the turn. */
  readonly text?: string;
  /** Rows of earlier turns. */
  readonly before?: readonly Message[];
  /** Called before and after each commit; a throw is a crash there. */
  readonly point?: (name: string) => void;
}

export function memoryJournal({
  turnId = 1,
  text = "hi",
  before = [],
  point,
}: MemoryJournalOptions = {}): MemoryJournal {
  const at = point ?? (() => undefined);
  let rows: readonly Message[] = [...before, row(turnId, { role: "user", kind: "chat", content: text })];
  let seenId = 0;
  let waiting: Waiting | undefined;
  const ends: { readonly end: TurnEnd; readonly message: NewMessage }[] = [];
  const questions: Waiting[] = [];
  const begun: string[] = [];
  const owed: HookDelivery[] = [];
  const usages: (StepUsage | undefined)[] = [];

  function row(id: number, message: NewMessage): Message {
    return { ...message, id, turnId, createdAt: 0 };
  }

  function nextId(): number {
    return (rows.at(-1)?.id ?? 0) + 1;
  }

  function unseen(): readonly Message[] {
    return rows.filter(
      (one) => one.turnId === turnId && one.role === "user" && one.kind !== "answer" && one.id > seenId,
    );
  }

  /** What a person wrote meanwhile moves behind the new row: the model reads it after that. */
  function append(message: NewMessage): Message {
    const late = unseen();
    const added = row(nextId(), message);
    const moved = late.map((one, index) => ({ ...one, id: added.id + 1 + index }));
    rows = [...rows.filter((one) => !late.includes(one)), added, ...moved];
    if (late.length > 0) seenId = added.id;
    return added;
  }

  function commit<T>(name: string, work: () => T): T {
    at(`before ${name}`);
    if (ends.length > 0) throw new TypeError(`${name} after the turn's end`);
    const result = work();
    at(`after ${name}`);
    return result;
  }

  return {
    ends,
    questions,
    usages,
    owed,
    begun: () => begun,
    all: () => rows,
    waiting: () => waiting,
    rows() {
      seenId = rows.at(-1)?.id ?? 0;
      return rows;
    },
    commitStep: (message, usage) =>
      commit("step", () => {
        usages.push(usage);
        return append(message);
      }),
    commitResults: (results) =>
      commit("results", () => {
        waiting = undefined;
        append({ role: "tool", kind: "chat", content: "", toolResults: results });
      }),
    commitPrepared: (words) =>
      commit("prepared", () => {
        for (const { id, ...changed } of words) {
          rows = rows.map((one) => (one.id === id ? { ...one, ...changed } : one));
        }
      }),
    commitKeptGoing: (message, said, usage) =>
      commit("kept going", () => {
        usages.push(usage);
        append(message);
        append({ role: "user", kind: "hook", content: said });
      }),
    commitBegin: (callId) => commit("begin", () => void begun.push(callId)),
    commitEnd(message, end, usage, told = []) {
      if (end === "answered" && unseen().length > 0) return false;
      return commit("end", () => {
        usages.push(usage);
        rows = [...rows, row(nextId(), message)];
        ends.push({ end, message });
        owed.push(...told);
        return true;
      });
    },
    commitWaiting: (next) =>
      commit("waiting", () => {
        waiting = next;
        if (next !== undefined) questions.push(next);
      }),
    write(content, kind = "chat") {
      rows = [...rows, row(nextId(), { role: "user", kind, content })];
    },
    answer(text) {
      if (waiting === undefined) throw new TypeError("nothing was asked");
      waiting = { ...waiting, answer: text };
    },
  };
}
