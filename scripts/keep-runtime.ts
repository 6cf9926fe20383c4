import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Guard, killGroup, startGuard } from "./guard.mjs";
import { ROOT } from "./install.mjs";
import { type ProcessIdentity, type RunningProcess, listProcesses, residentBytes } from "./process-table.ts";
import { SILENCE_LIMIT_MS, createBackoff, findFault } from "./runtime-health.ts";
import { endProcesses } from "./state-owner.ts";

/** Milliseconds between two looks at a runtime that is starting, and at one that runs. */
const STARTING_POLL_MS = 25;
const RUNNING_POLL_MS = 2_000;
/** Milliseconds that a first start may take, the bundling included, before it is given up. */
const START_TIMEOUT_MS = 120_000;

/** Times in a row that a runtime may hang before it was ever ready. */
const MAX_YOUNG_HANGS = 5;

/** What a runtime is started with, and who hears of it. */
export interface RuntimeOptions {
  readonly port: number;
  readonly stateFolder: string;
  /** The Worker's environment. */
  readonly bindings: Readonly<Record<string, string>>;
  /** The runtime's own environment, without anything that is the Worker's. */
  readonly env: NodeJS.ProcessEnv;
  /** Hears of the runtime's processes whenever others make it up. */
  readonly onProcesses: (processes: readonly ProcessIdentity[]) => void;
  /** Called once, at the first start. */
  readonly onReady: () => void;
  readonly log: (line: string) => void;
}

/** A runtime that is started again as long as nobody stops it. */
export interface KeptRuntime {
  stop(): void;
  /** Resolves the exit code once no process of it is left. */
  readonly ended: Promise<number>;
}

/** How one runtime came to its end. */
type End =
  /** Somebody stopped us or killed it: it does not come back. */
  | { readonly kind: "stopped"; readonly code: number; readonly notice?: string }
  /** It is unwell or gave up: it does. */
  | { readonly kind: "fault"; readonly reason: string; readonly isHung?: true };

/** Keeps one runtime alive on a port and state folder, never two at once. */
export function keepRuntime(options: RuntimeOptions): KeptRuntime {
  const stopping = new AbortController();
  const guard = startGuard();
  const ended = run(options, guard, stopping.signal).finally(() => guard.release());
  return { stop: () => stopping.abort(), ended };
}

async function run(options: RuntimeOptions, guard: Guard, stopping: AbortSignal): Promise<number> {
  const backoff = createBackoff();
  let wasReady = false;
  let hangs = 0;
  function onReady(): void {
    if (wasReady) options.log("The runtime is back.");
    else options.onReady();
    wasReady = true;
  }
  for (;;) {
    const startedAt = performance.now();
    const end = await runOnce({ ...options, onReady }, guard, stopping);
    if (end.kind === "stopped") {
      if (end.notice !== undefined) options.log(end.notice);
      return end.code;
    }
    options.log(`The runtime ${end.reason}.`);
    // what an earlier run left may hang a young runtime: each death gets it closer to the one that does
    if (!wasReady && (end.isHung !== true || ++hangs > MAX_YOUNG_HANGS)) return 1;
    const waitMs = backoff.next(performance.now() - startedAt);
    await sleep(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    if (stopping.aborted) return 0;
    options.log("Starting it again …");
  }
}

async function runOnce(options: RuntimeOptions, guard: Guard, stopping: AbortSignal): Promise<End> {
  if (stopping.aborted) return { kind: "stopped", code: 0 };
  const child = spawnRuntime(options);
  const group = child.pid;
  if (group === undefined) return { kind: "fault", reason: "could not be started" };
  guard.watch(group);
  const over = new AbortController();
  try {
    return await Promise.race([stopOf(stopping), exitOf(child), faultOf(group, options, over.signal)]);
  } finally {
    over.abort();
    killGroup(group);
    await endProcesses(membersOf(group));
    guard.watch(undefined);
  }
}

/** The runtime gets what it must keep to itself by a pipe; when that closes, because we died, it ends itself. */
function spawnRuntime({ port, stateFolder, bindings, env }: RuntimeOptions): ChildProcess {
  const script = join(ROOT, "scripts", "wrangler-dev.ts");
  const child = spawn(process.execPath, [script, "--port", String(port), "--persist-to", stateFolder], {
    cwd: ROOT,
    env,
    detached: true,
    stdio: ["pipe", "inherit", "inherit"],
  });
  child.stdin?.on("error", () => undefined); // it ended: "exit" says so
  child.stdin?.write(`${JSON.stringify({ bindings })}\n`);
  return child;
}

async function stopOf(stopping: AbortSignal): Promise<End> {
  await once(stopping, "abort");
  return { kind: "stopped", code: 0 };
}

async function exitOf(child: ChildProcess): Promise<End> {
  const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
  if (signal === null) return { kind: "fault", reason: `ended with code ${code}` };
  return { kind: "stopped", code: 1, notice: `The runtime was ended by ${signal}: Talaria stops.` };
}

/** Looks after a runtime until something is wrong with it. */
async function faultOf(group: number, options: RuntimeOptions, over: AbortSignal): Promise<End> {
  const health = `http://127.0.0.1:${options.port}/health`;
  const startedAt = performance.now();
  let isReady = false;
  let silentSince: number | undefined;
  for (;;) {
    const askedAt = performance.now();
    silentSince ??= askedAt;
    const { status, isListening } = await ask(
      health,
      Math.max(1, Math.ceil(SILENCE_LIMIT_MS - (askedAt - silentSince))),
    );
    if (over.aborted) return { kind: "stopped", code: 0 };
    // what does not listen yet is being built; what listens and says nothing hangs, however young it is
    if (status !== undefined || (!isReady && !isListening)) silentSince = undefined;
    if (!isReady && status === 200) {
      isReady = true;
      options.onReady();
    }
    if (isReady) {
      const members = membersOf(group);
      options.onProcesses(members);
      const silentMs = silentSince === undefined ? 0 : performance.now() - silentSince;
      const reason = findFault({ silentMs, memoryBytes: memoryOf(members, group) });
      if (reason !== undefined) return { kind: "fault", reason };
    } else if (silentSince !== undefined && performance.now() - silentSince >= SILENCE_LIMIT_MS) {
      return { kind: "fault", reason: `did not answer /health for ${SILENCE_LIMIT_MS / 1000} s`, isHung: true };
    } else if (performance.now() - startedAt > START_TIMEOUT_MS) {
      return {
        kind: "fault",
        reason: `was not ready after ${START_TIMEOUT_MS / 1000} s (/health: ${status ?? "no answer"})`,
      };
    }
    await sleep(isReady ? RUNNING_POLL_MS : STARTING_POLL_MS);
  }
}

/** The status of an answer, when there is one in time, and whether anything took the question. */
async function ask(
  url: string,
  timeoutMs: number,
): Promise<{ readonly status?: number; readonly isListening: boolean }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) });
    await response.body?.cancel();
    return { status: response.status, isListening: true };
  } catch (error) {
    return { isListening: error instanceof DOMException && error.name === "TimeoutError" };
  }
}

function membersOf(group: number): readonly RunningProcess[] {
  return listProcesses().filter((member) => member.group === group);
}

/** Memory of the Worker's processes: what leads the group only starts them. */
function memoryOf(members: readonly RunningProcess[], group: number): number {
  return members.filter(({ pid }) => pid !== group).reduce((sum, { pid }) => sum + residentBytes(pid), 0);
}
