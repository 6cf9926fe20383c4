import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { join } from "node:path";
import type { Config } from "./config.ts";

/** Where programs are looked for, by the sidecar and by its sessions. */
export const PROGRAM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const PROGRAMS = [
  "bash",
  "du",
  "env",
  "find",
  "git",
  "grep",
  "mkfifo",
  "nsenter",
  "prlimit",
  "python3",
  "rg",
  "rm",
  "setpriv",
  "setsid",
  "sh",
  "tar",
  "unshare",
] as const;

/** A program that the sidecar itself may use, or that callers ask about. */
export type Program = (typeof PROGRAMS)[number];

/** What this machine lets the sidecar do. */
export interface Host {
  /** Full paths of the programs there are. */
  readonly programs: Readonly<Partial<Record<Program, string>>>;
  /** Each session gets a system user of its own. */
  readonly hasUsers: boolean;
  /** Each session gets its own view of processes and of /tmp, and dies as one. */
  readonly hasNamespaces: boolean;
  /** Commands can be started without any network. */
  readonly canCutNetwork: boolean;
  readonly hasLimits: boolean;
  /** Orphans are taken in by somebody else than the sidecar, which would leave them zombies. */
  readonly hasReaper: boolean;
}

/** Finds out what this machine lets the sidecar do, by trying it. */
export function surveyHost(config: Pick<Config, "namespaces">): Host {
  const programs = findPrograms();
  const { setpriv, prlimit, nsenter, unshare, env, setsid } = programs;
  const isRoot = process.platform === "linux" && process.getuid?.() === 0;
  const hasUsers = isRoot && setpriv !== undefined && canChangeUser(setpriv);
  const hasTools = nsenter !== undefined && env !== undefined && setsid !== undefined;
  const wantsNamespaces = config.namespaces === "auto" && hasUsers && hasTools;
  const hasNamespaces =
    wantsNamespaces && works(unshare, ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "true"]);
  return {
    programs,
    hasUsers,
    hasNamespaces,
    canCutNetwork: hasNamespaces && works(unshare, ["--net", "true"]),
    hasLimits: works(prlimit, ["--core=0:0", "true"]),
    hasReaper: process.pid !== 1,
  };
}

function findPrograms(): Host["programs"] {
  const found: Partial<Record<Program, string>> = {};
  for (const name of PROGRAMS) {
    const path = PROGRAM_PATH.split(":")
      .map((folder) => join(folder, name))
      .find(isExecutable);
    if (path !== undefined) found[name] = path;
  }
  return found;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false; // looked for elsewhere
  }
}

function canChangeUser(setpriv: string): boolean {
  return works(setpriv, ["--reuid", "40000", "--regid", "40000", "--clear-groups", "--no-new-privs", "true"]);
}

function works(program: string | undefined, argv: readonly string[]): boolean {
  if (program === undefined) return false;
  return spawnSync(program, argv, { stdio: "ignore", timeout: 10_000, env: { PATH: PROGRAM_PATH } }).status === 0;
}
