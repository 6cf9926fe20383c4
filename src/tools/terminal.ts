import * as z from "zod";
import type { ExecResult } from "#src/domain/tool";
import { cutMiddle } from "#src/lib/cut-middle";
import { stripAnsi } from "#src/lib/strip-ansi";
import { defineTool } from "./define-tool";

/** What the model reads of a command's output. */
const MAX_OUTPUT_BYTES = 50_000;
const MAX_OUTPUT_LINES = 2000;

const DEFAULT_TIMEOUT_SECONDS = 180;

/** Runs a shell command in the workspace. */
export const terminal = defineTool({
  name: "terminal",
  toolset: "terminal",
  description:
    "Run a shell command in the workspace. Directory, variables and functions last from one command to the next; " +
    "background processes do not. Unless the workspace has a container, this is a simulated bash with the usual text " +
    "tools (grep, sed, awk, jq, sort, find, gzip, ...), without network, package managers or language runtimes, and a " +
    "command is stopped after 30 seconds, or after about 2 seconds of pure computation. To read, write, edit or search " +
    "files, use the file tools. Answers JSON: output (stdout, then stderr), exit_code, cwd.",
  schema: z.object({
    command: z.string().min(1).describe("The bash command or script"),
    timeout: z
      .int()
      .min(1)
      .max(600)
      .default(DEFAULT_TIMEOUT_SECONDS)
      .describe("Seconds after which the command is stopped"),
    workdir: z.string().min(1).optional().describe("Directory for this command alone; the shell's own stays"),
  }),
  effect: "idempotent",
  parallel: "never",
  async execute({ command, timeout, workdir }, { workspace, callKey, signal, shapeOutput }) {
    const result = await workspace.exec(command, {
      key: callKey,
      timeoutMs: timeout * 1000,
      signal,
      ...(workdir === undefined ? {} : { workdir }),
    });
    const { exitCode, cwd } = result;
    const printed = outputOf(result);
    const output = (await shapeOutput?.({ command, output: printed, exitCode, cwd })) ?? printed;
    return { content: JSON.stringify(answerOf(result, output)) };
  },
});

/** Both streams as one text. */
function outputOf({ stdout, stderr }: ExecResult): string {
  const gap = stdout === "" || stderr === "" || stdout.endsWith("\n") ? "" : "\n";
  return stdout + gap + stderr;
}

function answerOf({ exitCode, timedOut, cwd }: ExecResult, output: string) {
  return {
    output: cutMiddle(stripAnsi(output), { maxBytes: MAX_OUTPUT_BYTES, maxLines: MAX_OUTPUT_LINES }),
    exit_code: exitCode,
    cwd,
    ...(timedOut
      ? { error: "The command did not end in time and was stopped. What it had done until then stays done." }
      : {}),
  };
}
