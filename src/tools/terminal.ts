import * as z from "zod";
import type { ProcessRecord } from "#src/domain/process";
import type { ExecResult, ToolContext, ToolOutcome } from "#src/domain/tool";
import { cutMiddle } from "#src/lib/cut-middle";
import { stripAnsi } from "#src/lib/strip-ansi";
import { defineTool, failure } from "./define-tool";

/** What the model reads of a command's output. */
const MAX_OUTPUT_BYTES = 50_000;
const MAX_OUTPUT_LINES = 2000;

const DEFAULT_TIMEOUT_SECONDS = 180;
const MAX_TIMEOUT_SECONDS = 3600;
const MAX_PATTERNS = 20;

const schema = z.object({
  command: z.string().min(1).describe("The bash command or script"),
  timeout: z
    .int()
    .min(1)
    .max(MAX_TIMEOUT_SECONDS)
    .optional()
    .describe(`Seconds after which it is stopped; ${DEFAULT_TIMEOUT_SECONDS}, or never in the background`),
  workdir: z.string().min(1).optional().describe("Directory for this command alone; the shell's own stays"),
  background: z.boolean().default(false).describe("Start it and go on; look after it with the process tool"),
  pty: z.boolean().default(false).describe("Run it in a terminal of its own, for programs that want one"),
  notify_on_complete: z.boolean().default(false).describe("background: tell me in a message when it has ended"),
  watch_patterns: z
    .array(z.string().min(1).max(500))
    .max(MAX_PATTERNS)
    .default([])
    .describe("background: tell me in a message when a line it prints has one of these texts"),
});

type Args = z.output<typeof schema>;

/** Runs a shell command in the workspace. */
export const terminal = defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command in the workspace. Directory, variables and functions last from one command to the next. " +
    "Unless the workspace has a real shell, this is a simulated bash with the usual text tools (grep, sed, awk, jq, " +
    "sort, find, gzip, ...), without network, package managers, language runtimes or background processes, and a " +
    "command is stopped after 30 seconds, or after about 2 seconds of pure computation. To read, write, edit or search " +
    "files, use the file tools. Answers JSON: output (stdout, then stderr), exit_code, cwd; in the background the " +
    "process_id.",
  schema,
  effect: "idempotent",
  parallel: "never",
  async execute(args, context) {
    if (args.background) return startInBackground(args, context);
    if (args.notify_on_complete || args.watch_patterns.length > 0)
      return failure("notify_on_complete and watch_patterns are for commands with background: true.");
    return runToEnd(args, context);
  },
});

async function runToEnd({ command, timeout, workdir, pty }: Args, context: ToolContext): Promise<ToolOutcome> {
  const { workspace, callKey, signal, shapeOutput, onProgress } = context;
  const result = await workspace.exec(command, {
    key: callKey,
    timeoutMs: (timeout ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    signal,
    ...(workdir === undefined ? {} : { workdir }),
    ...(pty ? { isTerminal: true } : {}),
    ...(onProgress === undefined ? {} : { onOutput: (text: string) => onProgress(stripAnsi(text)) }),
  });
  const { exitCode, cwd } = result;
  const printed = outputOf(result);
  const output = (await shapeOutput?.({ command, output: printed, exitCode, cwd })) ?? printed;
  return { content: JSON.stringify(answerOf(result, output)) };
}

async function startInBackground(args: Args, context: ToolContext): Promise<ToolOutcome> {
  const { processes } = context.workspace;
  if (processes === undefined) return failure("Nothing can run in the background of this workspace.");
  const { command, timeout, workdir, pty, notify_on_complete: tellsEnd, watch_patterns: watch } = args;
  const started = await processes.start(command, {
    key: context.callKey,
    sessionKey: context.sessionKey,
    isTerminal: pty,
    tellsEnd,
    watch,
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
    ...(workdir === undefined ? {} : { workdir }),
  });
  return { content: JSON.stringify(startedAnswer(started, tellsEnd || watch.length > 0)) };
}

function startedAnswer({ id, status, exitCode, tail }: ProcessRecord, isWatched: boolean) {
  const hint = isWatched
    ? "A message will tell you; there is no need to wait."
    : "Look after it with the process tool.";
  return {
    process_id: id,
    status,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(tail === "" ? {} : { output: shownOutput(tail) }),
    ...(status === "running" ? { hint } : {}),
  };
}

/** Both streams as one text. */
function outputOf({ stdout, stderr }: ExecResult): string {
  const gap = stdout === "" || stderr === "" || stdout.endsWith("\n") ? "" : "\n";
  return stdout + gap + stderr;
}

/** Output as a model reads it: without colours, and with its middle left out when it is long. */
export function shownOutput(output: string): string {
  return cutMiddle(stripAnsi(output), { maxBytes: MAX_OUTPUT_BYTES, maxLines: MAX_OUTPUT_LINES });
}

function answerOf({ exitCode, timedOut, cwd, notes = [] }: ExecResult, output: string) {
  return {
    output: shownOutput(output),
    exit_code: exitCode,
    cwd,
    ...(timedOut
      ? { error: "The command did not end in time and was stopped. What it had done until then stays done." }
      : {}),
    ...(notes.length === 0 ? {} : { notes }),
  };
}
