import { readFileSync, readdirSync } from "node:fs";

/** One process of the machine, as its kernel tells. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly uid: number;
  readonly threads: number;
  readonly residentBytes: number;
  readonly isZombie: boolean;
}

/** Name of the variable by which a process tells which job it belongs to, wherever it went. */
export const MARK_NAME = "TALARIA_JOB";

/** The living processes of this machine; none where there is no /proc. */
export function listProcesses(): readonly ProcessRow[] {
  return pids().flatMap((pid) => readProcess(pid) ?? []);
}

/**
 * The processes that come from a job's first process: its descendants, and who still is in the group or terminal
 * session of one of them although the line of parents is broken.
 */
export function findTree(rows: readonly ProcessRow[], root: number): readonly ProcessRow[] {
  const groups = new Set([root]);
  const tree = new Set<ProcessRow>();
  for (let grew = true; grew;) {
    grew = false;
    for (const row of rows) {
      if (tree.has(row)) continue;
      if (row.pid !== root && !groups.has(row.parent) && !groups.has(row.group) && !groups.has(row.session)) continue;
      tree.add(row);
      groups.add(row.pid);
      grew = true;
    }
  }
  return [...tree];
}

/** Which job a process says that it belongs to; `null` when it may not be asked, as in a container without rights. */
export function readMark(pid: number): string | undefined | null {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`, "latin1");
    return new RegExp(`(?:^|\\0)${MARK_NAME}=([^\\0]*)`).exec(environment)?.[1];
  } catch (error) {
    // it ended, or belongs to somebody else
    return error instanceof Error && "code" in error && error.code === "EACCES" ? null : undefined;
  }
}

/** Sends a signal to a process or, negative, a group; false when there is none. */
export function sendSignal(pid: number | undefined, signal: NodeJS.Signals | 0): boolean {
  // 0 is our own group, -1 is everybody
  if (pid === undefined || Math.abs(pid) <= 1) return false;
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false; // it ended by itself
  }
}

function pids(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return []; // not Linux
  }
}

// Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html and proc_pid_status.5.html
function readProcess(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    // the name stands in brackets and may hold anything
    const [state, parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      uid: numberAfter(status, "Uid:"),
      threads: numberAfter(status, "Threads:"),
      residentBytes: numberAfter(status, "VmRSS:") * 1024,
      isZombie: state === "Z" || state === "X",
    };
  } catch {
    return undefined; // it ended meanwhile
  }
}

function numberAfter(text: string, label: string): number {
  return Number(new RegExp(`^${label}\\s+(\\d+)`, "m").exec(text)?.[1] ?? 0);
}
