import type { Message } from "#src/domain/message";
import type { ModelMessage } from "#src/domain/provider";
import { clearOldResults } from "./clear-results";
import type { CompactionState } from "./compaction-state";
import { renderSummary } from "./summary-text";

/**
 * A conversation as the model reads it: its beginning, the summary in the place of what it covers, the person's latest
 * words, and the end. `read` turns rows into messages. What was never compacted is given to it untouched, and the same
 * rows with the same state always give the same bytes.
 */
export function viewCompacted(
  rows: readonly Message[],
  state: CompactionState,
  read: (rows: readonly Message[]) => readonly ModelMessage[],
): readonly ModelMessage[] {
  const { summary, clearedTo } = state;
  const shown = clearedTo === undefined ? rows : clearOldResults(rows, clearedTo);
  if (summary === undefined) return read(shown);
  const head = shown.filter((row) => row.id < summary.fromId);
  const later = shown.filter((row) => row.id > summary.toId || summary.shownIds.includes(row.id));
  return joinAround(read(head), renderSummary(summary), read(later));
}

/**
 * Rows that a view still needs of a conversation: what no summary covers, and what is shown all the same. A running
 * turn's own rows stay whole, for the turn counts its steps by them.
 */
export function neededRows(rows: readonly Message[], state: CompactionState, turnId?: number): readonly Message[] {
  const { summary } = state;
  if (summary === undefined) return rows;
  return rows.filter(
    ({ id, turnId: of }) => id < summary.fromId || id > summary.toId || of === turnId || summary.shownIds.includes(id),
  );
}

/** Puts a summary between messages so that no two of the same role become neighbours by it. */
function joinAround(head: readonly ModelMessage[], summary: string, later: readonly ModelMessage[]): ModelMessage[] {
  const before = head.at(-1)?.role;
  const next = later[0];
  if (before === "user") {
    if (next?.role === "user") return [...head, { role: "assistant", content: summary }, ...later];
    return [...head.slice(0, -1), ...head.slice(-1).map((last) => withText(last, summary, "after")), ...later];
  }
  if (next?.role === "user") return [...head, withText(next, summary, "before"), ...later.slice(1)];
  return [...head, { role: "user", content: summary }, ...later];
}

function withText(message: ModelMessage, text: string, where: "before" | "after"): ModelMessage {
  if (message.role !== "user") return message;
  const { content } = message;
  if (typeof content === "string") {
    return { role: "user", content: where === "before" ? `${text}\n\n${content}` : `${content}\n\n${text}` };
  }
  const part = { type: "text" as const, text };
  return { role: "user", content: where === "before" ? [part, ...content] : [...content, part] };
}
