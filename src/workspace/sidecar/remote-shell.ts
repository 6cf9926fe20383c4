import { GatewayError } from "#src/domain/errors";
import type { ExecResult } from "#src/domain/tool";
import { cutMiddle } from "#src/lib/cut-middle";
import { MAX_STDERR_BYTES, MAX_STDOUT_BYTES } from "../exec-limits";
import { joinPath } from "../workspace-path";
import { type RemoteFilesPorts, fetchFiles, sendFiles } from "./remote-files";
import type { RunRow } from "./remote-store";
import { RUN_VARIABLE, foregroundScript, killScript, readEnding, toWorkspacePath, withoutEnding } from "./shell-script";
import { isFault, SidecarError } from "./sidecar-error";
import type { SidecarCommand, SidecarResult } from "./sidecar-exec";
import { sha256Of } from "./sidecar-files";
import { utf8 } from "#src/lib/encoding";

/** What running commands on a sidecar needs of the world. */
export interface RemoteShellPorts extends RemoteFilesPorts {
  /** Commands run beside each other; what touches the files here is done one after the other. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
  /** The shell's directory, as the workspace names it. */
  readonly cwd: () => string;
  /** "none" cuts commands off. */
  readonly network: "default" | "none";
  /** Whether no command or process may be changing files there now. */
  readonly isQuiet: () => boolean;
  /** Counts a command as running until the returned function is called. */
  readonly begin: () => () => void;
}

export interface RemoteExecRequest {
  readonly key: string;
  readonly command: string;
  readonly workdir?: string;
  readonly timeoutMs: number;
  readonly isTerminal: boolean;
  readonly signal: AbortSignal;
  readonly onText?: (text: string) => void;
}

/** What a command came to; `cwd` is where the shell is from now on. */
export interface RemoteRun {
  readonly result: ExecResult;
  readonly cwd: string;
}

/** The sidecar forgets runs after a day: one that old is not asked for again. */
const RUN_KEPT_MS = 20 * 3600 * 1000;
/** What a row may have, less the rest of it. */
const MAX_ROW_BYTES = 1_900_000;
const KILL_TIMEOUT_MS = 15_000;
/** Tries of a command whose disk turns out to be new, before anything ran. */
const MAX_FRESH = 2;

/**
 * Runs a command on the sidecar, once for its key: what changed here is sent before it, what it changed is fetched after
 * it. A command that may have run is asked about, and never run again.
 *
 * @throws GatewayError `unconfirmed` when whether it ran is not known
 */
export async function runRemotely(ports: RemoteShellPorts, request: RemoteExecRequest): Promise<RemoteRun> {
  const known = ports.store.run(request.key);
  if (known !== undefined) return finish(ports, request, await askAgain(ports, request, known), []);
  for (let tries = 1; ; tries++) {
    const begun = await ports.inTurn(() => begin(ports, request, tries));
    if (begun === undefined) return interrupted(ports);
    const result = await give(ports, request, begun.run);
    if (!readEnding(result.stdout, begun.run.name).isFresh)
      return finish(ports, request, { run: begun.run, result }, begun.notes);
    forgetDisk(ports, request.key);
    if (tries === MAX_FRESH)
      throw new GatewayError("unavailable", "The sidecar is being replaced; the command was not run. Try it again.");
  }
}

/** Every file is there and a row says what is about to happen before anything does. Undefined when it was stopped. */
async function begin(
  ports: RemoteShellPorts,
  request: RemoteExecRequest,
  tries: number,
): Promise<{ readonly run: RunRow; readonly notes: readonly string[] } | undefined> {
  if (request.signal.aborted) return undefined;
  const { store, now } = ports;
  const { state, notes } = await sendFiles(ports);
  if (request.signal.aborted) return undefined;
  const name = await runName(request.key, tries);
  const { workdir } = request;
  const argv = foregroundScript({
    mark: state.mark,
    run: name,
    cwd: workdir === undefined ? ports.cwd() : joinPath(ports.cwd(), workdir),
    isOwnCwd: workdir === undefined,
    isTerminal: request.isTerminal,
  });
  const command: SidecarCommand = {
    argv,
    stdin: request.command,
    env: { [RUN_VARIABLE]: name },
    timeout_ms: Math.min(Math.max(1, request.timeoutMs), state.maxTimeoutMs),
    max_output: MAX_STDOUT_BYTES,
    network: ports.network,
  };
  const run: RunRow = { key: request.key, name, command, at: now(), isLost: false };
  if (utf8(JSON.stringify(run)).length > MAX_ROW_BYTES)
    throw new GatewayError("too_large", "The command is too long: write it to a file and run that.");
  store.transaction(() => {
    const current = store.state();
    if (current?.isQuiet === true) store.setState({ ...current, isQuiet: false });
    store.saveRun(run);
  });
  return { run, notes };
}

/** By which the sidecar and a run's processes know it: visible ASCII, the same for every run of a call. */
export async function runName(key: string, tries: number): Promise<string> {
  return `${(await sha256Of(utf8(key))).slice(0, 32)}-${tries}`;
}

