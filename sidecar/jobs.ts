import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { closeSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Config } from "./config.ts";
import type { Command, Confine, Launch } from "./confine.ts";
import type { Host } from "./host.ts";
import type { Namespaces } from "./namespaces.ts";
import type { Pipe, Pipes } from "./pipes.ts";
import { Problem } from "./problem.ts";
import { type ProcessRow, findTree, listProcesses, readMark, sendSignal } from "./process-table.ts";
import type { Session } from "./sessions.ts";

/** Why the sidecar ended a job that its caller did not. */
export type LimitName = "memory_limit" | "disk_limit";

/** How a job ended. */
export interface JobEnd {
  /** As a shell counts: 128 and the signal's number when a signal ended it. */
  readonly exitCode: number;
  readonly signal?: NodeJS.Signals;
  /** Processes outlived the first one and were ended. */
  readonly leftBehind: boolean;
  readonly limit?: LimitName;
}

/** Something of a session's that runs: a command, a background process, a terminal. */
export interface Job {
  readonly mark: string;
  readonly session: Session;
  readonly pid: number;
  readonly ended: Promise<JobEnd>;
  /** Ends the job with everything that came from it. */
  kill(why?: LimitName): Promise<void>;
  /** Sends a signal that ends or stops to everything that came from the job, any other to its first process. */
  signal(name: NodeJS.Signals): void;
}

/** A job with the standard streams of a command. */
export interface CommandJob extends Job {
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
}

type Streams = Pick<CommandJob, "stdin" | "stdout" | "stderr">;

/** Everything that runs for sessions. */
export interface Jobs {
  /** @throws {@link Problem} too_many, unavailable, stopping */
  start(session: Session, command: Command, options?: { readonly stdin?: Buffer | "open" }): Promise<CommandJob>;
  /** Counts and watches a job whose first process somebody else starts (a terminal). */
  adopt(session: Session, start: (mark: string) => Promise<Adopted>): Promise<Job>;
  /** The jobs that run now. */
  list(session?: Session): readonly Job[];
  /** Ends all that runs for a session, and starts nothing for it any more. */
  endSession(session: Session): Promise<void>;
  /** Ends what runs for nobody: left behind by a job that has ended, or by a sidecar that was killed. */
  sweep(rows?: readonly ProcessRow[]): void;
  /** Ends everything and starts nothing any more. */
  stop(): Promise<void>;
}

