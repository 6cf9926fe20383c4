import type { Bash, Command } from "just-bash/browser";
import type { ExecResult } from "#src/domain/tool";
import { abortable, wait } from "#src/lib/abortable";
import { cutMiddle } from "#src/lib/cut-middle";
import type { BaseFiles, FileChange, WorkspaceQuota } from "./base-files";
import { EXECUTION_LIMITS, MAX_FUEL, MAX_STDERR_BYTES, MAX_STDOUT_BYTES } from "./exec-limits";
import { type Fuel, createFuel } from "./fuel";
import { gzipCommands } from "./gzip-commands";
import type { JustBash } from "#src/late/load-just-bash";
import { createOverlayFs } from "./overlay-fs";
import { type OverlayTree, createOverlayTree } from "./overlay-tree";
import { type LastingFunctions, MAX_STATE_CHARS, type ShellState, carryFunctions, lastingEnv } from "./shell-state";
import { HOME, joinPath } from "./workspace-path";

/** Commands of just-bash that do not run on Workers: they need Node, a DOM or a worker thread. */
const UNAVAILABLE = ["html-to-markdown", "python", "python3", "sqlite3", "tar", "xan", "yq"];

/** How long a shell that was told to end may take to do so. */
const GRACE_MS = 2000;

/** Why a running command ends early, as the reason of its abort signal. */
export type EndReason = "timeout" | "cancelled";

export interface CommandOptions {
  readonly shell: JustBash;
  readonly base: BaseFiles;
  readonly quota: WorkspaceQuota;
  readonly state: ShellState;
  readonly command: string;
  /** Where this one command runs, relative to the shell's directory, which stays. */
  readonly workdir?: string;
  /** Its reason is an {@link EndReason}. */
  readonly signal: AbortSignal;
  /** Epoch milliseconds. */
  readonly now: () => number;
}

/** What a command comes to: to be committed together, or not at all. */
export interface CommandRun {
  readonly result: ExecResult;
  readonly state: ShellState;
  readonly changes: readonly FileChange[];
}