/** A command that may have run: the sidecar knows, unless it has another disk than it had. */
async function askAgain(ports: RemoteShellPorts, request: RemoteExecRequest, run: RunRow): Promise<Ran> {
  if (run.isLost) throw outcomeUnknown();
  if (ports.now() - run.at > RUN_KEPT_MS) throw lose(ports, run);
  const result = await give(ports, request, run);
  // what our mark is not on did not run it now; whether it ran before is not known
  if (readEnding(result.stdout, run.name).isFresh) throw lose(ports, run);
  return { run, result };
}

interface Ran {
  readonly run: RunRow;
  readonly result: SidecarResult;
}

async function give(ports: RemoteShellPorts, request: RemoteExecRequest, run: RunRow): Promise<SidecarResult> {
  const { client, store } = ports;
  const { signal, onText } = request;
  const stop = (): void => {
    const shell = killScript(run.name);
    void client.exec({ shell, shell_name: "sh", timeout_ms: KILL_TIMEOUT_MS }, {}).catch(() => undefined);
  };
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  const end = ports.begin();
  try {
    const hear = onText && ((text: string): void => onText(withoutEnding(text, run.name)));
    return await client.exec(run.command, { key: run.name, ...(hear && { onText: hear }) });
  } catch (error) {
    if (isFault(error, "lost", "outcome_unknown", "idempotency_mismatch", "internal", "protocol"))
      throw lose(ports, run, error);
    // every other refusal comes before anything is started
    if (error instanceof SidecarError) store.dropRun(run.key);
    throw error;
  } finally {
    end();
    signal.removeEventListener("abort", stop);
  }
}

function lose({ store }: RemoteShellPorts, run: RunRow, cause?: unknown): GatewayError {
  store.saveRun({ ...run, isLost: true });
  return outcomeUnknown(cause);
}

/** What the model is told of a command that is not run again. */
export function outcomeUnknown(cause?: unknown): GatewayError {
  return new GatewayError(
    "unconfirmed",
    "Outcome unknown: the sidecar was lost while this may have been running. It was not run again. Check what it did " +
      "before you repeat it.",
    { cause },
  );
}

/** The next attach looks at the disk again. */
function forgetDisk({ store }: RemoteShellPorts, key: string): void {
  store.transaction(() => {
    const state = store.state();
    if (state !== undefined) store.setState({ ...state, boot: "" });
    store.dropRun(key);
  });
}

async function finish(
  ports: RemoteShellPorts,
  request: RemoteExecRequest,
  { run, result }: Ran,
  sent: readonly string[],
): Promise<RemoteRun> {
  const ending = readEnding(result.stdout, run.name);
  const fetched = await ports.inTurn(() => fetchFiles(ports, ports.isQuiet)).catch(notFetched);
  const root = ports.store.state()?.root ?? "";
  const cwd =
    request.workdir === undefined && ending.cwd !== undefined ? toWorkspacePath(ending.cwd, root) : ports.cwd();
  const notes = [...sent, ...notesOf(result), ...pathNote(request, result, ending.cwd, root), ...fetched];
  const isStopped = request.signal.aborted && !result.isTimedOut;
  return {
    cwd,
    result: {
      exitCode: isStopped ? EXIT_INTERRUPTED : result.exitCode,
      stdout: ending.output,
      stderr: cutMiddle(isStopped ? `${result.stderr}bash: interrupted\n` : result.stderr, {
        maxBytes: MAX_STDERR_BYTES,
      }),
      timedOut: result.isTimedOut,
      cwd: ending.cwd ?? cwd,
      ...(notes.length === 0 ? {} : { notes }),
    },
  };
}

const EXIT_INTERRUPTED = 130;

function interrupted({ cwd }: RemoteShellPorts): RemoteRun {
  const stderr = "bash: interrupted\n";
  return { cwd: cwd(), result: { exitCode: EXIT_INTERRUPTED, stdout: "", stderr, timedOut: false, cwd: cwd() } };
}

/** The command has run, whatever becomes of its files: what was not fetched now is fetched with the next look. */
function notFetched(error: unknown): readonly string[] {
  if (!(error instanceof GatewayError)) throw error;
  return [`What it changed could not be fetched yet, so the file tools do not show it. ${error.message}`];
}

const ERRORS: Readonly<Record<string, string>> = {
  memory_limit: "It was ended because it used too much memory.",
  disk_limit: "It was ended because it filled the disk that the workspace may use.",
};

function notesOf({ error = "", leftBehind }: SidecarResult): readonly string[] {
  const limit = ERRORS[error];
  return [
    ...(limit === undefined ? [] : [limit]),
    ...(leftBehind
      ? ["What it had left running was ended with it. Use background for what is to go on after a command."]
      : []),
  ];
}

/** File tools say `/workspace`; a machine that has no such folder does not know it. */
function pathNote(
  { command }: RemoteExecRequest,
  { exitCode }: SidecarResult,
  cwd: string | undefined,
  root: string,
): readonly string[] {
  if (exitCode === 0 || root === "" || !command.includes("/workspace") || cwd?.startsWith("/workspace") === true)
    return [];
  return [`Commands find the workspace at ${root} ($WORKSPACE); /workspace is its name for the file tools.`];
}
