import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { killGroup, startGuard } from "./guard.mjs";
import { ROOT } from "./install.mjs";
import { type ProcessIdentity, identify, listProcesses } from "./process-table.ts";
import { createBackoff } from "./runtime-health.ts";
import { endProcesses } from "./state-owner.ts";

/** Milliseconds that a sidecar has to end what it started before it is killed. */
const STOP_GRACE_MS = 2_500;
/** Names of the process environment that are the sidecar's own; no other reaches it. */
const OWN_NAME = /^SIDECAR_/;
const SYSTEM_NAMES: ReadonlySet<string> = new Set(["PATH", "HOME", "LANG", "TMPDIR", "SystemRoot"]);

/** A sidecar on loopback that is started again when it dies. */
export interface KeptSidecar {
  readonly url: string;
  readonly token: string;
  /** Ends it with all that it started. Resolves when nothing of it is left. */
  stop(): Promise<void>;
}

/** What a sidecar is started with, and who hears of it. */
export interface SidecarOptions {
  readonly stateFolder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Hears of its processes whenever others make it up. */
  readonly onProcesses: (processes: readonly ProcessIdentity[]) => void;
  readonly log: (line: string) => void;
}

/** Starts the sidecar on a free port with a token that only this run knows, and keeps it alive. */
export async function keepSidecar(options: SidecarOptions): Promise<KeptSidecar> {
  const port = await freePort();
  const token = randomBytes(32).toString("base64url");
  const env = { ...environmentOf(options), SIDECAR_PORT: String(port), SIDECAR_TOKEN: token };
  const stopping = new AbortController();
  const ended = run(options, env, stopping.signal);
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

async function run(options: SidecarOptions, env: NodeJS.ProcessEnv, stopping: AbortSignal): Promise<void> {
  const backoff = createBackoff();
  const guard = startGuard();
  try {
    while (!stopping.aborted) {
      const startedAt = performance.now();
      const child = launch(env, options.log);
      guard.watch(child.pid);
      options.onProcesses([identify(child.pid ?? 0) ?? []].flat());
      const exited = once(child, "exit") as Promise<[number | null, NodeJS.Signals | null]>;
      const end = await Promise.race([exited, once(stopping, "abort").then(() => undefined)]);
      if (end === undefined) await endGently(child, exited);
      await endGroup(child);
      guard.watch(undefined);
      options.onProcesses([]);
      if (end === undefined) return;
      options.log(`The sidecar ended with ${end[1] ?? `code ${end[0]}`}; it is started again …`);
      await sleep(backoff.next(performance.now() - startedAt), undefined, { signal: stopping }).catch(() => undefined);
    }
  } finally {
    guard.release();
  }
}

/** Its standard input is ours: when we die, it ends, and takes what it started with it. */
function launch(env: NodeJS.ProcessEnv, log: (line: string) => void): ChildProcess {
  const child = spawn(process.execPath, [join(ROOT, "sidecar", "server.ts")], {
    cwd: join(ROOT, "sidecar"),
    env,
    detached: true,
    stdio: ["pipe", "ignore", "pipe"],
  });
  child.stdin?.on("error", () => undefined); // it ended: "exit" says so
  child.stderr?.on("data", (chunk: Buffer) => log(chunk.toString().trimEnd()));
  return child;
}

async function endGently(child: ChildProcess, exited: Promise<unknown>): Promise<void> {
  child.kill("SIGTERM");
  const late = new AbortController();
  await Promise.race([exited, sleep(STOP_GRACE_MS, undefined, { signal: late.signal }).catch(() => undefined)]);
  late.abort();
}

async function endGroup(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  killGroup(pid);
  await endProcesses(listProcesses().filter(({ group }) => group === pid));
}

function environmentOf({ env, stateFolder }: SidecarOptions): NodeJS.ProcessEnv {
  const isGiven = (name: string): boolean => OWN_NAME.test(name) || SYSTEM_NAMES.has(name);
  const given = Object.entries(env).filter(([name]) => isGiven(name) && name !== "SIDECAR_TOKEN_FILE");
  return {
    ...Object.fromEntries(given),
    SIDECAR_HOST: "127.0.0.1",
    SIDECAR_ROOT: env["SIDECAR_ROOT"] || rootFor(stateFolder),
    SIDECAR_STOP_WITH_STDIN: "1",
  };
}

/**
 * Where the sidecar keeps what it has. As root it gives each session a user of its own, who would not get through the
 * state folder, which is ours alone.
 */
function rootFor(stateFolder: string): string {
  if (process.getuid?.() !== 0) return join(stateFolder, "sidecar");
  const name = createHash("sha256").update(stateFolder).digest("hex").slice(0, 12);
  const root = join("/var/lib/talaria-sidecar", name);
  mkdirSync(root, { recursive: true, mode: 0o711 });
  return root;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // of a TCP server
  server.close();
  await once(server, "close");
  return port;
}