interface Ending {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  /** Absent when the shell did not come to its end. */
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs one command over the files, which it does not touch. Never throws for what the command does: not for what it
 * computes without end, nor for a fault of the shell.
 */
export async function runCommand(options: CommandOptions): Promise<CommandRun> {
  const { base, quota, state, now, workdir } = options;
  const tree = createOverlayTree({ base, quota, now });
  const lastingCwd = isFolder(tree, state.cwd) ? state.cwd : HOME;
  const cwd = workdir === undefined ? lastingCwd : joinPath(lastingCwd, workdir);
  if (!isFolder(tree, cwd)) {
    const stderr = `bash: cd: ${cwd}: No such file or directory\n`;
    return { result: resultOf({ exitCode: 1, stdout: "", stderr }, lastingCwd, false), state, changes: [] };
  }
  const fuel = createFuel(options.shell.meter, MAX_FUEL);
  fuel.take();
  const { ending, functions } = await runShell(options, tree, fuel, cwd);
  const after = stateAfter(ending, functions, tree, lastingCwd, options);
  const stderr = after.isTooLarge
    ? `${ending.stderr}bash: variables and functions are too large to be kept\n`
    : ending.stderr;
  const isTimedOut = options.signal.aborted && options.signal.reason === "timeout";
  const result = resultOf({ ...ending, stderr }, after.state.cwd, isTimedOut);
  return { result, state: after.state, changes: tree.changes() };
}

interface Ended {
  readonly ending: Ending;
  readonly functions?: LastingFunctions;
}

async function runShell(options: CommandOptions, tree: OverlayTree, fuel: Fuel, cwd: string): Promise<Ended> {
  const ended = await execute(options, tree, fuel, cwd).catch(({ message }: Error) => ({
    ending: { exitCode: 1, stdout: "", stderr: `bash: ${message}\n` },
  }));
  const isSpent = fuel.giveBack();
  const { stdout, stderr } = ended.ending;
  if (options.signal.aborted) return { ending: cutOff(options.signal, stdout, stderr) };
  return isSpent ? { ending: { exitCode: 137, stdout, stderr: SPENT } } : ended;
}

async function execute(options: CommandOptions, tree: OverlayTree, fuel: Fuel, cwd: string): Promise<Ended> {
  const { state, command, signal } = options;
  const bash = createShell(options, tree, fuel, cwd);
  tree.seal();
  const functions = carryFunctions(bash, state.functions);
  const running = bash.exec(command, { rawScript: true, signal, env: { OLDPWD: state.env["OLDPWD"] ?? cwd } });
  // whatever a command waits for, the workspace does not wait for it for ever
  const { stdout, stderr, exitCode, env } = await abortable(running, graceAfter(signal));
  return { ending: { stdout, stderr, exitCode, env }, functions };
}

const SPENT = "bash: killed: the command computed for longer than about 2 seconds. Give it less work at once.\n";

function createShell({ shell, state, signal }: CommandOptions, tree: OverlayTree, fuel: Fuel, cwd: string): Bash {
  return new shell.Bash({
    fs: createOverlayFs(tree, fuel),
    cwd,
    env: { ...state.env },
    executionLimitProfile: "hardened",
    executionLimits: EXECUTION_LIMITS,
    // it replaces globals of the whole isolate, which other objects share
    defenseInDepth: false,
    customCommands: [...gzipCommands(() => fuel.take()), ...UNAVAILABLE.map(notFound)],
    sleep: async (ms) => {
      await wait(Math.min(ms, 2 ** 31 - 1), signal);
      fuel.take();
    },
  });
}

/** What a shell says of a command that is not there; just-bash would speak of browsers. */
function notFound(name: string): Command {
  const stderr = `bash: ${name}: command not found\n`;
  return { name, execute: () => Promise.resolve({ stdout: "", stderr, exitCode: 127 }) };
}

/** A signal that comes a while after another one. */
function graceAfter(signal: AbortSignal): AbortSignal {
  const late = new AbortController();
  const start = (): void => void setTimeout(() => late.abort(signal.reason), GRACE_MS);
  if (signal.aborted) start();
  else signal.addEventListener("abort", start, { once: true });
  return late.signal;
}

/** As the shell's own `timeout` ends, and an interrupt from the keyboard. */
function cutOff(signal: AbortSignal, stdout: string, stderr: string): Ending {
  const isTimeout = signal.reason === "timeout";
  return {
    exitCode: isTimeout ? 124 : 130,
    stdout,
    stderr: `${stderr}bash: ${isTimeout ? "timed out" : "interrupted"}\n`,
  };
}

function stateAfter(
  { env }: Ending,
  functions: LastingFunctions | undefined,
  tree: OverlayTree,
  cwd: string,
  { state, workdir }: CommandOptions,
): { readonly state: ShellState; readonly isTooLarge: boolean } {
  if (env === undefined) return { state: { ...state, cwd: isFolder(tree, cwd) ? cwd : HOME }, isTooLarge: false };
  const left = workdir === undefined ? (env["PWD"] ?? cwd) : cwd;
  const after: ShellState = {
    cwd: left.startsWith("/") && isFolder(tree, left) ? joinPath("/", left) : isFolder(tree, cwd) ? cwd : HOME,
    env: lastingEnv(env),
    functions: functions?.collect() ?? state.functions,
  };
  const isTooLarge = JSON.stringify(after).length > MAX_STATE_CHARS;
  return { state: isTooLarge ? { ...state, cwd: after.cwd } : after, isTooLarge };
}

function isFolder(tree: OverlayTree, path: string): boolean {
  try {
    return tree.find(tree.resolve(path, "stat", true))?.kind === "directory";
  } catch {
    return false; // a loop of links, or a file on the way
  }
}

function resultOf({ exitCode, stdout, stderr }: Ending, cwd: string, timedOut: boolean): ExecResult {
  return {
    exitCode,
    stdout: cutMiddle(stdout, { maxBytes: MAX_STDOUT_BYTES }),
    stderr: cutMiddle(stderr, { maxBytes: MAX_STDERR_BYTES }),
    timedOut,
    cwd,
  };
}
