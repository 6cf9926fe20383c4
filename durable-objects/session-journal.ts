import { extractMedia } from "#src/delivery/extract-media";
import type { Message } from "#src/domain/message";
import type { Journal, TurnRecord, Waiting } from "#src/domain/turn";
import { choiceValue, questionMarkdown } from "./session-accept";
import type { SessionCore } from "./session-core";
import { resultsMessage } from "./session-store";
import type { RunningTurn } from "./session-turns";

/** The journal of one turn over the session's store. */
export function journalOf(core: SessionCore, turn: RunningTurn): Journal {
  const { store, hub } = core;
  const turnId = turn.record.id;

  function unseen(): readonly Message[] {
    return core
      .rows()
      .filter((row) => row.turnId === turnId && row.role === "user" && row.kind !== "answer" && row.id > turn.seenId);
  }

  /** Appends a row; what a person wrote meanwhile moves behind it, for the model has not read it yet. */
  function append(message: Parameters<Journal["commitStep"]>[0], usage: Parameters<Journal["commitStep"]>[1]): Message {
    const late = unseen();
    const row = core.append(message, turnId, usage);
    for (const old of late) core.moveToEnd(old);
    if (late.length > 0) turn.seenId = row.id;
    return row;
  }

  /** The turn's row, when something in it has to last. */
  function save(changes: Partial<RunningTurn["record"]>): void {
    turn.record = { ...turn.record, ...changes };
    store.saveTurn(turn.record);
  }

  /** What stood only for the calls whose results are committed now. */
  function closeCalls(): void {
    const { waiting, begunCalls, ...rest } = turn.record;
    if (waiting === undefined && begunCalls === undefined) return;
    const waitedMs = (rest.waitedMs ?? 0) + (waiting === undefined ? 0 : core.now() - waiting.askedAt);
    turn.record = { ...rest, waitedMs };
    store.saveTurn(turn.record);
  }

  return {
    rows() {
      const rows = core.rows();
      // what waits for its own turn is not said yet
      return rows.some((row) => row.turnId > turnId) ? rows.filter((row) => row.turnId <= turnId) : rows;
    },
    commitStep(message, usage) {
      const row = core.commit(() => append(message, usage));
      turn.text = "";
      hub.message(row);
      return row;
    },
    commitResults(results) {
      const row = core.commit(() => {
        closeCalls();
        return append(resultsMessage(results), undefined);
      });
      hub.message(row);
    },
    commitBegin(callId) {
      core.commit(() => {
        const { waiting: _answered, ...rest } = turn.record;
        turn.record = rest;
        save({ begunCalls: [...(rest.begunCalls ?? []), callId] });
      });
    },
    commitPrepared(words) {
      core.commit(() => {
        for (const { id, ...changed } of words) {
          const row = core.rows().find((one) => one.id === id);
          if (row !== undefined && Object.keys(changed).length > 0) core.replace({ ...row, ...changed });
        }
        if (turn.record.isPrepared !== true) save({ isPrepared: true });
      });
      if (words.some((word) => word.content !== undefined)) hub.send({ type: "reload" });
    },
    commitKeptGoing(message, said, usage) {
      const rows = core.commit(() => [
        append(message, usage),
        core.append({ role: "user", kind: "hook", content: said }, turnId),
      ]);
      turn.text = "";
      for (const row of rows) hub.message(row);
    },
    commitWaiting(waiting) {
      const { origin } = turn.record;
      core.commit(() => {
        saveWaiting(core, turn, waiting);
        if (waiting === undefined || !core.isMessenger(origin)) return;
        // what has been shown of an answer stays as it is: the question is a message of its own, and so is what follows
        if (turn.growing?.record() !== undefined)
          core.deliveries.owe({ turnId, origin, text: shownSoFar(core, turnId) }, turn.growing);
        const buttons = waiting.question.choices.map((label, index) => ({ label, value: choiceValue(turnId, index) }));
        const question = { turnId, origin, text: questionMarkdown(waiting), isOwn: true };
        core.deliveries.owe(buttons.length === 0 ? question : { ...question, buttons });
      });
      core.arm();
      core.deliveries.pump();
    },
    commitEnd(message, end, usage, owed = []) {
      if (end === "answered" && unseen().length > 0) return false;
      const row = core.commit(() => {
        const committed = core.append(message, turnId, usage);
        store.removeTurn(turnId);
        core.observers.owe(owed);
        if (core.isMessenger(turn.record.origin)) oweAnswer(core, turn, message.display ?? message.content);
        return committed;
      });
      turn.isOver = true;
      hub.message(row);
      hub.turnEnded(turnId);
      core.deliveries.pump();
      return true;
    },
  };
}

/** Whole answers that mean "say nothing": kept, and sent to nobody when no person asked. */
const SILENCE = /^\s*(\[SILENT\]|SILENT|NO_REPLY|NO REPLY)\s*$/i;

function oweAnswer(core: SessionCore, turn: RunningTurn, content: string): void {
  const { id, origin } = turn.record;
  if (SILENCE.test(content) && !core.isPersonal) return;
  const { text: words, files } = extractMedia(content);
  const text = words === "" ? files.map((path) => `📎 ${path.slice(path.lastIndexOf("/") + 1)}`).join("\n") : words;
  core.deliveries.owe({ turnId: id, origin, text, ...(files.length === 0 ? {} : { files }) }, turn.growing);
}

/** The words that the turn's last step came with. */
function shownSoFar(core: SessionCore, turnId: number): string {
  const said = core
    .rows()
    .findLast(
      (row) => row.turnId === turnId && row.role === "assistant" && row.kind !== "note" && row.kind !== "summary",
    );
  return said?.content ?? "";
}

function saveWaiting(core: SessionCore, turn: RunningTurn, waiting: Waiting | undefined): void {
  const { waiting: _before, ...rest } = turn.record;
  turn.record = waiting === undefined ? rest : { ...rest, waiting };
  core.store.saveTurn(turn.record);
}

/** Tells the person something beside the answer, which the model does not read. */
export function noteToPerson(
  core: SessionCore,
  { id, origin }: Pick<TurnRecord, "id" | "origin">,
  notes: readonly string[],
): void {
  const content = notes.filter((note) => note.trim() !== "").join("\n");
  if (content === "") return;
  const row = core.commit(() => {
    if (core.isMessenger(origin)) core.deliveries.owe({ turnId: id, origin, text: content, isOwn: true });
    return core.append({ role: "assistant", kind: "note", content }, id);
  });
  core.hub.message(row);
  core.deliveries.pump();
}
