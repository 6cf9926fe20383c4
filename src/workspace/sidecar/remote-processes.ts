import { GatewayError } from "#src/domain/errors";
import type { ProcessLog, ProcessRecord, ProcessStart } from "#src/domain/process";
import { utf8 } from "#src/lib/encoding";
import { joinPath } from "../workspace-path";
import { sendFiles } from "./remote-files";
import { type RemoteShellPorts, outcomeUnknown, runName } from "./remote-shell";
import type { ProcessRow, RunRow } from "./remote-store";
import { RUN_VARIABLE, backgroundScript } from "./shell-script";
import { SidecarError, isFault } from "./sidecar-error";
import { sha256Of } from "./sidecar-files";
import type { RemoteProcess } from "./sidecar-processes";
import { endProcess, noteShown } from "./take-events";

/** As much as one argument of a program may be, with room for the others. */
const MAX_COMMAND_BYTES = 100_000;

/** How a background process is asked for. */
export type ProcessRequest = Omit<ProcessStart, "sessionKey"> & {
  readonly sessionKey: string;
  readonly command: string;
};

/**
 * Starts a background process, or finds the one that was started under the same key. A row says that it is about to be
 * started before it is.
 *
 * @throws GatewayError `unconfirmed` when whether it was started is not known
 */
export async function startProcess(ports: RemoteShellPorts, request: ProcessRequest): Promise<ProcessRecord> {
  if (utf8(request.command).length > MAX_COMMAND_BYTES) {
    const message = `A background command may have ${MAX_COMMAND_BYTES} bytes: write it to a file and run that.`;
    throw new GatewayError("too_large", message);
  }
  const { store } = ports;
  const known = store.run(request.key);
  const run = known ?? (await ports.inTurn(() => begin(ports, request)));
  if (run.isLost) throw outcomeUnknown();
  // a sidecar with another disk has forgotten what it started; one that is there starts nothing twice
  if (known !== undefined) await ports.inTurn(() => checkDisk(ports, run));
  const { watch, timeoutMs = 0 } = request;
  try {
    const started = await ports.client.processes.start(run.command, { key: run.name, timeoutMs, watch });
    return record(ports, request, run, started);
  } catch (error) {
    if (!isFault(error, "lost", "unreachable", "outcome_unknown", "idempotency_mismatch", "internal", "protocol")) {
      store.dropRun(run.key);
      throw error;
    }
    store.saveRun({ ...run, isLost: true });
    throw outcomeUnknown(error);
  }
}

async function begin(ports: RemoteShellPorts, request: ProcessRequest): Promise<RunRow> {
  const { store } = ports;
  const { state } = await sendFiles(ports);
  const name = await runName(request.key, 1);
  const { workdir, isTerminal } = request;
  const argv = backgroundScript(request.command, {
    mark: state.mark,
    run: name,
    cwd: workdir === undefined ? ports.cwd() : joinPath(ports.cwd(), workdir),
    isOwnCwd: workdir === undefined,
    isTerminal,
  });
  const command = { argv, env: { [RUN_VARIABLE]: name }, network: ports.network };
  const run: RunRow = { key: request.key, name, command, at: ports.now(), isLost: false };
  store.transaction(() => {
    const current = store.state();
    if (current?.isQuiet === true) store.setState({ ...current, isQuiet: false });
    store.saveRun(run);
  });
  return run;
}

async function checkDisk(ports: RemoteShellPorts, run: RunRow): Promise<void> {
  const { state } = await sendFiles(ports);
  if (run.command.argv?.includes(state.mark) === true) return;
  ports.store.saveRun({ ...run, isLost: true });
  throw outcomeUnknown();
}

