import type { Message, ToolCall } from "#src/domain/message";

/**
 * The calls of an answer under ids that no other call of the conversation has: results are paired by them, and an
 * idempotent tool drops what comes under a key that it has seen. What is distinct already stays as it is.
 */
export function distinctCalls(calls: readonly ToolCall[], rows: readonly Message[]): readonly ToolCall[] {
  const taken = new Set(rows.flatMap((row) => (row.toolCalls ?? []).map((call) => call.id)));
  return calls.map((call) => {
    const id = freeId(call.id, taken);
    taken.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

function freeId(id: string, taken: ReadonlySet<string>): string {
  // an empty id pairs with nothing
  if (id !== "" && !taken.has(id)) return id;
  let n = taken.size + 1;
  while (taken.has(`${id || "call"}_${n}`)) n++;
  return `${id || "call"}_${n}`;
}
