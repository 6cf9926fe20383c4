/** Milliseconds before the second try; doubled with each further one. */
const FIRST_WAIT_MS = 1000;
/** Longest wait between two tries that nobody asked for. */
const LONGEST_WAIT_MS = 5 * 60_000;
/** Shortest wait, also for a platform that asks for none. */
const SHORTEST_WAIT_MS = 500;

/**
 * Milliseconds to wait after the `attempt`-th failure (from 1): doubling from a second, up to half as much again at
 * random so that many chats do not return at once. What the platform asked for is the least.
 */
export function deliveryBackoffMs(attempt: number, askedMs: number | undefined, random: () => number): number {
  const growing = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return askedMs === undefined
    ? Math.round(growing * (1 + random() / 2))
    : Math.round(Math.max(askedMs, SHORTEST_WAIT_MS) + random() * 500);
}
