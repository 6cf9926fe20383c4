import type { Message } from "#src/domain/message";
import type { TurnRecord } from "#src/domain/turn";
import type { TurnHooks } from "./turn-hooks";

const WORD_EVENTS = ["session.start", "prompt.submit", "turn.start", "turn.context"] as const;

/** A turn's words that no hook has seen yet; none where no hook wants to see them. */
export function newWords(
  turn: Pick<TurnRecord, "id" | "isPrepared">,
  prepared: ReadonlySet<number>,
  rows: readonly Message[],
  hooks: Pick<TurnHooks, "listens">,
): readonly Message[] {
  if (!WORD_EVENTS.some((event) => hooks.listens(event))) return [];
  const own = rows.filter((row) => row.turnId === turn.id);
  const said = own.filter(isSaid);
  const answered = own.findLast(isAnswer)?.id ?? 0;
  return said.filter((row) => {
    if (prepared.has(row.id)) return false;
    // what stands before an answer was prepared before it was given
    return row === said[0] ? turn.isPrepared !== true : row.id > answered;
  });
}

/** Whether a row holds what a person said to the model. */
export function isSaid(row: Message): boolean {
  return row.role === "user" && (row.kind === "chat" || row.kind === "steer");
}

/** Something that the model said, and not a note or a summary beside it. */
function isAnswer(row: Message): boolean {
  return row.role === "assistant" && (row.kind === "chat" || row.kind === "partial");
}
