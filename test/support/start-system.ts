// The whole system as a person starts it: `npm start`, with a state folder and a port of its own.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./runtime.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** Milliseconds until a start counts as failed. */
const START_TIMEOUT_MS = 90_000;

/** A running system that a browser or program can talk to. */
export interface System {
  readonly url: string;
  /** The operator's token. */
  readonly token: string;
  readonly stop: () => Promise<void>;
}

/** A system whose start script is a process of ours. */
export interface StartedSystem extends System {
  readonly pid: number;
  /** All that it has written so far. */
  readonly log: () => string;
}

/** Starts everything, with the built-in demo model unless told otherwise, and resolves when `/health` answers 200. */
export async function startSystem(settings: Readonly<Record<string, string>> = {}): Promise<StartedSystem> {
  const port = await freePort();
  const token = "browser-test-token";
  const state = mkdtempSync(join(tmpdir(), "talaria-browser-"));
  const child = spawn(process.execPath, ["scripts/start.mjs"], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: process.env["PATH"] ?? "",
      HOME: process.env["HOME"] ?? "",
      PORT: String(port),
      TALARIA_STATE: state,
      ADMIN_TOKEN: token,
      ...settings,
    },
  });
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    await exited;
    rmSync(state, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${port}`;
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline;) {
    if (child.exitCode !== null) throw new Error(`npm start ended:\n${log}`);
    const health = await fetch(`${url}/health`).catch(() => undefined);
    await health?.arrayBuffer();
    if (health?.status === 200) return { url, token, pid: child.pid ?? 0, log: () => log, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error(`not ready:\n${log}`);
}
