import { vi } from "vitest";

/** Waits until a check holds and answers what it gave: long enough for the slowest machine, asking often. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000, interval: 20 });
}
