import { stripAnsi } from "#src/lib/strip-ansi";
import { bootOf, type EventPage, type RemoteEvent, type RemoteProcess } from "./sidecar-processes";
import type { ProcessRow, RemoteStore } from "./remote-store";

const MAX_COMMAND_CHARS = 300;
const MAX_TAIL_CHARS = 2000;
const MAX_LINE_CHARS = 500;

/**
 * Notes what happened to background processes, and whom to tell. One transaction, with the cursor: an event is taken
 * in once. `tailOf` gives the last words of those that have ended.
 */
export function takeEvents(store: RemoteStore, page: EventPage, tailOf: (id: string) => string, now: number): void {
  const state = store.state();
  if (state === undefined) return;
  store.transaction(() => {
    for (const event of page.events) takeEvent(store, event, tailOf, now);
    if (state.cursor !== page.cursor) store.setState({ ...state, cursor: page.cursor, boot: bootOf(page.cursor) });
  });
}

function takeEvent(store: RemoteStore, event: RemoteEvent, tailOf: (id: string) => string, now: number): void {
  const row = store.process(event.processId);
  if (row === undefined) return;
  if (event.type === "matched" && row.watches) tell(store, row, event.cursor, matchText(row, event), now);
  if (event.type !== "exited" && event.type !== "lost") return;
  endProcess(store, row, { status: event.type, exitCode: event.exitCode, tail: tailOf(row.id) }, now);
}

interface End {
  readonly status: "exited" | "lost";
  readonly exitCode?: number | undefined;
  readonly tail: string;
}

/** Notes that a process has ended, and tells its session if it wants to know and does not yet. */
export function endProcess(store: RemoteStore, row: ProcessRow, { status, exitCode, tail }: End, now: number): void {
  if (row.status !== "running") return;
  const ended: ProcessRow = {
    ...row,
    status,
    endedAt: now,
    ...(exitCode === undefined ? {} : { exitCode }),
    isEndKnown: true,
  };
  store.saveProcess(ended);
  if (row.tellsEnd && !row.isEndKnown) tell(store, row, "end", endText(ended, tail), now);
}

function tell(store: RemoteStore, { id, sessionKey }: ProcessRow, what: string, text: string, at: number): void {
  store.addNotice({ key: `${id}:${what}`, sessionKey, text, at });
}

/** Notes what its own session was shown of a process: it need not be told again. */
export function noteShown(store: RemoteStore, row: ProcessRow, shown: RemoteProcess): void {
  if (shown.status === "running" || row.isEndKnown) return;
  const { status, endedAt, exitCode } = shown;
  store.saveProcess({
    ...row,
    status,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
    isEndKnown: true,
  });
}

function endText(row: ProcessRow, tail: string): string {
  const how =
    row.status === "lost"
      ? "was lost when its machine went away; how it ended is not known"
      : `has ended with exit code ${row.exitCode ?? "unknown"}`;
  const output = stripAnsi(tail).slice(-MAX_TAIL_CHARS).trimEnd();
  const last = output === "" ? "It printed nothing." : `The end of its output:\n${output}`;
  return `[Background process ${row.id} ${how}.]\nCommand: ${shortened(row.command)}\n${last}`;
}

function matchText(row: ProcessRow, { pattern = "", line = "", suppressed }: RemoteEvent): string {
  const more = suppressed === 0 ? "" : `\n(${suppressed} earlier matches came too fast and were left out.)`;
  return (
    `[Background process ${row.id} printed ${JSON.stringify(pattern)}.]\nCommand: ${shortened(row.command)}\n` +
    `The line: ${stripAnsi(line).slice(0, MAX_LINE_CHARS)}${more}`
  );
}

function shortened(command: string): string {
  return command.length <= MAX_COMMAND_CHARS ? command : `${command.slice(0, MAX_COMMAND_CHARS).toWellFormed()}…`;
}
