import { expect, it } from "vitest";
import { runKillTrial } from "../support/kill-trial.ts";

it("answers every accepted message once, and runs every tool at most once, across ten kills at random points", async () => {
  const trial = await runKillTrial({ kills: 10, seed: 20261121 });
  expect(trial.lost).toEqual([]);
  expect(trial.doubled).toEqual([]);
  expect(trial.toolDoubles).toEqual([]);
  expect(trial.accepted).toBeGreaterThan(4);
  expect(trial.toolRuns).toBeGreaterThan(0);
}, 240_000);
