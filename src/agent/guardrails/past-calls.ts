import type { Message, ToolCall, ToolResult } from "#src/domain/message";

/** One call of a turn with what it gave back, as the guards count it. */
export interface PastCall {
  readonly name: string;
  /** The same for calls that ask for the same. */
  readonly signature: string;
  readonly isError: boolean;
  /** The result without what differs between two equal ones. */
  readonly outcome: string;
  /** A guard kept it from running. */
  readonly isBlocked: boolean;
  /** The row of the answer that asked for it; -1 when it is not known. */
  readonly answer: number;
}

/** Stands before what a guard adds to a result, or says instead of one. */
export const GUARD_MARK = "[Loop guard]";

/** A call that was settled. */
export function pastCall(call: ToolCall, result: Pick<ToolResult, "content" | "isError">, answer: number): PastCall {
  return {
    answer,
    name: call.name,
    signature: signatureOf(call.name, call.arguments),
    isError: result.isError === true,
    outcome: outcomeOf(result.content),
    // what a tool read may begin with the mark too
    isBlocked: result.isError === true && result.content.startsWith(`${GUARD_MARK} Not run`),
  };
}

/** The settled calls of a turn, oldest first, read from its rows: so a restart forgets nothing. */
export function pastCalls(rows: readonly Message[], turnId: number): readonly PastCall[] {
  const open = new Map<string, { readonly call: ToolCall; readonly answer: number }>();
  const past: PastCall[] = [];
  for (const row of rows) {
    if (row.turnId !== turnId) continue;
    for (const call of row.toolCalls ?? []) open.set(call.id, { call, answer: row.id });
    for (const result of row.toolResults ?? []) {
      const asked = open.get(result.callId);
      if (asked === undefined) continue;
      open.delete(result.callId);
      past.push(pastCall(asked.call, result, asked.answer));
    }
  }
  return past;
}

/** A call's name and arguments as one text, the same however the model ordered and spaced them. */
export function signatureOf(name: string, args: string): string {
  return `${name} ${canonical(args)}`;
}

function canonical(args: string): string {
  try {
    return JSON.stringify(JSON.parse(args.trim() === "" ? "{}" : args), (_, value: unknown) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    );
  } catch {
    return args.trim();
  }
}

/** A warning of ours, and the name of the file that a long result was saved in, differ where nothing else does. */
function outcomeOf(content: string): string {
  const at = content.indexOf(`\n\n${GUARD_MARK}`);
  return (at === -1 ? content : content.slice(0, at)).replace(/ is saved as \S+;/, " is saved;");
}
