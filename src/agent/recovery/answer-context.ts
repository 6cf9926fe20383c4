import type { Message } from "#src/domain/message";

/** What an answer is judged by beside itself. */
export interface AnswerContext {
  /** Tools that the model was offered; none when it has to answer in words. */
  readonly toolNames: readonly string[];
  /** The model was asked right after tool results. */
  readonly isAfterTools: boolean;
  /** What the model has said beside calls that only keep its own house. */
  readonly saidBeside?: string;
  /** US dollars that one more try costs at least; absent when it is not known. */
  readonly tryCostUsd?: number;
}

/** Tools that a model calls after it has said all it has to say. */
const HOUSEKEEPING: ReadonlySet<string> = new Set(["memory", "todo", "skill_manage", "session_search"]);

/** Reads from a turn's rows what its next answer is judged by. */
export function answerContext(rows: readonly Message[], turnId: number, toolNames: readonly string[]): AnswerContext {
  const own = rows.filter((row) => row.turnId === turnId);
  const last = own.findLast((row) => row.role === "assistant" && row.toolCalls !== undefined);
  const isHousekeeping = last?.toolCalls?.every((call) => HOUSEKEEPING.has(call.name)) === true;
  const isAfterTools = own.findLast((row) => row.kind !== "note")?.role === "tool";
  const said = isAfterTools && isHousekeeping ? (last?.content.trim() ?? "") : "";
  return { toolNames, isAfterTools, ...(said === "" ? {} : { saidBeside: said }) };
}
