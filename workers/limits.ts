/** Counts within the current minute, by key. Lives in one isolate: a guard before an object wakes, not an account. */
export interface MinuteCounter {
  /** Adds one and returns how many this minute has seen, this one included. */
  add(key: string, now: number): number;
}

/** Keys remembered at the most; the oldest go first. */
const MAX_KEYS = 10_000;

export function createMinuteCounter(): MinuteCounter {
  let minute = 0;
  const counts = new Map<string, number>();
  return {
    add(key, now) {
      const current = Math.floor(now / 60_000);
      if (current !== minute || counts.size > MAX_KEYS) counts.clear();
      minute = current;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      return count;
    },
  };
}
