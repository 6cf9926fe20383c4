import * as z from "zod";
import type { ProcessRecord, Processes } from "#src/domain/process";
import type { ToolContext, ToolOutcome } from "#src/domain/tool";
import { defineTool, failure } from "./define-tool";
import { shownOutput } from "./terminal";

const ACTIONS = ["list", "poll", "log", "wait", "kill", "write", "submit", "close"] as const;

const DEFAULT_LOG_BYTES = 20_000;
const MAX_LOG_BYTES = 50_000;
const DEFAULT_WAIT_SECONDS = 180;
const MAX_WAIT_SECONDS = 600;
const MAX_COMMAND_CHARS = 200;

const schema = z.object({
  action: z
    .enum(ACTIONS)
    .describe(
      "list: all of them; poll: state and last output; log: output from an offset; wait: until it ends; kill; " +
        "write: input as it is; submit: input and Enter; close: end of input",
    ),
  process_id: z.string().min(1).max(100).optional().describe("As terminal gave it; all actions but list need it"),
  data: z.string().max(100_000).optional().describe("write, submit: the input"),
  offset: z.int().min(0).optional().describe("log: byte of its output to begin at; the end of it when left out"),
  limit: z.int().min(100).max(MAX_LOG_BYTES).default(DEFAULT_LOG_BYTES).describe("log: bytes at most"),
  timeout: z
    .int()
    .min(1)
    .max(MAX_WAIT_SECONDS)
    .default(DEFAULT_WAIT_SECONDS)
    .describe("wait: seconds at most; it goes on running afterwards"),
});

type Args = z.output<typeof schema>;

interface Call extends Args {
  readonly id: string;
  readonly processes: Processes;
  readonly context: ToolContext;
}

/** Looks after background processes. */
export const process = defineTool({
  name: "process",
  toolset: "terminal",
  description:
    "Look after background processes that terminal started (background: true): see what they print, wait for them, give " +
    "them input, end them. Answers JSON.",
  schema,
  effect: "idempotent",
  parallel: "never",
  async execute(args, context) {
    const { processes } = context.workspace;
    if (processes === undefined) return failure("Nothing can run in the background of this workspace.");
    if (args.action === "list") {
      const all = await processes.list(context.sessionKey);
      return answer({ processes: all.map((one) => describe(one, context.now())) });
    }
    if (args.process_id === undefined) return failure(`${args.action} needs process_id; list shows them.`);
    return DOES[args.action]({ ...args, id: args.process_id, processes, context });
  },
});

const DOES: Readonly<Record<Exclude<Args["action"], "list">, (call: Call) => Promise<ToolOutcome>>> = {
  poll: async ({ processes, id, context }) => shown(await processes.find(context.sessionKey, id), context),
  log: readLog,
  wait: waitForEnd,
  kill: async ({ processes, id, context }) => shown(await processes.kill(context.sessionKey, id), context),
  write: async (call) => (call.data === undefined ? failure("write needs data.") : write(call, call.data, false)),
  submit: async (call) => write(call, `${call.data ?? ""}\n`, false),
  close: async (call) => write(call, "", true),
};

async function readLog({ processes, id, context, offset, limit }: Call): Promise<ToolOutcome> {
  const { sessionKey } = context;
  const start = offset ?? Math.max(0, (await processes.find(sessionKey, id)).logBytes - limit);
  const part = await processes.log(sessionKey, id, { offset: start, limit });
  return answer({
    process_id: id,
    output: shownOutput(part.text),
    offset: part.offset,
    next_offset: part.nextOffset,
    ...(part.droppedBytes === 0 ? {} : { dropped_bytes: part.droppedBytes }),
    is_end: part.isEnd,
  });
}

async function waitForEnd({ processes, id, context, timeout }: Call): Promise<ToolOutcome> {
  const { sessionKey, signal } = context;
  const found = await processes.wait(sessionKey, id, { timeoutMs: timeout * 1000, signal });
  const hint = found.status === "running" ? { hint: `It still runs after ${timeout} seconds.` } : {};
  return answer({ ...withOutput(found, context.now()), ...hint });
}

async function write({ processes, id, context }: Call, text: string, closes: boolean): Promise<ToolOutcome> {
  await processes.write(context.sessionKey, id, { text, closes, key: context.callKey });
  return answer({ process_id: id, done: closes ? "Its input has ended." : "It was given the input." });
}

function shown(found: ProcessRecord, { now }: ToolContext): ToolOutcome {
  return answer(withOutput(found, now()));
}

function withOutput(found: ProcessRecord, now: number) {
  return { ...describe(found, now), output: shownOutput(found.tail), log_bytes: found.logBytes };
}

function describe({ id, command, status, startedAt, endedAt, exitCode }: ProcessRecord, now: number) {
  const shortened =
    command.length <= MAX_COMMAND_CHARS ? command : `${command.slice(0, MAX_COMMAND_CHARS).toWellFormed()}…`;
  return {
    process_id: id,
    command: shortened,
    status,
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    seconds: Math.round(((endedAt ?? now) - startedAt) / 1000),
  };
}

function answer(value: object): ToolOutcome {
  return { content: JSON.stringify(value) };
}
