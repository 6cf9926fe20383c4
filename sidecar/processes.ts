import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Writable } from "node:stream";
import type { Events } from "./events.ts";
import type { CommandJob, Jobs, LimitName } from "./jobs.ts";
import { type Log, keepLog } from "./output.ts";
import { Problem } from "./problem.ts";
import type { ProcessView } from "./protocol.ts";
import type { CommandRequest } from "./read-command.ts";
import { EXIT_TIMED_OUT } from "./run-command.ts";
import { type Session, saveFile } from "./sessions.ts";
import { watchLines } from "./watch-lines.ts";

/** A process that goes on while its session does other things. */
export interface BackgroundProcess {
  readonly id: string;
  readonly log: Log;
  /** Its standard input, while it runs. */
  readonly stdin: Writable | undefined;
  readonly ended: Promise<unknown>;
  view(): ProcessView;
  signal(name: NodeJS.Signals): void;
  kill(): Promise<void>;
}

/** How a background process is started. */
export interface ProcessRequest extends CommandRequest {
  /** 0: until it ends by itself. */
  readonly timeoutMs: number;
  /** Texts of which the session wants to know when a line holds one. */
  readonly watch: readonly string[];
}

/** The background processes there are. */
export interface Processes {
  start(session: Session, request: ProcessRequest): Promise<BackgroundProcess>;
  /** @throws {@link Problem} process_not_found */
  get(session: Session, id: string): BackgroundProcess;
  list(session: Session): readonly BackgroundProcess[];
  remove(session: Session, id: string): void;
  /** Forgets all of a session that is deleted. */
  forget(session: Session): void;
}

interface World {
  readonly root: string;
  readonly jobs: Jobs;
  readonly events: Events;
  readonly logBytes: number;
  readonly now: () => number;
  readonly sessions: readonly Session[];
}

type Facts = Omit<ProcessView, "log_bytes" | "tail">;

const TAIL_BYTES = 4096;
const KEPT_ENDED = 64;

/** Opens the records of background processes: those that ran when the sidecar was killed are told to be lost. */
export function openProcesses(world: World): Processes {
  const { jobs, events, now } = world;
  const folder = join(world.root, "state", "processes");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const bySession = new Map<string, Map<string, BackgroundProcess>>();
  for (const session of world.sessions) for (const facts of readSaved(session)) restore(session, facts);

  function all({ id }: Session): Map<string, BackgroundProcess> {
    const known = bySession.get(id) ?? new Map<string, BackgroundProcess>();
    bySession.set(id, known);
    return known;
  }

  function pathOf(session: Session, id: string): string {
    return join(folder, `${session.id}-${id}.json`);
  }

  function readSaved(session: Session): readonly Facts[] {
    return readdirSync(folder)
      .filter((name) => name.startsWith(`${session.id}-`) && name.endsWith(".json"))
      .map((name) => JSON.parse(readFileSync(join(folder, name), "utf8")) as Facts) // written by `save`
      .sort((a, b) => a.started_at - b.started_at);
  }

  function save(session: Session, facts: Facts): void {
    saveFile(pathOf(session, facts.id), JSON.stringify(facts));
  }

  function restore(session: Session, saved: Facts): void {
    const facts: Facts = saved.status === "running" ? { ...saved, status: "lost" } : saved;
    const log = keepLog(0);
    all(session).set(facts.id, {
      id: facts.id,
      log,
      stdin: undefined,
      ended: Promise.resolve(),
      view: () => viewOf(facts, log),
      signal: () => {},
      kill: async () => {},
    });
    if (facts === saved) return;
    save(session, facts);
    events.add(session, { type: "process.lost", id: facts.id });
  }

  async function start(session: Session, request: ProcessRequest): Promise<BackgroundProcess> {
    const job = await jobs.start(session, request.command, { stdin: "open" }).catch(notStarted);
    const id = `p_${randomBytes(6).toString("hex")}`;
    const log = keepLog(world.logBytes);
    let facts: Facts = { id, command: request.label, status: "running", started_at: now() };
    save(session, facts);
    readOutput(job, log, session, id, request.watch);
    let hasTimedOut = false;
    const timer =
      request.timeoutMs === 0
        ? undefined
        : setTimeout(() => {
            hasTimedOut = true;
            void job.kill();
          }, request.timeoutMs);

    const ended = job.ended.then(({ exitCode, signal, limit }) => {
      clearTimeout(timer);
      const exit_code = hasTimedOut ? EXIT_TIMED_OUT : exitCode;
      facts = {
        ...facts,
        status: "exited",
        ended_at: now(),
        exit_code,
        ...(signal && { signal }),
        ...(hasTimedOut && { timed_out: true }),
        ...(limit && { error: limit satisfies LimitName }),
      };
      // a session that was deleted meanwhile wants to know nothing of it any more
      if (!all(session).has(id)) return;
      save(session, facts);
      events.add(session, { type: "process.exited", id, exit_code });
    });
    const started: BackgroundProcess = {
      id,
      log,
      stdin: job.stdin,
      ended,
      view: () => viewOf(facts, log),
      signal: (name) => job.signal(name),
      kill: async () => job.kill(),
    };
    all(session).set(id, started);
    dropOldest(session);
    return started;
  }

  function readOutput(job: CommandJob, log: Log, session: Session, id: string, watch: readonly string[]): void {
    const look = watchLines(watch, now, (match) => events.add(session, { type: "process.matched", id, ...match }));
    for (const stream of [job.stdout, job.stderr])
      stream.on("data", (chunk: Buffer) => {
        log.add(chunk);
        look(chunk);
      });
  }

  function dropOldest(session: Session): void {
    const ended = [...all(session).values()].filter((one) => one.view().status !== "running");
    for (const { id } of ended.slice(0, -KEPT_ENDED)) remove(session, id);
  }

  function remove(session: Session, id: string): void {
    all(session).delete(id);
    rmSync(pathOf(session, id), { force: true });
  }

  return {
    start,
    remove,
    get(session, id) {
      const found = all(session).get(id);
      if (found === undefined)
        throw new Problem("process_not_found", "The session has no such process.", { field: "id" });
      return found;
    },
    list: (session) => [...all(session).values()],
    forget(session) {
      for (const { id } of all(session).values()) remove(session, id);
      bySession.delete(session.id);
    },
  };
}

function viewOf(facts: Facts, log: Log): ProcessView {
  const size = log.size();
  return { ...facts, log_bytes: size, tail: log.read(size - TAIL_BYTES, TAIL_BYTES).bytes.toString("utf8") };
}

function notStarted(cause: unknown): never {
  if (cause instanceof Problem) throw cause;
  throw new Problem("field_invalid", "The program cannot be started.", { field: "argv", cause });
}
