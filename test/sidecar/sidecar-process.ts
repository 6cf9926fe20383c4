import { type ChildProcess, spawn } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExecEnvelope } from "../../sidecar/protocol.ts";

const SERVER = join(import.meta.dirname, "../../sidecar/server.ts");
const TOKEN = "a-token-for-tests-only";
const NOBODY = 65_534;
const SETPRIV = "/usr/bin/setpriv";

/**
 * Root with what rights Docker leaves it.
 *
 * Source: https://docs.docker.com/engine/containers/run/#runtime-privilege-and-linux-capabilities
 */
const CONTAINER_RIGHTS =
  "-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+audit_write,+setfcap";
const CONTAINER = [SETPRIV, `--bounding-set=${CONTAINER_RIGHTS}`];

/** The ways a sidecar is isolated that this machine can show. */
export type IsolationMode = "as found" | "in a plain container" | "as an ordinary user";

/** Whether tests run as root on Linux, where sessions get users of their own. */
export const isRoot = process.platform === "linux" && process.getuid?.() === 0;

/** The ways that can be tried here. */
export const isolationModes: readonly IsolationMode[] = isRoot
  ? [
      "as found",
      ...(existsSync(SETPRIV) ? (["in a plain container"] as const) : []),
      ...(isReachable(process.execPath) ? (["as an ordinary user"] as const) : []),
    ]
  : ["as found"];

/** A request to a sidecar. */
export interface SidecarRequest {
  readonly method?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array<ArrayBuffer> | ReadableStream;
  readonly signal?: AbortSignal;
}

/** The real sidecar, in a process of its own. */
export interface SidecarProcess {
  readonly url: string;
  readonly token: string;
  readonly root: string;
  readonly pid: number;
  fetch(path: string, request?: SidecarRequest): Promise<Response>;
  /** The answer as JSON, with its status; what it holds is up to the test. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- each test names what it asks for
  call<T = Record<string, unknown>>(path: string, request?: SidecarRequest): Promise<{ status: number; body: T }>;
  exec(body: Record<string, unknown>, request?: SidecarRequest): Promise<ExecEnvelope>;
  /** Ends the process's standard input. */
  endInput(): void;
  readonly exited: Promise<number | null>;
  /** Ends the process as told; its folder stays. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
  /** Ends the process and removes its folder. */
  close(): Promise<void>;
}

/** Starts a sidecar on a free port of loopback; `root` continues an earlier one. */
export async function startSidecar(
  options: { mode?: IsolationMode; env?: Readonly<Record<string, string>>; root?: string } = {},
): Promise<SidecarProcess> {
  const { mode = "as found" } = options;
  const root = options.root ?? mkdtempSync(join(tmpdir(), "sidecar-test-"));
  const isOrdinary = mode === "as an ordinary user";
  chmodSync(root, 0o711);
  if (isOrdinary) chownSync(root, NOBODY, NOBODY);
  const { child, output } = launch(
    {
      SIDECAR_TOKEN: TOKEN,
      SIDECAR_PORT: "0",
      SIDECAR_ROOT: root,
      ...options.env,
    },
    mode,
  );
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const url = await Promise.race([
    new Promise<string>((resolve) => {
      child.stdout?.on("data", () => {
        const found = /listening on (http:\S+)/.exec(output());
        if (found?.[1] !== undefined) resolve(found[1]);
      });
    }),
    exited.then(() => {
      throw new Error(`the sidecar did not start: ${output()}`);
    }),
  ]);

  async function send(path: string, request: SidecarRequest = {}): Promise<Response> {
    const { method, session = "main:test", headers, json, body, signal } = request;
    const content = json === undefined ? body : JSON.stringify(json);
    return fetch(url + path, {
      method: method ?? (content === undefined ? "GET" : "POST"),
      headers: {
        authorization: `Bearer ${TOKEN}`,
        "x-session-key": session,
        ...(json !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(content !== undefined && { body: content, duplex: "half" as const }),
      ...(signal && { signal }),
    });
  }

  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- as above
  async function call<T>(path: string, request?: SidecarRequest): Promise<{ status: number; body: T }> {
    const response = await send(path, request);
    const text = await response.text();
    return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as T };
  }

  async function end(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    child.kill(signal);
    return exited;
  }

  return {
    url,
    token: TOKEN,
    root,
    pid: child.pid ?? 0,
    fetch: send,
    call,
    async exec(json, request) {
      const { status, body } = await call<ExecEnvelope>("/v1/exec", { ...request, json });
      if (status !== 200) throw new Error(`exec answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    endInput: () => void child.stdin?.end(),
    exited,
    end,
    async close() {
      await end();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Starts a sidecar that is expected to refuse, and gives what it said. */
export async function refusal(env: Readonly<Record<string, string>>): Promise<{ code: number | null; output: string }> {
  const { child, output } = launch({ SIDECAR_PORT: "0", ...env }, "as found");
  const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const code = await new Promise<number | null>((resolve) => child.once("exit", resolve));
  clearTimeout(timer);
  return { code, output: output() };
}

/** How many processes of this machine have exactly this command line. */
export function countOf(command: string): number {
  return readdirSync("/proc").filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").join(" ").trim() === command;
    } catch {
      return false; // no process, or ended
    }
  }).length;
}

/** Waits until something holds; fails with the last thing that was seen. */
export async function eventually<T>(look: () => Promise<T> | T, holds: (value: T) => boolean): Promise<T> {
  const endsAt = Date.now() + 15_000;
  for (;;) {
    const value = await look();
    if (holds(value)) return value;
    if (Date.now() > endsAt) throw new Error(`never came true; last seen: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function launch(
  env: Readonly<Record<string, string>>,
  mode: IsolationMode,
): { child: ChildProcess; output: () => string } {
  const isContainer = mode === "in a plain container";
  const [file, ...args] = [...(isContainer ? CONTAINER : []), process.execPath, SERVER];
  const child = spawn(file, args, {
    env: { PATH: process.env["PATH"], ...env },
    cwd: dirname(SERVER),
    stdio: ["pipe", "pipe", "pipe"],
    ...(mode === "as an ordinary user" && { uid: NOBODY, gid: NOBODY }),
  });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (text += String(chunk)));
  return { child, output: () => text };
}

/** Whether any user can get to a file: it may lie in somebody's own folder. */
function isReachable(path: string): boolean {
  for (let at = realpathSync(path); at !== dirname(at); at = dirname(at))
    if ((statSync(at).mode & 0o001) === 0) return false;
  return true;
}
