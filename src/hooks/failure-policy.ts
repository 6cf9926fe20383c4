import type { HookDecision } from "#src/domain/hook-event";
import type { Hook, HookFailurePolicy } from "#src/domain/hook";

/** Longest part of a command's stderr that a person is shown as the reason of a question, in characters. */
const MAX_STDERR_CHARS = 400;

/** A call that came to nothing. */
export interface HookFailure {
  readonly isTimeout: boolean;
  /** The end of "failed closed: ". */
  readonly why: string;
  readonly stderr: string;
}

/** What the hook's own settings make of a failure; undefined when the event goes on without it. */
export function decideFailure(hook: Hook, failure: HookFailure): HookDecision | undefined {
  const policy: HookFailurePolicy = failure.isTimeout ? hook.onTimeout : hook.onError;
  if (policy === "allow") return undefined;
  const sentence = `hook ${hook.name} failed closed: ${failure.why}`;
  if (policy === "deny") return { decision: "deny", reason: sentence };
  const stderr = failure.stderr.trim().slice(0, MAX_STDERR_CHARS);
  return { decision: "ask", reason: stderr === "" ? sentence : stderr };
}

/** Whether nothing may pass when the hook cannot be asked. */
export function isFailClosed(hook: Hook): boolean {
  return hook.onError === "deny";
}
