import { GatewayError } from "#src/domain/errors";
import type { ToolCall, ToolResult } from "#src/domain/message";
import type { AnyTool, Question, ToolContext, ToolOutcome } from "#src/domain/tool";
import { abortable } from "#src/lib/abortable";
import { planSegments } from "./plan-segments";

/** Calls of one answer that are run; what comes after them is refused, so that no answer can keep a turn busy for ever. */
export const MAX_CALLS_PER_ANSWER = 64;

/** What running tools needs of the world. */
export interface ToolPorts {
  readonly toolOf: (name: string) => AnyTool | undefined;
  readonly toolNames: readonly string[];
  readonly contextOf: (callKey: string, signal: AbortSignal) => ToolContext;
  /** Calls that run at the same time at the most. */
  readonly maxParallel: number;
  /** Keeps a result within its bounds, the rest of it where the model can read it. Never throws. */
  readonly bound: (result: ToolResult, tool: AnyTool | undefined) => Promise<ToolResult>;
  /** Parks the turn on a question and resolves with the person's answer, or what stands for it. */
  readonly ask: (call: ToolCall, question: Question) => Promise<string>;
  /** The answer that is being waited for since before this run, by call. */
  readonly isWaiting: (call: ToolCall) => Question | undefined;
  readonly onTool: (call: ToolCall, state: "running" | "done" | "failed") => void;
  readonly onResults: (results: readonly ToolResult[]) => void;
  readonly stopped: AbortSignal;
  readonly now: () => number;
}

/**
 * Runs the calls of one answer, segment by segment in the order the model gave them; each segment's results are
 * committed before the next begins. Never throws: what goes wrong is a result.
 *
 * `done` are the calls whose results stand already. With `interrupted`, the first segment without results may have
 * been running when a crash came: what is safe or idempotent in it runs again, the rest is reported as unknown.
 */
export async function runTools(
  calls: readonly ToolCall[],
  done: ReadonlySet<string>,
  interrupted: boolean,
  ports: ToolPorts,
): Promise<void> {
  let mayHaveRun = interrupted;
  for (const segment of planSegments(calls, ports.toolOf, { cwd: "/workspace" })) {
    const open = segment.calls.filter((index) => !done.has(calls[index]?.id ?? ""));
    if (open.length === 0) continue;
    if (segment.parallel) await runTogether(calls, open, mayHaveRun, ports);
    else await runInOrder(calls, open, mayHaveRun, ports);
    mayHaveRun = false;
  }
}

async function runTogether(
  calls: readonly ToolCall[],
  open: readonly number[],
  mayHaveRun: boolean,
  ports: ToolPorts,
): Promise<void> {
  const results = await inBatches(open, ports.maxParallel, (index) => runCall(calls, index, mayHaveRun, ports));
  ports.onResults(results);
}

/**
 * Runs calls one after the other. A question parks the turn, maybe for an hour and past the end of the process: what
 * was done before it is committed first, and its answer before anything after it begins.
 */
async function runInOrder(
  calls: readonly ToolCall[],
  open: readonly number[],
  interrupted: boolean,
  ports: ToolPorts,
): Promise<void> {
  let mayHaveRun = interrupted;
  let results: ToolResult[] = [];
  const commit = (): void => {
    if (results.length > 0) ports.onResults(results);
    results = [];
  };
  for (const index of open) {
    let hasAsked = false;
    const ask: ToolPorts["ask"] = (call, question) => {
      hasAsked = true;
      commit();
      return ports.ask(call, question);
    };
    const result = await runCall(calls, index, mayHaveRun, { ...ports, ask });
    results.push(result);
    if (!hasAsked) continue;
    commit();
    // a question that was found open stood before all that follows it
    mayHaveRun = false;
  }
  commit();
}

/** Runs at most `size` at a time and keeps the order. */
async function inBatches(
  indexes: readonly number[],
  size: number,
  run: (index: number) => Promise<ToolResult>,
): Promise<ToolResult[]> {
  const results: ToolResult[] = [];
  for (let at = 0; at < indexes.length; at += size) {
    results.push(...(await Promise.all(indexes.slice(at, at + size).map(run))));
  }
  return results;
}

async function runCall(
  calls: readonly ToolCall[],
  index: number,
  mayHaveRun: boolean,
  ports: ToolPorts,
): Promise<ToolResult> {
  const call = calls[index];
  if (call === undefined) throw new RangeError(`no call ${index}`);
  const tool = ports.toolOf(call.name);
  const startedAt = ports.now();
  ports.onTool(call, "running");
  const outcome = await outcomeOf(call, index, tool, mayHaveRun, ports);
  ports.onTool(call, outcome.isError === true ? "failed" : "done");
  return ports.bound({ callId: call.id, name: call.name, durationMs: ports.now() - startedAt, ...outcome }, tool);
}

type Settled = { readonly content: string; readonly isError?: boolean };

async function outcomeOf(
  call: ToolCall,
  index: number,
  tool: AnyTool | undefined,
  mayHaveRun: boolean,
  ports: ToolPorts,
): Promise<Settled> {
  if (index >= MAX_CALLS_PER_ANSWER) {
    return failure(
      `Not run: one answer may call at most ${MAX_CALLS_PER_ANSWER} tools. This call and all after it were left out.`,
    );
  }
  if (tool === undefined)
    return failure(`There is no tool "${call.name}". The tools are: ${ports.toolNames.join(", ")}.`);
  const parsed = parseArguments(call, tool);
  if ("problem" in parsed) return failure(parsed.problem);
  const asked = ports.isWaiting(call);
  if (asked === undefined && mayHaveRun && tool.effect === "unsafe") {
    return failure(
      "Outcome unknown: the process was interrupted while this call may have been running. It was not run again. Check what it did before you repeat it.",
    );
  }
  if (asked === undefined && ports.stopped.aborted) return failure("Not run: the person stopped this turn.");
  try {
    const outcome =
      asked === undefined
        ? await abortable(tool.execute(parsed.args, ports.contextOf(call.id, ports.stopped)), ports.stopped)
        : { ask: asked };
    return await settle(call, outcome, ports);
  } catch (error) {
    return failure(failureText(call.name, error, ports.stopped));
  }
}

async function settle(call: ToolCall, outcome: ToolOutcome, ports: ToolPorts): Promise<Settled> {
  return "ask" in outcome ? { content: await ports.ask(call, outcome.ask) } : outcome;
}

function parseArguments(call: ToolCall, tool: AnyTool): { readonly args: unknown } | { readonly problem: string } {
  let input: unknown;
  try {
    input = call.arguments.trim() === "" ? {} : JSON.parse(call.arguments);
  } catch {
    return { problem: `The arguments of ${call.name} are not valid JSON. Call it again with valid JSON.` };
  }
  try {
    return { args: tool.parse(input) as unknown };
  } catch (error) {
    return {
      problem: error instanceof GatewayError ? error.message : `The arguments of ${call.name} do not fit its schema.`,
    };
  }
}

function failure(content: string): Settled {
  return { content, isError: true };
}

function failureText(name: string, error: unknown, stopped: AbortSignal): string {
  if (stopped.aborted) return "Stopped by the person while it was running; what it had done by then stands.";
  if (error instanceof GatewayError) return error.message;
  // our own mistake: seen in the log, told to the model without its inner words
  console.error(`tool ${name} failed`, error);
  return `${name} failed for a reason of its own; the operator's log has it.`;
}
