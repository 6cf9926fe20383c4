import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "./main.ts";
import { type LoadResult, load } from "./load.ts";
import { median, round, startSystem } from "./systems.ts";

const ROOT = join(import.meta.dirname, "..");
const SESSIONS = 64;
const IN_FLIGHT = 16;
const WARM_UP = 200;
const TURNS = 600;
const ROUNDS = 5;

/** CPU per turn, turns per second and time to acknowledge, beside the floor, in alternating rounds of one run. */
export async function turns(report: Report): Promise<void> {
  const compared = await besideFloor("wrangler.toml");
  line(
    report,
    compared,
    "cpu_ms_per_turn",
    (result) => result.cpuMsPerTurn,
    "<= 1.6 x",
    (value) => value <= 1.6,
  );
  line(
    report,
    compared,
    "turns_per_second",
    (result) => result.turnsPerSecond,
    ">= 0.6 x",
    (value) => value >= 0.6,
  );
  line(
    report,
    compared,
    "ack_p50_ms",
    (result) => result.ackP50Ms,
    "<= 1.3 x",
    (value) => value <= 1.3,
  );
}

/** The same with three plugins that have a hook on every event of turns and tools. */
export async function hooks(report: Report): Promise<void> {
  // the system's own configuration with another entry point
  const config = join(ROOT, "wrangler.hooks.toml");
  const own = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  writeFileSync(config, own.replace(/^main = .*$/m, 'main = "bench/hooks/worker.ts"'));
  line(
    report,
    await besideFloor(config),
    "cpu_ms_per_turn_with_three_plugins",
    (result) => result.cpuMsPerTurn,
    "<= 2 x",
    (value) => value <= 2,
  );
}

interface Pair {
  readonly floor: LoadResult;
  readonly ours: LoadResult;
}

async function besideFloor(config: string): Promise<readonly Pair[]> {
  const floor = await startSystem("bench/floor/wrangler.toml");
  const ours = await startSystem(config);
  const options = { sessions: Array.from({ length: SESSIONS }, (_, i) => 5000 + i), inFlight: IN_FLIGHT };
  const results: Pair[] = [];
  try {
    await load(floor.runtime, floor.telegram, { ...options, turns: WARM_UP });
    await load(ours.runtime, ours.telegram, { ...options, turns: WARM_UP });
    for (let round_ = 0; round_ < ROUNDS; round_++) {
      results.push({
        floor: await load(floor.runtime, floor.telegram, { ...options, turns: TURNS }),
        ours: await load(ours.runtime, ours.telegram, { ...options, turns: TURNS }),
      });
    }
  } finally {
    await Promise.all([floor.close(), ours.close()]);
  }
  return results;
}

function line(
  report: Report,
  results: readonly Pair[],
  name: string,
  of: (result: LoadResult) => number,
  goal: string,
  isReached: (value: number) => boolean,
): void {
  const ratio = round(median(results.map((pair) => of(pair.ours) / of(pair.floor))));
  const middle = (which: "floor" | "ours"): number => round(median(results.map((pair) => of(pair[which]))));
  report({ name, floor: middle("floor"), ours: middle("ours"), ratio, goal, reached: isReached(ratio) });
}
