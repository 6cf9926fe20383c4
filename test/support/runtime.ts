// A Worker on local workerd, as a process of its own that a test or benchmark can kill.
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..");
const BIN = join(ROOT, "node_modules/.bin");

export interface Runtime {
  readonly url: string;
  readonly child: ChildProcess;
  /** Processor seconds that its workerd processes have used so far. Linux only. */
  cpuSeconds(): number;
  /** Kills the whole tree at once. */
  kill(): Promise<void>;
  readonly log: () => string;
}

export interface RuntimeOptions {
  readonly config: string;
  readonly state: string;
  readonly vars: Readonly<Record<string, string>>;
}

/** Starts `wrangler dev` on a free port and resolves when `/health` answers 200. */
export async function startRuntime(options: RuntimeOptions): Promise<Runtime> {
  const port = await freePort();
  const envFile = join(mkdtempSync(join(tmpdir(), "talaria-env-")), "env");
  writeFileSync(
    envFile,
    Object.entries(options.vars)
      .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
      .join("\n"),
    { mode: 0o600 },
  );
  const where = ["--config", options.config, "--port", String(port), "--ip", "127.0.0.1", "--inspector-port", "0"];
  const rest = ["--persist-to", options.state, "--env-file", envFile, "--show-interactive-dev-session=false"];
  return untilHealthy(port, join(BIN, "wrangler"), ["dev", ...where, ...rest]);
}

/** Starts what `npm start` keeps running, without its supervisor; resolves when `/health` answers 200. */
export async function startLocalRuntime({ state, vars }: Omit<RuntimeOptions, "config">): Promise<Runtime> {
  const port = await freePort();
  const args = ["scripts/run.mjs", "scripts/wrangler-dev.ts", "--port", String(port), "--persist-to", state];
  return untilHealthy(port, "node", args, `${JSON.stringify({ bindings: vars })}\n`);
}

/** Starts a program that serves the Worker on `port`; it ends when what it reads ends. */
async function untilHealthy(port: number, command: string, args: readonly string[], input = ""): Promise<Runtime> {
  const child = spawn(command, args, {
    cwd: ROOT,
    detached: true,
    stdio: "pipe",
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      WRANGLER_SEND_METRICS: "false",
      PATH: `${BIN}:${process.env["PATH"] ?? ""}`,
      CI: "1",
    },
  });
  // a reader that was killed is no trouble of ours
  child.stdin.on("error", () => undefined);
  child.stdin.write(input);
  let log = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (log += chunk.toString("utf8")));
  const url = `http://127.0.0.1:${port}`;
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const runtime: Runtime = {
    url,
    child,
    cpuSeconds: () => cpuOf(child.pid ?? 0),
    log: () => log,
    async kill() {
      try {
        process.kill(-(child.pid ?? 0), "SIGKILL");
      } catch {
        // gone already
      }
      await exited;
    },
  };
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`the runtime ended:\n${log}`);
    const response = await fetch(`${url}/health`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return runtime;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await runtime.kill();
  throw new Error(`not ready:\n${log}`);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

/** Processor seconds of every workerd below a process. Source: proc(5), fields 14 and 15 of stat, in ticks of 10 ms. */
function cpuOf(root: number): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readStat(Number(name));
    if (stat !== undefined) parents.set(Number(name), Number(stat.fields[1]));
  }
  let ticks = 0;
  for (const pid of parents.keys()) {
    if (!descends(pid, root, parents)) continue;
    const stat = readStat(pid);
    if (stat?.command === "workerd") ticks += Number(stat.fields[11]) + Number(stat.fields[12]);
  }
  return ticks / 100;
}

function descends(pid: number, root: number, parents: ReadonlyMap<number, number>): boolean {
  for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) if (at === root) return true;
  return false;
}

function readStat(pid: number): { readonly command: string; readonly fields: readonly string[] } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const end = text.lastIndexOf(")");
    return { command: text.slice(text.indexOf("(") + 1, end), fields: text.slice(end + 2).split(" ") };
  } catch {
    return undefined;
  }
}
