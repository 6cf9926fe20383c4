import { execFile } from "node:child_process";
import type { Config } from "./config.ts";
import { PROGRAM_PATH, type Host } from "./host.ts";
import type { Job, Jobs } from "./jobs.ts";
import { Problem } from "./problem.ts";
import { type ProcessRow, findTree, listProcesses } from "./process-table.ts";
import type { Session } from "./sessions.ts";

/** What a session's files take, by measuring. */
export interface Quota {
  measure(session: Session): Promise<number>;
  /** @throws {@link Problem} disk_quota when the session has no room for so many bytes more */
  reserve(session: Session, bytes: number): Promise<void>;
  /** Bytes that the session may still write. */
  room(session: Session): Promise<number>;
}

const MEASURE_TIMEOUT_MS = 30_000;
const MEMORY_EVERY_MS = 1000;
const DISK_EVERY_MS = 5000;

/** Measures by `du`, which follows no links; where there is none, nothing is measured. */
export function createQuota({ limits }: Pick<Config, "limits">, { programs }: Host): Quota {
  async function measure({ folder }: Session): Promise<number> {
    const { du } = programs;
    if (du === undefined) return 0;
    return new Promise((resolve) => {
      const options = { env: { PATH: PROGRAM_PATH }, timeout: MEASURE_TIMEOUT_MS };
      // files that vanish while they are counted make it complain, and it counts the rest
      execFile(du, ["-skx", folder], options, (_error, stdout) => resolve((Number.parseInt(stdout, 10) || 0) * 1024));
    });
  }

  async function room(session: Session): Promise<number> {
    return limits.diskBytes - (await measure(session));
  }

  return {
    measure,
    room,
    async reserve(session, bytes) {
      if (bytes > (await room(session)))
        throw new Problem("disk_quota", `The session's files would take more than ${limits.diskBytes} bytes.`);
    },
  };
}

/**
 * Ends what uses too much while it runs: of a session over its memory the largest job, of one over its disk all that
 * run while it still grows. Returns how to stop watching.
 */
export function watchLimits({ limits }: Pick<Config, "limits">, jobs: Jobs, quota: Quota): () => void {
  const disk = new Map<string, number>();
  const memoryTimer = setInterval(() => {
    const running = jobs.list();
    if (running.length > 0) watchMemory(running, limits.memoryBytes, listProcesses());
  }, MEMORY_EVERY_MS);
  const diskTimer = setInterval(() => {
    for (const session of new Set(jobs.list().map((job) => job.session))) void watchDisk(session);
  }, DISK_EVERY_MS);

  async function watchDisk(session: Session): Promise<void> {
    const before = disk.get(session.id) ?? 0;
    const bytes = await quota.measure(session);
    disk.set(session.id, bytes);
    if (bytes > limits.diskBytes && bytes > before) for (const job of jobs.list(session)) void job.kill("disk_limit");
  }

  return () => {
    clearInterval(memoryTimer);
    clearInterval(diskTimer);
  };
}

function watchMemory(running: readonly Job[], maxBytes: number, rows: readonly ProcessRow[]): void {
  for (const session of new Set(running.map((job) => job.session))) {
    const sizes = running
      .filter((job) => job.session === session)
      .map((job) => ({ job, bytes: sum(findTree(rows, job.pid).map((row) => row.residentBytes)) }))
      .sort((a, b) => b.bytes - a.bytes);
    if (sum(sizes.map(({ bytes }) => bytes)) > maxBytes) void sizes[0]?.job.kill("memory_limit");
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