/** The first process of a job, and how it exits. */
export interface Adopted {
  readonly pid: number;
  readonly exited: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

interface World {
  readonly config: Config;
  readonly host: Host;
  readonly namespaces: Namespaces;
  readonly pipes: Pipes;
  readonly confine: Confine;
  /** All sessions, whose users' processes are the sidecar's business. */
  readonly sessions: () => readonly Session[];
  /** Told apart from other sidecars' jobs by this beginning of their marks. */
  readonly instance: string;
}

/** Signals that are meant for all that came from a job; any other is a message to its first process. */
const FOR_ALL: ReadonlySet<NodeJS.Signals> = new Set([
  "SIGTERM",
  "SIGKILL",
  "SIGINT",
  "SIGQUIT",
  "SIGHUP",
  "SIGSTOP",
  "SIGCONT",
]);
const KILL_ROUNDS = 50;
const KILL_PAUSE_MS = 10;
const DRAIN_MS = 1000;
const SWEEP_DELAY_MS = 300;

/** Starts jobs, knows them, and ends them as trees. */
export function createJobs(world: World): Jobs {
  const { config, host, namespaces, pipes, confine } = world;
  const running = new Map<string, Job>();
  const starting = new Map<string, Session>();
  const closed = new WeakSet<Session>();
  let isStopping = false;
  let sweepTimer: NodeJS.Timeout | undefined;

  function reserve(session: Session): string {
    if (isStopping) throw new Problem("stopping", "The sidecar is stopping.");
    if (closed.has(session)) throw new Problem("stopping", "The session is being deleted.");
    const all = [...[...running.values()].map((job) => job.session), ...starting.values()];
    if (all.filter(({ id }) => id === session.id).length >= config.limits.jobs)
      throw new Problem("too_many", `The session runs ${config.limits.jobs} things already.`);
    if (all.length >= config.limits.totalJobs)
      throw new Problem("too_many", `The sidecar runs ${config.limits.totalJobs} things already.`);
    const mark = `${world.instance}.${randomBytes(8).toString("hex")}`;
    starting.set(mark, session);
    return mark;
  }

  async function adopt(session: Session, start: (mark: string) => Promise<Adopted>, drained?: () => Promise<void>) {
    const mark = reserve(session);
    try {
      const { pid, exited } = await start(mark);
      let limit: LimitName | undefined;
      const kill = (why?: LimitName) => {
        limit ??= why;
        return killTree(session, mark, pid);
      };
      const ended = finish(exited);
      const job: Job = { mark, session, pid, ended, kill, signal: (name) => signalTree(mark, pid, name) };
      running.set(mark, job);
      if (isStopping) void kill();
      return job;

      async function finish(exit: Adopted["exited"]): Promise<JobEnd> {
        const { code, signal } = await exit;
        const leftBehind = sendSignal(-pid, 0);
        if (leftBehind) await killTree(session, mark, pid);
        if (drained !== undefined) await drained();
        running.delete(mark);
        if (host.hasNamespaces && ![...running.values()].some((other) => other.session === session))
          namespaces.leaveLater(session);
        sweepLater();
        return { exitCode: exitCodeOf(code, signal), leftBehind, ...(signal && { signal }), ...(limit && { limit }) };
      }
    } finally {
      starting.delete(mark);
    }
  }

  async function start(
    session: Session,
    command: Command,
    { stdin }: Parameters<Jobs["start"]>[2] = {},
  ): Promise<CommandJob> {
    let streams: Streams | undefined;
    const job = await adopt(
      session,
      async (mark) => {
        const launch = await confine(session, command, { mark, isTerminal: false });
        const given = {
          stdin: stdin === "open" ? await pipes.forInput(session.uid) : undefined,
          stdout: await pipes.forOutput(session.uid),
          stderr: await pipes.forOutput(session.uid),
        };
        const content = stdin instanceof Buffer ? pipes.forContent(stdin, session.uid) : undefined;
        const child = spawnCommand(launch, given, content ?? (stdin === "open" ? "pipe" : "ignore"));
        streams = streamsOf(child, given);
        const exited = exitOf(child);
        if (child.pid === undefined) await exited; // rejects: there is nothing to adopt
        return { pid: child.pid ?? 0, exited };
      },
      () => drain(streams),
    );
    if (streams === undefined) throw new TypeError("a job was adopted before it had streams");
    return { ...job, ...streams };
  }

  /** Everything that came from a job: by its line of parents, its groups, or what its environment says. */
  function treeOf(mark: string, pid: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
    const tree = new Set(findTree(rows, pid));
    for (const row of rows.filter((candidate) => isOurs(candidate) && !tree.has(candidate)))
      if (readMark(row.pid) === mark) tree.add(row);
    return [...tree].filter((row) => !row.isZombie && row.pid !== process.pid);
  }

  function isOurs({ uid }: ProcessRow): boolean {
    return host.hasUsers ? world.sessions().some((session) => session.uid === uid) : uid === process.getuid?.();
  }

  function signalTree(mark: string, pid: number, signal: NodeJS.Signals): void {
    if (!running.has(mark)) return;
    // the process that we started only stands for the one inside the namespaces, and hands on how that one ended
    const tree = treeOf(mark, pid, listProcesses()).filter((row) => !host.hasNamespaces || row.pid !== pid);
    const first = tree.find((row) => row.pid === pid || row.parent === pid);
    const targets = FOR_ALL.has(signal) || first === undefined ? tree : [first];
    for (const row of targets) sendSignal(row.pid, signal);
  }

  async function killTree(session: Session, mark: string, pid: number): Promise<void> {
    for (let round = 0; round < KILL_ROUNDS; round++) {
      sendSignal(-pid, "SIGKILL");
      const rows = listProcesses();
      const tree = treeOf(mark, pid, rows);
      if (tree.length === 0) return;
      // stopped first, so that none of them starts another while the others are ended
      for (const row of tree) sendSignal(row.pid, "SIGSTOP");
      for (const row of tree) sendSignal(row.pid, "SIGKILL");
      await sleep(KILL_PAUSE_MS);
    }
    if (host.hasNamespaces) await namespaces.end(session);
  }

  /** A user's process that belongs to no job that runs has been left behind, whatever it says of itself. */
  function sweep(rows: readonly ProcessRow[] = listProcesses()): void {
    clearTimeout(sweepTimer);
    sweepTimer = undefined;
    // a job that is being started cannot be told from a stray yet
    if (starting.size > 0) return sweepLater();
    const living = new Set([...running.values()].flatMap((job) => findTree(rows, job.pid)).map((row) => row.pid));
    const busyUids = new Set([...running.values()].map((job) => job.session.uid));
    for (const row of rows) {
      if (living.has(row.pid) || row.isZombie || !isOurs(row) || row.pid === process.pid) continue;
      const mark = readMark(row.pid);
      if (typeof mark === "string" && running.has(mark)) continue;
      // a daemon of a job that runs looks like a stray here, so it stays as long as its session runs anything
      if (mark === null && busyUids.has(row.uid)) continue;
      if (host.hasUsers || mark?.startsWith(`${world.instance}.`) === true) sendSignal(row.pid, "SIGKILL");
    }
  }

  function sweepLater(): void {
    sweepTimer ??= setTimeout(() => sweep(), SWEEP_DELAY_MS).unref();
  }

  async function endSession(session: Session): Promise<void> {
    closed.add(session);
    const jobs = [...running.values()].filter((job) => job.session === session);
    if (host.hasNamespaces) await namespaces.end(session);
    await Promise.all(jobs.map(async (job) => Promise.all([job.kill(), job.ended])));
    if (session.uid === undefined) sweep();
    else await clearUser(session.uid);
  }

  /** Whoever gets this user number next finds nothing that still runs under it. */
  async function clearUser(uid: number): Promise<void> {
    for (let round = 0; round < KILL_ROUNDS; round++) {
      const rows = listProcesses().filter((row) => row.uid === uid && !row.isZombie);
      if (rows.length === 0) return;
      for (const row of rows) sendSignal(row.pid, "SIGSTOP");
      for (const row of rows) sendSignal(row.pid, "SIGKILL");
      await sleep(KILL_PAUSE_MS);
    }
  }

  return {
    start,
    adopt: (session, begin) => adopt(session, begin),
    list: (session) => [...running.values()].filter((job) => session === undefined || job.session === session),
    endSession,
    sweep,
    async stop() {
      isStopping = true;
      await Promise.all(world.sessions().map(endSession));
      clearTimeout(sweepTimer);
    },
  };
}

/** Pipes for standard streams; where one is missing, Node makes its own. */
interface GivenPipes {
  readonly stdin: Pipe | undefined;
  readonly stdout: Pipe | undefined;
  readonly stderr: Pipe | undefined;
}

function spawnCommand(
  { file, args, ...options }: Launch,
  { stdin, stdout, stderr }: GivenPipes,
  input: number | "pipe" | "ignore",
): ChildProcess {
  const stdio = [stdin?.fd ?? input, stdout?.fd ?? "pipe", stderr?.fd ?? "pipe"] as const;
  try {
    return spawn(file, args, { ...options, detached: true, stdio: [...stdio] });
  } finally {
    for (const fd of stdio) if (typeof fd === "number") closeSync(fd);
  }
}

function streamsOf(child: ChildProcess, given: GivenPipes): Streams {
  const stdout = given.stdout?.stream ?? child.stdout;
  const stderr = given.stderr?.stream ?? child.stderr;
  const stdin = given.stdin?.stream ?? child.stdin ?? undefined;
  if (!stdout || !stderr) throw new TypeError("a command was started without streams");
  stdin?.on("error", () => {}); // a command need not read what it is given
  return { stdin, stdout, stderr };
}

async function exitOf(child: ChildProcess): Adopted["exited"] {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code, signal) => resolve({ code, signal }));
  });
}

/** What was written before the end is read to the end, unless somebody keeps the pipe open. */
async function drain(streams: Streams | undefined): Promise<void> {
  if (streams === undefined) return;
  const { stdin, stdout, stderr } = streams;
  stdin?.destroy();
  const open = [stdout, stderr].filter((stream) => !stream.closed);
  if (open.length === 0) return;
  const closed = Promise.all(open.map(async (stream) => new Promise<void>((resolve) => stream.once("close", resolve))));
  const giveUp = new AbortController();
  const tooLong = sleep(DRAIN_MS, undefined, { signal: giveUp.signal }).catch(() => {});
  // a reader that holds back (a slow client of a stream) is waited for; a pipe that nothing comes from is not
  await Promise.race([closed, tooLong]);
  giveUp.abort();
  for (const stream of open) if (stream.readableFlowing === true) stream.destroy();
  await closed;
}

function exitCodeOf(code: number | null, signal: NodeJS.Signals | null): number {
  if (code !== null) return code;
  return 128 + (signal === null ? 0 : constants.signals[signal]);
}
