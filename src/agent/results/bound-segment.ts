import type { ToolResult } from "#src/domain/message";
import { type ResultBounds, boundResult } from "../bound-result";

export interface SegmentBounds {
  readonly bounds: ResultBounds;
  /** Characters that other results of the same answer have already. */
  readonly usedChars: number;
  /** Longest result of a tool that says so itself, such as one that reads a file a part at a time. */
  readonly ownMaxChars: (toolName: string) => number | undefined;
  /** Saves a result whole and says where. */
  readonly spill: (result: ToolResult) => Promise<string>;
}

/**
 * Keeps the results that are committed together within their bounds: each within its own, and all of them within what is
 * left of their answer's. For that the longest are spilled first, so that many short ones stay whole beside one long
 * one; a tool that bounds itself is never spilled, or its results could not be read at all. Never throws.
 */
export async function boundSegment(
  given: readonly ToolResult[],
  segment: SegmentBounds,
): Promise<readonly ToolResult[]> {
  const { bounds, ownMaxChars, spill } = segment;
  const alone = { ...bounds, turnMaxChars: Number.POSITIVE_INFINITY };
  const results = await Promise.all(
    given.map((result) =>
      boundResult(result, { ...alone, maxChars: ownMaxChars(result.name) ?? bounds.maxChars }, 0, spill),
    ),
  );
  const spillable = results
    .map((result, index) => ({ result, index }))
    .filter(({ result, index }) => result === given[index] && ownMaxChars(result.name) === undefined)
    .filter(({ result }) => result.content.length > bounds.previewChars)
    .toSorted((a, b) => b.result.content.length - a.result.content.length);
  let total = segment.usedChars + results.reduce((sum, result) => sum + result.content.length, 0);
  for (const { result, index } of spillable) {
    if (total <= bounds.turnMaxChars) break;
    const short = await boundResult(result, { ...alone, maxChars: bounds.previewChars }, 0, spill);
    results[index] = short;
    total -= result.content.length - short.content.length;
  }
  return results;
}
