import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Milliseconds within which nothing may be left of what was stopped or killed. */
const GONE_WITHIN_MS = 5_000;
const READY_WITHIN_MS = 60_000;

/** A process of one run, by its place in the command line. */
export type Part = "npm" | "start" | "wrangler" | "workerd" | "guard";

const COMMANDS: Readonly<Record<Part, RegExp>> = {
  npm: /\bnpm\b.*\bstart\b/,
  start: /scripts\/start\.mjs/,
  wrangler: /scripts\/wrangler-dev\.ts/,
  workerd: /workerd.*serve/,
  guard: /^\/bin\/sh.*while read/,
};

/** `npm start`, run as a user does, in a process group of its own. */
export interface StartedTalaria {
  readonly port: number;
  readonly npm: ChildProcess;
  /** All that it has written so far. */
  readonly output: () => string;
  /** Resolves when it says that it is ready and `/health` answers 200. */
  ready(): Promise<void>;
  exitCode(): Promise<number | null>;
  /** Ids of the processes of one kind that this run started. */
  pids(part?: Part): readonly number[];
  kill(part: Part, signal: NodeJS.Signals): void;
  /** Resolves the milliseconds until no process of it was left and its port was free. @throws Error after five seconds. */
  gone(): Promise<number>;
  commandLines(): readonly string[];
}

/** A new folder for a run's state. */
export function temporaryState(): { readonly folder: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), "talaria-start-"));
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // of a TCP server
  server.close();
  await once(server, "close");
  return port;
}

/** Runs `npm start`. Every process that comes of it carries a mark in its environment, by which it is found again. */
export function startTalaria(
  port: number,
  stateFolder: string,
  env: Readonly<Record<string, string>> = {},
): StartedTalaria {
  const mark = `START_TEST_RUN=${randomUUID()}`;
  const npm = spawn("npm", ["start"], {
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...env, PORT: String(port), TALARIA_STATE: stateFolder, START_TEST_RUN: mark.split("=")[1] },
  });
  let output = "";
  for (const stream of [npm.stdout, npm.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(npm, "exit") as Promise<[number | null]>;

  function pids(part?: Part): readonly number[] {
    return markedProcesses(mark).filter((pid) => part === undefined || COMMANDS[part].test(commandLine(pid)));
  }

  return {
    port,
    npm,
    output: () => output,
    ready: () =>
      until(
        READY_WITHIN_MS,
        async () => output.includes("is ready at") && (await health(port)) === 200,
        () => output,
      ),
    exitCode: async () => (await exited)[0],
    pids,
    kill(part, signal) {
      const found = pids(part);
      if (found.length === 0) throw new Error(`There is no ${part} to kill:\n${output}`);
      for (const pid of found) process.kill(pid, signal);
    },
    async gone() {
      const since = performance.now();
      await until(
        GONE_WITHIN_MS,
        async () => pids().length === 0 && !(await isListening(port)),
        () => `left: ${pids().map(commandLine).join("\n")}\n${output}`,
      );
      return performance.now() - since;
    },
    commandLines: () => pids().map(commandLine),
  };
}

/** Resolves when a condition holds. */
export async function until(withinMs: number, holds: () => Promise<boolean>, explain: () => string): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Not within ${withinMs} ms. ${explain()}`);
    await sleep(25);
  }
}

/** Status of `/health`; undefined without an answer. */
export async function health(port: number): Promise<number | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(1_000) });
    await response.body?.cancel();
    return response.status;
  } catch {
    return undefined;
  }
}

async function isListening(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, "127.0.0.1");
  socket.once("connect", () => resolve(true));
  socket.once("error", () => resolve(false));
  return promise.finally(() => socket.destroy());
}

function markedProcesses(mark: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => readProc(pid, "environ").includes(mark) && !/^State:\s+Z/m.test(readProc(pid, "status")))
    .map(Number);
}

function commandLine(pid: number): string {
  return readProc(String(pid), "cmdline").replaceAll("\0", " ").trim();
}

function readProc(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return ""; // it ended meanwhile
  }
}
