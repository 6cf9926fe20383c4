import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { performance } from "node:perf_hooks";
import { type SidecarProcess, startSidecar } from "../test/sidecar/sidecar-process.ts";
import type { Report } from "./main.ts";
import { median, round } from "./systems.ts";

const CALLS = 300;
const SHORT_COMMANDS = 1000;
const IN_FLIGHT = 8;
const FLOOD_BYTES = 100 * 1000 ** 2;
const FLOOD_ROUNDS = 3;
const SESSIONS = 50;
const ROUNDS_OF_SESSIONS = 4;

/** What the sidecar adds to a command, beside a bare spawn of the same command in the same run. */
export async function sidecar(report: Report): Promise<void> {
  const server = await startSidecar({ env: { SIDECAR_TOTAL_JOBS: "256" } });
  try {
    await latency(server, report);
    await shortCommands(server, report);
    await flood(server, report);
    await manySessions(server, report);
  } finally {
    await server.close();
  }
}

async function latency(server: SidecarProcess, report: Report): Promise<void> {
  for (const argv of [["true"], ["bash", "--norc", "-c", "true"]]) {
    const bare: number[] = [];
    const through: number[] = [];
    await server.exec({ argv });
    // in turns, so that both meet the same machine
    for (let i = 0; i < CALLS; i++) {
      bare.push(await timed(async () => runBare(argv)));
      through.push(await timed(async () => server.exec({ argv })));
    }
    report({
      name: "sidecar_exec_latency_ms",
      command: argv.join(" "),
      calls: CALLS,
      bare: percentiles(bare),
      sidecar: percentiles(through),
      added_p50: round(median(through) - median(bare)),
    });
  }
}

async function shortCommands(server: SidecarProcess, report: Report): Promise<void> {
  const argv = ["echo", "x"];
  const bare = await perSecond(async () => runBare(argv));
  const through = await perSecond(async () => {
    const { stdout } = await server.exec({ argv });
    if (stdout !== "x\n") throw new Error(`a short command said ${stdout}`);
  });
  report({
    name: "sidecar_short_commands_per_second",
    commands: SHORT_COMMANDS,
    in_flight: IN_FLIGHT,
    cores: availableParallelism(),
    bare: round(bare),
    sidecar: round(through),
    ratio: round(through / bare),
  });
}

async function perSecond(run: () => Promise<unknown>): Promise<number> {
  let begun = 0;
  const startedAt = performance.now();
  const worker = async () => {
    while (begun++ < SHORT_COMMANDS) await run();
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
  return SHORT_COMMANDS / ((performance.now() - startedAt) / 1000);
}

async function flood(server: SidecarProcess, report: Report): Promise<void> {
  const argv = ["head", "-c", String(FLOOD_BYTES), "/dev/zero"];
  const bare: number[] = [];
  const through: number[] = [];
  for (let i = 0; i < FLOOD_ROUNDS; i++) {
    bare.push(await timed(async () => runBare(argv)));
    through.push(
      await timed(async () => {
        const { stdout_dropped_bytes } = await server.exec({ argv, max_output: 50_000 });
        if (stdout_dropped_bytes !== FLOOD_BYTES - 50_000) throw new Error(`dropped ${stdout_dropped_bytes} bytes`);
      }),
    );
  }
  const megabytes = (ms: number) => round(FLOOD_BYTES / 1000 ** 2 / (ms / 1000));
  report({
    name: "sidecar_output_megabytes_per_second",
    bytes: FLOOD_BYTES,
    bare: megabytes(median(bare)),
    sidecar: megabytes(median(through)),
    peak_resident_megabytes: peakResidentMegabytes(server.pid),
  });
}

async function manySessions(server: SidecarProcess, report: Report): Promise<void> {
  const first: number[] = [];
  const later: number[] = [];
  let wrong = 0;
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, n) => {
      for (let round = 0; round < ROUNDS_OF_SESSIONS; round++) {
        const shell = `echo ${n} >> mine; sort -u mine`;
        const ms = await timed(async () => {
          const { stdout } = await server.exec({ shell }, { session: `bench:${n}` });
          if (stdout !== `${n}\n`) wrong += 1;
        });
        (round === 0 ? first : later).push(ms);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  report({
    name: "sidecar_sessions_at_once",
    sessions: SESSIONS,
    commands: SESSIONS * ROUNDS_OF_SESSIONS,
    wrong,
    first_ms: percentiles(first),
    later_ms: percentiles(later),
    commands_per_second: round((SESSIONS * ROUNDS_OF_SESSIONS) / seconds),
    peak_resident_megabytes: peakResidentMegabytes(server.pid),
    goal: "0 wrong",
    reached: wrong === 0,
  });
}

async function runBare([file = "", ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: ["ignore", "pipe", "pipe"] });
    child.stdout.resume();
    child.stderr.resume();
    child.once("error", reject);
    child.once("close", () => resolve());
  });
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await act();
  return performance.now() - startedAt;
}

function percentiles(values: readonly number[]): { readonly p50: number; readonly p95: number } {
  const sorted = [...values].sort((a, b) => a - b);
  return { p50: round(median(sorted)), p95: round(sorted[Math.floor(sorted.length * 0.95)] ?? Number.NaN) };
}

// Source: https://man7.org/linux/man-pages/man5/proc_pid_status.5.html
function peakResidentMegabytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024);
}
