import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

/** A process for certain: ids are given again, but never with the same start. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; differs between two processes that were given one id, also across a reboot. */
  readonly startedAt: string;
}

/** A living process; ended ones that nobody has waited for are left out. */
export interface RunningProcess extends ProcessIdentity {
  readonly group: number;
}

/** Every living process that this user may see. */
export function listProcesses(): readonly RunningProcess[] {
  return process.platform === "linux" ? fromProc() : fromPs();
}

/** The identity of a living process; undefined when there is none of this id. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (process.platform === "linux") return readStat(pid, bootId());
  return fromPs().find((running) => running.pid === pid);
}

/** Whether this very process still lives. */
export function isAlive({ pid, startedAt }: ProcessIdentity): boolean {
  return identify(pid)?.startedAt === startedAt;
}

/** Bytes of memory that a process holds; 0 when it is gone. */
export function residentBytes(pid: number): number {
  try {
    if (process.platform !== "linux")
      return 1024 * Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
    const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return 1024 * Number(kilobytes ?? 0);
  } catch {
    return 0;
  }
}

function fromProc(): readonly RunningProcess[] {
  const boot = bootId();
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readStat(Number(name), boot) ?? []) : []));
}

/** Start times of Linux count from the boot: only with its id do they tell two processes apart. */
function bootId(): string {
  return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
}

/** Source: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
function readStat(pid: number, boot: string): RunningProcess | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // the name, in brackets, may hold blanks and brackets itself; the third field comes after the last of them
    const [state, , group, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    if (state === "Z" || state === "X") return undefined;
    return { pid, group: Number(group), startedAt: `${boot}:${rest[16]}` };
  } catch {
    return undefined; // it ended meanwhile
  }
}

function fromPs(): readonly RunningProcess[] {
  const table = execFileSync("ps", ["-A", "-o", "pid=,pgid=,stat=,lstart="], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  return table.split("\n").flatMap((line) => {
    const [pid, group, state, ...start] = line.trim().split(/\s+/);
    if (state === undefined || state.startsWith("Z")) return [];
    return [{ pid: Number(pid), group: Number(group), startedAt: start.join(" ") }];
  });
}
