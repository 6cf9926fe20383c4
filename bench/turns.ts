import type { Report } from "./main.ts";
import { type LoadResult, load } from "./load.ts";
import { median, round, startSystem } from "./systems.ts";

const SESSIONS = 64;
const IN_FLIGHT = 16;
const WARM_UP = 200;
const TURNS = 600;
const ROUNDS = 5;

/** CPU per turn, turns per second and time to acknowledge, beside the floor, in alternating rounds of one run. */
export async function turns(report: Report): Promise<void> {
  const floor = await startSystem("bench/floor/wrangler.toml");
  const ours = await startSystem("wrangler.toml");
  const options = { sessions: Array.from({ length: SESSIONS }, (_, i) => 5000 + i), inFlight: IN_FLIGHT };
  const results: { floor: LoadResult; ours: LoadResult }[] = [];
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
  const ratio = (of: (result: LoadResult) => number): number =>
    round(median(results.map((pair) => of(pair.ours) / of(pair.floor))));
  const middle = (of: (result: LoadResult) => number, which: "floor" | "ours"): number =>
    round(median(results.map((pair) => of(pair[which]))));
  const line = (
    name: string,
    of: (result: LoadResult) => number,
    goal: string,
    isReached: (value: number) => boolean,
  ): void => {
    report({
      name,
      floor: middle(of, "floor"),
      ours: middle(of, "ours"),
      ratio: ratio(of),
      goal,
      reached: isReached(ratio(of)),
    });
  };
  line(
    "cpu_ms_per_turn",
    (result) => result.cpuMsPerTurn,
    "<= 1.6 x",
    (value) => value <= 1.6,
  );
  line(
    "turns_per_second",
    (result) => result.turnsPerSecond,
    ">= 0.6 x",
    (value) => value >= 0.6,
  );
  line(
    "ack_p50_ms",
    (result) => result.ackP50Ms,
    "<= 1.3 x",
    (value) => value <= 1.3,
  );
}