function record(
  { store, now }: RemoteShellPorts,
  request: ProcessRequest,
  run: RunRow,
  started: RemoteProcess,
): ProcessRecord {
  const row: ProcessRow = {
    id: started.id,
    sessionKey: request.sessionKey,
    command: request.command,
    tellsEnd: request.tellsEnd,
    watches: request.watch.length > 0,
    startedAt: run.at,
    status: "running",
    isEndKnown: false,
  };
  store.transaction(() => {
    // a second start under the key finds what the first one noted
    if (store.process(row.id) === undefined) store.saveProcess(row);
    store.pruneProcesses();
  });
  // it may have ended before it was noted: its event found nobody who wanted to know
  if (started.status !== "running")
    endProcess(
      store,
      { ...row, isEndKnown: true },
      { status: started.status, exitCode: started.exitCode, tail: "" },
      now(),
    );
  return toRecord(row, started);
}

/** What the sidecar says of a process, or what is remembered of one that it has forgotten. */
export async function findProcess(ports: RemoteShellPorts, row: ProcessRow): Promise<ProcessRecord> {
  return look(ports, row, () => ports.client.processes.find(row.id));
}

/** Resolves when it has ended, or the time is over. */
export async function waitForProcess(
  ports: RemoteShellPorts,
  row: ProcessRow,
  timeoutMs: number,
): Promise<ProcessRecord> {
  return look(ports, row, () => ports.client.processes.wait(row.id, timeoutMs));
}

export async function killProcess(ports: RemoteShellPorts, row: ProcessRow): Promise<ProcessRecord> {
  return look(ports, row, () => ports.client.processes.kill(row.id));
}

async function look(
  { store, now }: RemoteShellPorts,
  row: ProcessRow,
  ask: () => Promise<RemoteProcess>,
): Promise<ProcessRecord> {
  try {
    const found = await ask();
    noteShown(store, row, found);
    return toRecord(row, found);
  } catch (error) {
    if (!isFault(error, "process_not_found")) throw error;
    endProcess(store, { ...row, isEndKnown: true }, { status: "lost", tail: "" }, now());
    return toRecord(store.process(row.id) ?? row, undefined);
  }
}

export async function readProcessLog(
  ports: RemoteShellPorts,
  row: ProcessRow,
  offset: number,
  limit: number,
): Promise<ProcessLog> {
  try {
    return await ports.client.processes.log(row.id, offset, limit);
  } catch (error) {
    if (!isFault(error, "process_not_found")) throw error;
    throw new GatewayError("not_found", `What ${row.id} has printed is gone with the machine that it ran on.`);
  }
}

/** Writes to a process, once for a key. @throws GatewayError `unconfirmed` when whether it was written is not known */
export async function writeToProcess(
  { client, store, now }: RemoteShellPorts,
  row: ProcessRow,
  { key, text, closes }: { readonly key: string; readonly text: string; readonly closes: boolean },
): Promise<void> {
  if (store.run(key) !== undefined) {
    const message = `Outcome unknown: whether ${row.id} was given this input is not known, and it was not given again.`;
    throw new GatewayError("unconfirmed", message);
  }
  store.saveRun({ key, name: await sha256Of(utf8(key)), command: {}, at: now(), isLost: true });
  try {
    await client.processes.write(row.id, text, closes);
  } catch (error) {
    if (error instanceof SidecarError && !isFault(error, "lost", "unreachable", "internal", "protocol"))
      store.dropRun(key);
    throw isFault(error, "process_ended") ? new GatewayError("conflict", `${row.id} reads no more input.`) : error;
  }
}

/** A process for its session; `found`: what the sidecar says of it now. */
export function toRecord(row: ProcessRow, found: RemoteProcess | undefined): ProcessRecord {
  const endedAt = found?.endedAt ?? row.endedAt;
  const exitCode = found?.exitCode ?? row.exitCode;
  return {
    id: row.id,
    command: row.command,
    status: found?.status ?? row.status,
    startedAt: row.startedAt,
    tail: found?.tail ?? "",
    logBytes: found?.logBytes ?? 0,
    ...(endedAt === undefined ? {} : { endedAt }),
    ...(exitCode === undefined ? {} : { exitCode }),
  };
}
