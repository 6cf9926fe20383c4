import type { HookResult, HookTarget } from "#src/domain/hook";
import type { HookCommand, HookCommandResult } from "#src/domain/hook-command";
import type { JsonObject, JsonValue } from "#src/domain/json";
import { splitArgv } from "../split-argv";
import { type HookCall, type HookTransport, failedResult, timedOutAfter } from "./transport";

type CommandTarget = Extract<HookTarget, { type: "command" }>;

/** Longest that each stream of a command may be, in bytes. */
const MAX_OUTPUT_BYTES = 1024 * 1024;

export interface CommandPorts {
  /** Runs a command in the sidecar; `unavailable` where there is none. @throws when it cannot be reached */
  readonly exec: (request: HookCommand, signal: AbortSignal) => Promise<HookCommandResult | "unavailable">;
  /** SHA-256, hex, of the script that was approved for a hook; undefined when none was pinned. */
  readonly pinOf: (hookId: string) => string | undefined;
}

/** Runs hooks that are commands, in the sidecar. */
export function commandTransport({ exec, pinOf }: CommandPorts): HookTransport<CommandTarget> {
  return {
    type: "command",
    async call(call, target) {
      const request = requestOf(call, target, pinOf(call.hook.id));
      if (request === undefined) return failedResult("exec", "the command line has an open quote");
      const answer = await exec(request, call.signal());
      return answer === "unavailable"
        ? failedResult("exec", "no sidecar to run commands in", { code: "hook.unavailable" })
        : resultOfExec(answer, call.timeoutMs);
    },
  };
}

function requestOf(call: HookCall, target: CommandTarget, sha256: string | undefined): HookCommand | undefined {
  const argv = target.shell === undefined ? (target.argv ?? splitArgv(target.command)) : undefined;
  if (target.shell === undefined && (argv === undefined || argv.length === 0)) return undefined;
  const { cwd } = call.occurrence.common;
  const script = argv?.findLast((word) => word.includes("/")) ?? argv?.[0];
  return {
    ...(target.shell === undefined ? {} : { shell: target.shell }),
    ...(argv === undefined ? {} : { argv }),
    stdin: call.body(),
    env: environmentOf(call),
    ...(cwd === undefined ? {} : { cwd }),
    timeout_ms: call.timeoutMs,
    max_output: MAX_OUTPUT_BYTES,
    ...(sha256 === undefined || script === undefined ? {} : { script: { path: script, sha256 } }),
  };
}

/** The variables of all dialects: a script reads those of its own. None of ours, and no secret, is among them. */
function environmentOf({ hook, occurrence, payload }: HookCall): Readonly<Record<string, string>> {
  const { session_id, cwd = "" } = occurrence.common;
  const path = filePathIn(payload["tool_input"]);
  return {
    HOOK_EVENT: hook.nativeEvent,
    SESSION_ID: session_id,
    PROJECT_DIR: cwd,
    CLAUDE_PROJECT_DIR: cwd,
    ...(path === undefined ? {} : { FILE_PATH: path }),
  };
}

function filePathIn(input: JsonValue | undefined): string | undefined {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return undefined;
  const { file_path, path: plain } = input as JsonObject;
  const path = file_path ?? plain;
  return typeof path === "string" ? path : undefined;
}

/** What an exec envelope means, wherever it came from. */
export function resultOfExec(envelope: HookCommandResult, timeoutMs: number): HookResult {
  const { stdout, stderr, error } = envelope;
  const durationMs = envelope.duration_ms ?? 0;
  if (error === "hash_mismatch" || (envelope.exit_code === 126 && stderr.includes("hash_mismatch"))) {
    return failedResult("exec", "its script changed since approval", { code: "hook.tampered", durationMs });
  }
  if (error !== undefined) return failedResult("exec", error, { stderr, durationMs });
  if (envelope.timed_out === true || envelope.exit_code === 124) {
    const why = timedOutAfter(timeoutMs);
    return { exit: 124, stdout, stderr, via: "exec", code: "hook.timeout", why, durationMs };
  }
  return { exit: envelope.exit_code ?? 1, stdout, stderr, via: "exec", durationMs };
}
