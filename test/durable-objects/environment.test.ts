import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { environmentFor } from "../../durable-objects/environment";
import { openWorld } from "../support/world";
import { until } from "../support/until";
import { gate } from "./session-driver";

beforeEach(() => {
  openWorld();
});
afterEach(() => {
  vi.restoreAllMocks();
});

it("does not keep what it read of a profile that changed while it read", async () => {
  const profile = "changing";
  const real = env.PROFILES.getByName(profile);
  const held = gate();
  const asked: unknown[] = [];
  vi.spyOn(env.PROFILES, "getByName").mockImplementation(
    () =>
      ({
        async snapshot(version: number | undefined, deployment: string | undefined) {
          asked.push(version);
          const snapshot = await real.snapshot(version, deployment);
          if (asked.length === 1) await held.opened;
          return snapshot;
        },
      }) as unknown as typeof real,
  );
  const first = environmentFor(env, profile);
  await until(() => expect(asked).toHaveLength(1));
  await real.setRuntime({ "agent.max_turns": 7 });
  environmentFor.forget(profile, Number.POSITIVE_INFINITY);
  held.open();
  await first;
  expect((await environmentFor(env, profile)).limits.maxSteps).toBe(7);
  await environmentFor(env, profile);
  expect(asked).toHaveLength(2);
});
