import type { ToolResult } from "#src/domain/message";

export interface ResultBounds {
  /** Longest result in characters. */
  readonly maxChars: number;
  /** Characters that all results of a turn may have together. */
  readonly turnMaxChars: number;
  /** Characters kept of a result that is spilled. */
  readonly previewChars: number;
}

/**
 * Keeps a result within its own bound and what is left of the turn's. What is too long is saved whole by `spill`, and
 * the model gets its beginning and where the rest is. Never throws: when nothing can be saved, the rest is lost, and
 * the result says so.
 */
export async function boundResult(
  result: ToolResult,
  bounds: ResultBounds,
  usedChars: number,
  spill: (result: ToolResult) => Promise<string>,
): Promise<ToolResult> {
  const room = Math.min(bounds.maxChars, Math.max(bounds.previewChars, bounds.turnMaxChars - usedChars));
  if (result.content.length <= room) return result;
  const where = await spill(result).then(
    (path) => `The whole of it is saved as ${path}; read it with read_file, a part at a time.`,
    () => "The rest could not be saved.",
  );
  const preview = result.content.slice(0, Math.min(bounds.previewChars, room)).toWellFormed();
  return { ...result, content: `${preview}\n\n[${result.content.length} characters, cut here. ${where}]` };
}
