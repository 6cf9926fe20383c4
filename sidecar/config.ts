import { readFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { join, resolve } from "node:path";

/** What one session and one request may use. */
export interface Limits {
  /** System processes and threads of one session's user at once. */
  readonly processes: number;
  /** Resident memory of a session in total, and private memory of each of its processes. */
  readonly memoryBytes: number;
  /** Processor seconds of one system process. */
  readonly cpuSeconds: number;
  /** Size of one file that a command writes. */
  readonly fileBytes: number;
  /** What a session's folder may hold; measured, see README. */
  readonly diskBytes: number;
  /** Files that one system process has open. */
  readonly openFiles: number;
  /** Commands, background processes and terminals of one session that run at once. */
  readonly jobs: number;
  /** The same of all sessions. */
  readonly totalJobs: number;
  readonly sessions: number;
  /** Longest time that a caller can ask for. */
  readonly timeoutMs: number;
  /** Most of each of stdout and stderr that a caller can ask for. */
  readonly outputBytes: number;
  /** What is kept of a background process's or terminal's output. */
  readonly logBytes: number;
  /** A JSON body. */
  readonly bodyBytes: number;
  /** A file or archive that is uploaded, and what an archive unpacks to. */
  readonly uploadBytes: number;
}

/** What the operator said when the sidecar was started. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** Absent only on loopback. */
  readonly token: string | undefined;
  /** Everything the sidecar keeps is below this folder. */
  readonly root: string;
  /** A folder of hook scripts that came with the image. */
  readonly scripts: string | undefined;
  /** First of the user numbers of sessions; absent: a free block is found. */
  readonly uidBase: number | undefined;
  /** Whether commands reach the network unless they say otherwise. */
  readonly network: "host" | "none";
  readonly namespaces: "auto" | "off";
  /** Variables that name certificate authorities: the only ones that commands have of the sidecar's own. */
  readonly authorities: Readonly<Record<string, string>>;
  /** Ends when its standard input does, so that it cannot outlive who started it. */
  readonly stopsWithStdin: boolean;
  readonly limits: Limits;
}

/** A setting that keeps the sidecar from starting, as one sentence. */
export class ConfigError extends Error {}

const MIB = 1024 ** 2;
const MIN_TOKEN_CHARS = 16;
const DEFAULT_PORT = 8790;

/** Where programs that do not ask the system look for certificate authorities: Node, Python's requests, OpenSSL. */
const AUTHORITIES = ["NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"];

type Env = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings from the environment.
 *
 * @throws {@link ConfigError} naming the setting that is wrong or missing
 */
export function readConfig(env: Env): Config {
  const host = env["SIDECAR_HOST"] || "127.0.0.1";
  const sessions = number(env, "SIDECAR_SESSIONS", 1000, { max: 1000 });
  return {
    host,
    port: number(env, "SIDECAR_PORT", DEFAULT_PORT, { min: 0, max: 65_535 }),
    token: readToken(env, host),
    root: resolve(env["SIDECAR_ROOT"] || defaultRoot()),
    scripts: env["SIDECAR_SCRIPTS"] ? resolve(env["SIDECAR_SCRIPTS"]) : undefined,
    uidBase: env["SIDECAR_UID_BASE"] ? number(env, "SIDECAR_UID_BASE", 0, { min: 1000 }) : undefined,
    network: oneOf(env, "SIDECAR_NETWORK", ["host", "none"]),
    namespaces: oneOf(env, "SIDECAR_NAMESPACES", ["auto", "off"]),
    authorities: Object.fromEntries(AUTHORITIES.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
    stopsWithStdin: env["SIDECAR_STOP_WITH_STDIN"] === "1",
    limits: {
      processes: number(env, "SIDECAR_PROCESSES", 256, { min: 8 }),
      memoryBytes: number(env, "SIDECAR_MEMORY_MB", 2048, { min: 64 }) * MIB,
      cpuSeconds: number(env, "SIDECAR_CPU_SECONDS", 3600),
      fileBytes: number(env, "SIDECAR_FILE_MB", 1024) * MIB,
      diskBytes: number(env, "SIDECAR_DISK_MB", 2048) * MIB,
      openFiles: number(env, "SIDECAR_OPEN_FILES", 4096, { min: 32 }),
      jobs: number(env, "SIDECAR_JOBS", 32),
      totalJobs: number(env, "SIDECAR_TOTAL_JOBS", 256),
      sessions,
      timeoutMs: number(env, "SIDECAR_TIMEOUT_SECONDS", 3600) * 1000,
      outputBytes: 16 * MIB,
      logBytes: number(env, "SIDECAR_LOG_KB", 1024, { min: 4 }) * 1024,
      bodyBytes: 8 * MIB,
      uploadBytes: number(env, "SIDECAR_UPLOAD_MB", 1024) * MIB,
    },
  };
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

function readToken(env: Env, host: string): string | undefined {
  const file = env["SIDECAR_TOKEN_FILE"];
  const token = (file ? readTokenFile(file) : (env["SIDECAR_TOKEN"] ?? "")).trim();
  if (token === "" && isLoopback(host)) return undefined;
  if (token === "") throw new ConfigError(`SIDECAR_TOKEN is needed to listen on ${host}; only loopback goes without.`);
  if (!isLoopback(host) && token.length < MIN_TOKEN_CHARS)
    throw new ConfigError(`SIDECAR_TOKEN needs at least ${MIN_TOKEN_CHARS} characters to listen on ${host}.`);
  return token;
}

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ConfigError(`SIDECAR_TOKEN_FILE cannot be read: ${path}`, { cause });
  }
}

function defaultRoot(): string {
  return process.getuid?.() === 0 ? "/var/lib/talaria-sidecar" : join(process.cwd(), ".talaria/sidecar");
}

function number(env: Env, name: string, otherwise: number, { min = 1, max = 2 ** 31 } = {}): number {
  const text = env[name];
  if (text === undefined || text === "") return otherwise;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new ConfigError(`${name} must be a whole number from ${min} to ${max}, not "${text}".`);
}

function oneOf<const Choice extends string>(env: Env, name: string, choices: readonly [Choice, ...Choice[]]): Choice {
  const text = env[name];
  if (text === undefined || text === "") return choices[0];
  const choice = choices.find((candidate) => candidate === text);
  if (choice === undefined) throw new ConfigError(`${name} must be one of ${choices.join(", ")}, not "${text}".`);
  return choice;
}
