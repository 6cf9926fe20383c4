// `npm run fuzz [-- --seconds N] [-- --seed N] [-- --runs N]`: hostile bodies against the doors, with fresh seeds until
// the time is over. Exits with 1 and the seed when something failed: the same seed and runs fail again.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { STOP_SIGNALS } from "../../scripts/guard.mjs";
import { ROOT } from "../../scripts/install.mjs";

const TEST_FILE = "test/workers/doors.fuzz.test.ts";
/** Bodies that each test of the file makes in one round: a round takes about ten seconds. */
const RUNS = 300;
const MAX_SEED = 2 ** 31;
/** What nobody reads to its end: one character over and over. */
const LONG_RUN = /(.)\1{200,}/g;

const { values } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    runs: { type: "string", default: String(RUNS) },
    seed: { type: "string" },
  },
});
const seconds = wholeNumber("seconds", values.seconds);
const runs = wholeNumber("runs", values.runs);
const firstSeed = values.seed === undefined ? randomInt(MAX_SEED) : wholeNumber("seed", values.seed);

const stopping = new AbortController();
for (const signal of STOP_SIGNALS) process.on(signal, () => stopping.abort());
const endsAt = performance.now() + seconds * 1000;
let rounds = 0;
for (let seed = firstSeed; rounds === 0 || performance.now() < endsAt; seed = randomInt(MAX_SEED)) {
  const { code, output } = await round(seed);
  if (stopping.signal.aborted) process.exit(1);
  rounds += 1;
  console.log(`${code === 0 ? "✓" : "✗"} seed ${seed}, ${runs} runs a test`);
  if (code === 0) continue;
  console.log(output.replaceAll(LONG_RUN, (run) => `${run.slice(0, 20)}… (${run.length} characters)`));
  console.log(`failed: npm run fuzz -- --seconds 1 --runs ${runs} --seed ${seed}`);
  process.exit(1);
}
console.log(`${rounds} rounds of ${runs} runs a test, nothing failed`);

/** One run of the test file in a process of its own, so that no round inherits what another left. */
async function round(seed: number): Promise<{ readonly code: number | null; readonly output: string }> {
  const child = spawn("vitest", ["run", TEST_FILE], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, FUZZ_RUNS: String(runs), FUZZ_SEED: String(seed) },
  });
  stopping.signal.addEventListener("abort", () => child.kill("SIGTERM"), { once: true });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, output };
}

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${name}: expected a whole number from 1, got ${JSON.stringify(text)}`);
  process.exit(2);
}
