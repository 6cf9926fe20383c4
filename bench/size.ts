import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Report } from "./main.ts";

const GOAL_KIB = 500;
const STARTUP_GOAL_MS = 100;
const ROOT = join(import.meta.dirname, "..");

/** What is uploaded, and how much of it loads at the start. */
export async function size(report: Report): Promise<void> {
  const out = mkdtempSync(join(tmpdir(), "talaria-size-"));
  wrangler("deploy", "--dry-run", "--minify", "--outdir", out);
  const kib = (file: string): number => Math.round((gzipSync(readFileSync(join(out, file))).length / 1024) * 10) / 10;
  const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((file) =>
    /\.(js|mjs|html|yaml|wasm)$/.test(file),
  );
  const main = files.filter((file) => !file.startsWith("dist/"));
  const start = main.reduce((sum, file) => sum + kib(file), 0);
  report({
    name: "upload_gzip_kib_at_start",
    value: Math.round(start * 10) / 10,
    files: Object.fromEntries(main.map((file) => [file, kib(file)])),
    goal: `<= ${GOAL_KIB}`,
    reached: start <= GOAL_KIB,
  });
  for (const file of files.filter((name) => name.startsWith("dist/")))
    report({ name: "upload_gzip_kib_lazy", file, value: kib(file) });
  reportStartup(report);
}

interface CpuProfile {
  readonly nodes: readonly { readonly id: number; readonly callFrame: { readonly functionName: string } }[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

/** Processor time of the start: what wrangler's own profile of it spends in the Worker's code. */
function reportStartup(report: Report): void {
  const file = join(mkdtempSync(join(tmpdir(), "talaria-startup-")), "startup.cpuprofile");
  wrangler("check", "startup", "--outfile", file);
  const profile = JSON.parse(readFileSync(file, "utf8")) as CpuProfile;
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame.functionName]));
  const isOurs = (sample: number): boolean => !["(idle)", "(program)", "(root)"].includes(names.get(sample) ?? "");
  const micros = profile.samples.reduce(
    (sum, sample, i) => sum + (isOurs(sample) ? (profile.timeDeltas[i] ?? 0) : 0),
    0,
  );
  const ms = Math.round(micros / 1000);
  report({ name: "startup_cpu_ms", value: ms, goal: `<= ${STARTUP_GOAL_MS}`, reached: ms <= STARTUP_GOAL_MS });
}

function wrangler(...args: readonly string[]): void {
  execFileSync(process.execPath, [join(ROOT, "node_modules/wrangler/bin/wrangler.js"), ...args], {
    cwd: ROOT,
    stdio: "ignore",
  });
}
