import type { Hook, HookResult, HookTarget } from "#src/domain/hook";
import type { HookOccurrence } from "#src/domain/hook-event";
import type { JsonObject } from "#src/domain/json";

/** One call to one hook, as every transport needs it. */
export interface HookCall {
  readonly hook: Hook;
  readonly occurrence: HookOccurrence;
  /** What the hook is handed, in the words of its dialect. */
  readonly payload: JsonObject;
  /** The payload as the JSON text that is sent; made once, and only for those who send it. */
  readonly body: () => string;
  /** `decision`: the event waits for the answer. `observe`: nobody does. */
  readonly mode: "decision" | "observe";
  /** 1 for the first try. */
  readonly attempt: number;
  /** How many hooks deep lies what this hook may cause in turn: 1 for the hook of what a person or the agent did. */
  readonly depth: number;
  readonly timeoutMs: number;
  /** Epoch milliseconds after which the answer is useless. */
  readonly deadlineAt: number;
  /** Aborts when time is up. Made when first asked for: most module calls never need it. */
  readonly signal: () => AbortSignal;
}

/** A way to reach a hook. `call` may throw: whoever calls makes a result of it. */
export interface HookTransport<Target extends HookTarget = HookTarget> {
  readonly type: Target["type"];
  call(call: HookCall, target: Target): HookResult | Promise<HookResult>;
}

/** A result of a call that never reached the hook, or got nothing from it. */
export function failedResult(
  via: HookResult["via"],
  why: string,
  rest: Partial<Pick<HookResult, "exit" | "code" | "stderr" | "durationMs">> = {},
): HookResult {
  return { exit: 1, stdout: "", stderr: "", via, why, code: "hook.exception", durationMs: 0, ...rest };
}

/** How a time-out reads at the end of "failed closed: ". */
export function timedOutAfter(timeoutMs: number): string {
  return `timed out after ${Number((timeoutMs / 1000).toFixed(3))}s`;
}
