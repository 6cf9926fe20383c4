import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { JsonObject } from "#src/domain/json";
import type { Processes } from "#src/domain/process";
import type { ToolContext } from "#src/domain/tool";
import { wait } from "#src/lib/abortable";
import { toHex, utf8 } from "#src/lib/encoding";
import { defineTool, failure } from "./define-tool";
import { type RunnerMessage, answerLine, pythonProgram, readRunnerLine } from "./running-code/python-runner";
import { shownOutput } from "./terminal";

const MAX_CALLS = 50;
const TIMEOUT_MS = 300_000;

/** Tools that a script may call. */
const CALLABLE: ReadonlySet<string> = new Set(["read_file", "write_file", "search_files", "patch", "terminal"]);

const LOG_BYTES = 256 * 1024;
const MIN_POLL_MS = 50;
const MAX_POLL_MS = 500;

/** Runs Python that can call the agent's tools. */
export const executeCode = defineTool({
  name: "execute_code",
  toolset: "code_execution",
  description:
    "Run a Python script on the workspace's machine that can call the tools read_file, write_file, search_files, patch " +
    "and terminal as functions of these names (`from hermes_tools import terminal`): for loops over tools, and for what " +
    "should be worked out before it is read. A tool's answer is its text, or a dict where it is JSON; a failure raises " +
    `ToolError. At most ${MAX_CALLS} tool calls and ${TIMEOUT_MS / 1000} seconds; only what is printed comes back, 50 KB ` +
    "of it. Needs a real shell with python3. Answers JSON.",
  schema: z.object({ code: z.string().min(1).max(200_000).describe("The Python script") }),
  effect: "idempotent",
  parallel: "never",
  async execute({ code }, context) {
    const { workspace, callKey, sessionKey, signal, shapeOutput } = context;
    const { processes } = workspace;
    if (processes === undefined) return failure("execute_code needs a real shell, which this workspace has not.");
    const path = `/workspace/.talaria/code/${await nameOf(callKey)}.py`;
    const command = `exec python3 -u "$WORKSPACE/${path.slice("/workspace/".length)}"`;
    const startedAt = context.now();
    // the same under the same key: after a crash it is found again, wherever it is
    await workspace.writeFile(path, utf8(pythonProgram(code)), `${callKey}#script`);
    const options = { isTerminal: false, tellsEnd: false, watch: [], timeoutMs: TIMEOUT_MS };
    const { id } = await processes.start(command, { key: `${callKey}#run`, sessionKey, ...options });
    const end = await drive(context, processes, id).catch(async (error: unknown) => {
      if (signal.aborted) await processes.kill(sessionKey, id).catch(() => undefined);
      throw error;
    });
    await workspace.removeFile(path, `${callKey}#tidy`);
    const { exitCode, calls } = end;
    const cwd = "/workspace";
    const output = (await shapeOutput?.({ command: code, output: end.output, exitCode, cwd })) ?? end.output;
    return {
      content: JSON.stringify({
        output: shownOutput(output),
        exit_code: exitCode,
        tool_calls: calls,
        seconds: Math.round((context.now() - startedAt) / 1000),
        ...problemOf(exitCode),
      }),
    };
  },
});

function problemOf(exitCode: number): { readonly error?: string } {
  if (exitCode === 124) return { error: `The script did not end within ${TIMEOUT_MS / 1000} seconds and was stopped.` };
  if (exitCode === 127) return { error: "This machine has no python3." };
  return {};
}

async function nameOf(key: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", utf8(key)))).slice(0, 24);
}

interface End {
  readonly output: string;
  readonly exitCode: number;
  readonly calls: number;
}

type RunnerCall = Extract<RunnerMessage, { t: "call" }>;

/**
 * Reads what the script says from its log, and answers its calls. A script waits for each of them, so only the last one
 * of the log can be open: one that was answered in an earlier life is answered again, and the script passes that by.
 */
async function drive(context: ToolContext, processes: Processes, id: string): Promise<End> {
  const { sessionKey, signal, onProgress } = context;
  let offset = 0;
  let rest = "";
  let output = "";
  let calls = 0;
  let answered = 0;
  let open: RunnerCall | undefined;
  for (let pollMs = MIN_POLL_MS; ;) {
    const part = await processes.log(sessionKey, id, { offset, limit: LOG_BYTES });
    offset = part.nextOffset;
    const lines = (rest + part.text).split("\n");
    rest = lines.pop() ?? "";
    for (const message of lines.flatMap((line) => readRunnerLine(line) ?? [])) {
      if (message.t === "out") output += message.text;
      if (message.t === "call") open = message;
    }
    if (part.text !== "" && output !== "") onProgress?.(output.slice(-1000));
    if (part.isEnd) {
      const { exitCode = 1 } = await processes.find(sessionKey, id);
      return {
        output: output + (rest.startsWith("\u001E") ? "" : rest),
        exitCode,
        calls: Math.max(calls, open?.n ?? 0),
      };
    }
    const isAtEnd = utf8(part.text).length < LOG_BYTES / 2;
    if (open !== undefined && open.n > answered && isAtEnd) {
      calls = open.n;
      await answerCall(context, processes, id, open);
      answered = open.n;
      pollMs = MIN_POLL_MS;
    } else {
      await wait(pollMs, signal);
      pollMs = part.text === "" ? Math.min(pollMs * 1.5, MAX_POLL_MS) : MIN_POLL_MS;
    }
  }
}

async function answerCall(context: ToolContext, processes: Processes, id: string, call: RunnerCall): Promise<void> {
  const text = answerLine(call.n, await resultOf(context, call));
  const write = (key: string): Promise<void> =>
    processes.write(context.sessionKey, id, { text, closes: false, key: `${context.callKey}#answer${key}` });
  try {
    await write(`${call.n}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    // whether it came is not known: the script passes a second one by
    if (error.code === "unconfirmed") await write(`${call.n}-again`);
    // it has ended meanwhile: its log says how
    else if (error.code !== "conflict") throw error;
  }
}

async function resultOf({ callTool, signal }: ToolContext, { name, args, n }: RunnerCall) {
  if (!CALLABLE.has(name)) return { content: `A script cannot call ${name}.`, isError: true };
  if (n > MAX_CALLS) return { content: `A script may call tools ${MAX_CALLS} times.`, isError: true };
  if (callTool === undefined) return { content: "Tools cannot be called from scripts here.", isError: true };
  if (args["background"] === true) return { content: "A script runs commands in the foreground.", isError: true };
  signal.throwIfAborted();
  // it came as JSON
  return callTool(name, args as JsonObject, n);
}
