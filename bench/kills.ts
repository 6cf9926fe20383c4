import { runKillTrial } from "../test/support/kill-trial.ts";
import type { Report } from "./main.ts";

const KILLS = 200;

/** SIGKILL at random points: what was lost, doubled and marked. */
export async function kills(report: Report): Promise<void> {
  const trial = await runKillTrial({
    kills: KILLS,
    seed: 1,
    onKill: (done) => done % 20 === 0 && console.error(`killed ${done} of ${KILLS}`),
  });
  report({
    name: "sigkill",
    ...trial,
    lost: trial.lost.length,
    doubled: trial.doubled.length,
    toolDoubles: trial.toolDoubles.length,
    goal: "0 lost, 0 doubled unmarked, 0 tools run twice",
    reached: trial.lost.length + trial.doubled.length + trial.toolDoubles.length === 0,
  });
}
