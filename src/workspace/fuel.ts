import type { Meter } from "#src/late/load-just-bash";

/** What the meter has while no command runs: late timers of an ended one must not throw. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** A unit is about 30 ns, and handing over a byte (copy, decode) about 4 ns. */
const BYTES_PER_UNIT = 8;

/** How much is computed, about 50 ms, before an operation waits for a moment. */
const BREATH_UNITS = 2_000_000;

/** What one command may compute. Taken from the isolate's one meter while the command has the thread. */
export interface Fuel {
  /** Makes the meter this command's own: at its start, and each time it goes on after a wait. */
  take(): void;
  /** Gives the meter back. Returns whether the command had used up what it was given. */
  giveBack(): boolean;
  spendBytes(count: number): void;
  /** Waits for a moment when much was computed since the last wait, so that timers, aborts and others get their turn. */
  breathe(): Promise<void>;
}

let owner: { left: number } | undefined;

/** Commands of several workspaces can wait beside each other in one isolate, which has one meter: they take turns. */
export function createFuel(meter: Meter, units: number): Fuel {
  const own = { left: units };
  let breathedAt = units;

  function take(): void {
    if (owner === own) return;
    if (owner !== undefined) owner.left = meter.left;
    owner = own;
    meter.left = own.left;
  }

  return {
    take,
    giveBack: () => {
      if (owner === own) {
        own.left = meter.left;
        owner = undefined;
        meter.left = UNLIMITED;
      }
      return own.left < 0;
    },
    spendBytes: (count) => {
      meter.left -= Math.ceil(count / BYTES_PER_UNIT);
    },
    breathe: async () => {
      if (breathedAt - meter.left < BREATH_UNITS) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      setTimeout(resolve, 0);
      await promise;
      take();
      breathedAt = meter.left;
    },
  };
}
