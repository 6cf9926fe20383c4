import type { Message } from "#src/domain/message";

/**
 * Where a conversation may be cut: for each index whether everything before it makes sense without what follows. A call
 * is never parted from its results, nor a steering word from the result it rides on, and an answer whose calls are
 * still open is not parted from them. The index behind the last row is one of them.
 */
export function splitPoints(rows: readonly Message[]): readonly boolean[] {
  const points: boolean[] = [];
  let open = new Set<string>();
  for (const row of rows) {
    // an answer or a turn that comes after calls without results: nobody will answer those any more
    if (row.role === "assistant" && row.kind !== "note") open = new Set();
    const isAttached = row.role === "tool" || row.kind === "steer" || row.kind === "answer";
    points.push(open.size === 0 && !isAttached);
    for (const call of row.toolCalls ?? []) open.add(call.id);
    for (const result of row.toolResults ?? []) open.delete(result.callId);
  }
  points.push(open.size === 0);
  return points;
}

/** The nearest place to cut at or before an index; 0 is always one. */
export function splitBefore(points: readonly boolean[], index: number): number {
  let at = Math.min(index, points.length - 1);
  while (at > 0 && points[at] !== true) at--;
  return at;
}

/** The nearest place to cut at or after an index, or undefined when there is none. */
export function splitAfter(points: readonly boolean[], index: number): number | undefined {
  const at = points.findIndex((isPoint, place) => place >= index && isPoint);
  return at === -1 ? undefined : at;
}
