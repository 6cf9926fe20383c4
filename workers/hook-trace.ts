import type { HookTrace } from "#src/domain/turn";
import { readHookDepth } from "#src/hooks/http/headers";

/** Longest id of a hook in characters. */
const MAX_ID_CHARS = 500;

/**
 * What a request says of the hook that it comes from: whoever is called by a hook and calls back gives its headers back.
 * Undefined for everybody else. `isOperator`: the operator's token came with it.
 */
export function readHookTrace(headers: Headers, isOperator: boolean): HookTrace | undefined {
  const told = headers.get("x-agent-hook-depth");
  const hookId = readId(headers.get("x-agent-hook-hook-id") ?? headers.get("x-agent-hook-id"));
  if ((told === null || told.trim() === "0") && hookId === undefined) return undefined;
  // a depth that cannot be read is a depth all the same
  const depth = Math.max(readHookDepth(headers), 1);
  return { depth, ...(isOperator ? {} : { isClaimed: true }), ...(hookId === undefined ? {} : { hookId }) };
}

function readId(written: string | null): string | undefined {
  if (written === null || written === "" || written.length > MAX_ID_CHARS) return undefined;
  try {
    return decodeURIComponent(written);
  } catch {
    return written;
  }
}
