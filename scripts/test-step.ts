import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What a step found. */
export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** One part of `npm test`. */
export interface TestStep {
  readonly name: string;
  /** Runs it and shows what a person needs to see of a failure. Never throws for a failing test. */
  run(signal: AbortSignal): Promise<Counts>;
}

/** A program of node_modules that finds nothing wrong when it exits with 0; silent then. */
export function toolStep(name: string, command: string, args: readonly string[]): TestStep {
  return {
    name,
    async run(signal) {
      const { code, output } = await runProgram(command, args, { signal, isShown: false });
      if (code === 0) return { passed: 1, failed: 0 };
      process.stdout.write(output);
      return { passed: 0, failed: 1 };
    },
  };
}

/** A project of vitest, with only these files or with all of them. */
export function vitestStep(project: string, filters: readonly string[]): TestStep {
  return {
    name: `vitest in ${project}`,
    async run(signal) {
      const report = join(tmpdir(), `talaria-vitest-${project}-${process.pid}.json`);
      const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
      const args = ["run", "--project", project, ...reporters, ...filters];
      const { code } = await runProgram("vitest", args, { signal, isShown: true });
      const counts = countVitest(readIfThere(report));
      rmSync(report, { force: true });
      return noFailureIsLost(counts, code);
    },
  };
}

/** The acceptance cases in these files. */
export function conformanceStep(files: readonly string[]): TestStep {
  return {
    name: "conformance",
    async run(signal) {
      const args = ["scripts/run.mjs", "test/conformance/main.ts", ...files];
      const { code, output } = await runProgram("node", args, { signal, isShown: false });
      if (code !== 0) process.stdout.write(output);
      return noFailureIsLost(countSummary(output), code);
    },
  };
}

/** Reads the JSON report of vitest. Files that did not even load count as one failure each. */
export function countVitest(report: string | undefined): Counts {
  if (report === undefined) return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(report) as {
    // vitest's own format: https://vitest.dev/guide/reporters#json-reporter
    readonly numPassedTests: number;
    readonly numFailedTests: number;
    readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[];
  };
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}

/** Reads the last `N passed, M failed` of an output. */
export function countSummary(output: string): Counts {
  const [, passed, failed] = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1) ?? [];
  return { passed: Number(passed ?? 0), failed: Number(failed ?? 0) };
}

/** A program that says that it failed, and counted no failure, failed all the same. */
export function noFailureIsLost(counts: Counts, code: number | null): Counts {
  return code !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined; // it never came to writing it
  }
}

async function runProgram(
  command: string,
  args: readonly string[],
  { signal, isShown }: { readonly signal: AbortSignal; readonly isShown: boolean },
): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn(command, args, { stdio: ["ignore", isShown ? "inherit" : "pipe", isShown ? "inherit" : "pipe"] });
  const stop = (): boolean => child.kill("SIGTERM");
  signal.addEventListener("abort", stop, { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  signal.removeEventListener("abort", stop);
  return { code, output };
}
