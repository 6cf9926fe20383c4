import type { ToolCall, ToolResult } from "#src/domain/message";
import { repairArguments } from "./repair-arguments";
import { repairName } from "./repair-name";

/** Characters that stay of arguments that were cut off. */
const BEGINNING_CHARS = 200;

/** The calls of an answer as they are to be run. */
export interface RepairedCalls {
  readonly calls: readonly ToolCall[];
  /** Calls whose arguments end in the middle. */
  readonly cut: readonly ToolCall[];
}

/**
 * Puts the calls of an answer right where there is no doubt: names and arguments. With `isCut` the
 * answer ended at its length limit: then a call with broken arguments is half a call, and nothing of it is guessed.
 * Calls that stay wrong are left as they are; running them tells the model what is wrong.
 */
export function repairCalls(given: readonly ToolCall[], toolNames: readonly string[], isCut: boolean): RepairedCalls {
  const calls: ToolCall[] = [];
  const cut: ToolCall[] = [];
  for (const call of given) {
    const name = repairName(call.name, toolNames) ?? call.name;
    const args = isCut && !isJson(call.arguments) ? undefined : repairArguments(call.arguments);
    const repaired =
      name === call.name && args === call.arguments ? call : { ...call, name, arguments: args ?? call.arguments };
    const isHalf = isCut && args === undefined;
    const settled = isHalf ? { ...repaired, arguments: beginningOf(repaired.arguments) } : repaired;
    calls.push(settled);
    if (isHalf) cut.push(settled);
  }
  return { calls, cut };
}

/** What the model reads of a call that it could not write to its end, twice. */
export function cutCallResult(call: ToolCall): ToolResult {
  return {
    callId: call.id,
    name: call.name,
    content: `Not run: the arguments of ${call.name} were cut off by the output limit. Do it in several smaller calls: create the file with its first part, then add the other parts one by one.`,
    isError: true,
  };
}

/** Stays broken on purpose: a crash before its error is committed must not make it a call that can run. */
function beginningOf(args: string): string {
  return `${args.slice(0, BEGINNING_CHARS).toWellFormed()}… [cut off]`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.trim() === "" ? "{}" : text);
    return true;
  } catch {
    return false;
  }
}
