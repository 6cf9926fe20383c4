import { randomBytes } from "node:crypto";
import { chownSync } from "node:fs";
import { constants } from "node:os";
import type { Confine } from "./confine.ts";
import type { Events } from "./events.ts";
import type { Job, Jobs } from "./jobs.ts";
import { type Log, keepLog } from "./output.ts";
import { Problem } from "./problem.ts";
import type { TerminalView } from "./protocol.ts";
import type { CommandRequest } from "./read-command.ts";
import type { Session } from "./sessions.ts";

/** Somebody who looks at a terminal. */
export interface TerminalClient {
  output(bytes: Buffer, offset: number): void;
  exit(exitCode: number): void;
}

/** A terminal: it stays when nobody looks, and shows what was missed. */
export interface Terminal {
  readonly id: string;
  readonly log: Log;
  readonly ended: Promise<unknown>;
  view(): TerminalView;
  write(data: Buffer | string): void;
  resize(cols: number, rows: number): void;
  /** Shows everything from now on to a client, until the returned function is called. */
  attach(client: TerminalClient): () => void;
  kill(): Promise<void>;
}

/** The terminals there are. */
export interface Terminals {
  readonly isAvailable: boolean;
  /** @throws {@link Problem} unavailable */
  open(session: Session, request: CommandRequest, size: TerminalSize): Promise<Terminal>;
  /** @throws {@link Problem} terminal_not_found */
  get(session: Session, id: string): Terminal;
  list(session: Session): readonly Terminal[];
  remove(session: Session, id: string): void;
  forget(session: Session): void;
}

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

interface World {
  readonly jobs: Jobs;
  readonly confine: Confine;
  readonly events: Events;
  readonly logBytes: number;
  readonly now: () => number;
}

const IDLE_MS = 30 * 60_000;
const KEPT_ENDED = 16;

/** Opens terminals by a package that brings its binaries; where it has none, there are no terminals. */
export async function createTerminals(world: World): Promise<Terminals> {
  const library = await import("@lydell/node-pty").catch(() => undefined);
  const bySession = new Map<string, Map<string, Terminal>>();

  function all({ id }: Session): Map<string, Terminal> {
    const known = bySession.get(id) ?? new Map<string, Terminal>();
    bySession.set(id, known);
    return known;
  }

  async function open(session: Session, request: CommandRequest, size: TerminalSize): Promise<Terminal> {
    if (library === undefined) throw new Problem("unavailable", "This sidecar has no terminals: node-pty is missing.");
    let child: ReturnType<typeof library.spawn> | undefined;
    const job = await world.jobs.adopt(session, async (mark) => {
      const { file, args, ...options } = await world.confine(session, request.command, { mark, isTerminal: true });
      const spawned = library.spawn(file, [...args], { ...options, ...size, encoding: null });
      child = spawned;
      ownTerminal(spawned, session);
      const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) =>
        spawned.onExit(({ exitCode, signal }) =>
          resolve({ code: signal ? null : exitCode, signal: signalName(signal) }),
        ),
      );
      return { pid: spawned.pid, exited };
    });
    if (child === undefined) throw new TypeError("a terminal was adopted before it was opened");
    const terminal = follow(session, { job, child, label: request.label, size });
    all(session).set(terminal.id, terminal);
    dropOldest(session);
    return terminal;
  }

  function follow(
    session: Session,
    { job, child, label, size }: { job: Job; child: PtyChild; label: string; size: TerminalSize },
  ): Terminal {
    const id = `t_${randomBytes(6).toString("hex")}`;
    const log = keepLog(world.logBytes);
    const clients = new Set<TerminalClient>();
    const startedAt = world.now();
    let current = size;
    let exitCode: number | undefined;
    let idle: NodeJS.Timeout | undefined;
    watchIdle();

    function watchIdle(): void {
      clearTimeout(idle);
      if (clients.size === 0 && exitCode === undefined) idle = setTimeout(() => void job.kill(), IDLE_MS).unref();
    }

    child.onData((data: unknown) => {
      const bytes = Buffer.isBuffer(data) ? data : Buffer.from(String(data)); // encoding null gives bytes
      const offset = log.size();
      log.add(bytes);
      for (const client of clients) client.output(bytes, offset);
    });
    const ended = job.ended.then((end) => {
      exitCode = end.exitCode;
      clearTimeout(idle);
      for (const client of clients) client.exit(exitCode);
      if (all(session).has(id)) world.events.add(session, { type: "terminal.exited", id, exit_code: exitCode });
    });
    return {
      id,
      log,
      ended,
      view: () => ({
        id,
        command: label,
        status: exitCode === undefined ? "running" : "exited",
        ...current,
        started_at: startedAt,
        ...(exitCode !== undefined && { exit_code: exitCode }),
        log_bytes: log.size(),
        clients: clients.size,
      }),
      write: (data) => exitCode === undefined && child.write(data),
      resize(cols, rows) {
        if (exitCode !== undefined) return;
        child.resize(cols, rows);
        current = { cols, rows };
      },
      attach(client) {
        clients.add(client);
        watchIdle();
        if (exitCode !== undefined) client.exit(exitCode);
        return () => {
          clients.delete(client);
          watchIdle();
        };
      },
      kill: async () => job.kill(),
    };
  }

  function dropOldest(session: Session): void {
    const ended = [...all(session).values()].filter((one) => one.view().status !== "running");
    for (const { id } of ended.slice(0, -KEPT_ENDED)) all(session).delete(id);
  }

  return {
    isAvailable: library !== undefined,
    open,
    get(session, id) {
      const found = all(session).get(id);
      if (found === undefined)
        throw new Problem("terminal_not_found", "The session has no such terminal.", { field: "id" });
      return found;
    },
    list: (session) => [...all(session).values()],
    remove: (session, id) => void all(session).delete(id),
    forget: (session) => void bySession.delete(session.id),
  };
}

interface PtyChild {
  onData(listener: (data: string) => void): unknown;
  write(data: Buffer | string): void;
  resize(cols: number, rows: number): void;
}

/** The session's programs open their terminal by its name (`/dev/pts/3`), for which they have to own it. */
function ownTerminal(spawned: object, { uid }: Session): void {
  // the package has the name, and leaves it out of its types
  const device = "ptsName" in spawned ? spawned.ptsName : undefined;
  if (uid !== undefined && typeof device === "string" && device.startsWith("/dev/pts/")) chownSync(device, uid, uid);
}

function signalName(number: number | undefined): NodeJS.Signals | null {
  if (number === undefined || number === 0) return null;
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] ?? "SIGKILL") as NodeJS.Signals; // a name of the same table
}
