import type { Effort } from "./model-metadata";

const ORDER: readonly Effort[] = ["none", "minimal", "low", "medium", "high", "xhigh"];

/** The effort that a model takes and that is nearest to what was asked for, the lower of two; undefined if it takes none. */
export function nearestEffort(asked: Effort, taken: readonly Effort[]): Effort | undefined {
  const rank = ORDER.indexOf(asked);
  const byDistance = taken.toSorted(
    (a, b) =>
      Math.abs(ORDER.indexOf(a) - rank) - Math.abs(ORDER.indexOf(b) - rank) || ORDER.indexOf(a) - ORDER.indexOf(b),
  );
  return byDistance.find((effort) => effort !== "none" || asked === "none") ?? byDistance[0];
}
