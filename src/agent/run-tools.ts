import { GatewayError } from "#src/domain/errors";
import type { ToolCall, ToolResult } from "#src/domain/message";
import type { AnyTool, Question, ToolContext, ToolOutcome } from "#src/domain/tool";
import type { JsonObject } from "#src/domain/json";
import { abortable } from "#src/lib/abortable";
import { type Settled, concludeCall, withContext } from "./conclude-call";
import type { LoopGuard } from "./guardrails/loop-guard";
import { type Admission, type GuardPorts, admitCall } from "./guard-call";
import { planSegments } from "./plan-segments";
import { fireIfHeard } from "./turn-hooks";

/** Calls of one answer that are run; what comes after them is refused, so that no answer can keep a turn busy for ever. */
export const MAX_CALLS_PER_ANSWER = 64;
/** A call that the end of its turn, by a person or by a hook, came before. */
const NOT_RUN = "Not run: this turn was stopped.";

/** What running tools needs of the world. */
export interface ToolPorts {
  readonly toolOf: (name: string) => AnyTool | undefined;
  readonly toolNames: readonly string[];
  readonly contextOf: (callKey: string, signal: AbortSignal) => ToolContext;
  /** Calls that run at the same time at the most. */
  readonly maxParallel: number;
  /** Keeps the results of one commit within their bounds, the rest where the model can read it. Never throws. */
  readonly bound: (results: readonly ToolResult[]) => Promise<readonly ToolResult[]>;
  /** Parks the turn on a question and resolves with the person's answer, or what stands for it. */
  readonly ask: (call: ToolCall, question: Question) => Promise<string>;
  /** The question of a tool that is being waited for since before this run, by call. */
  readonly isWaiting: (call: ToolCall) => Question | undefined;
  readonly guard: GuardPorts;
  /** Watches the turn for calls that go in circles. */
  readonly loopGuard?: Pick<LoopGuard, "refuse" | "conclude">;
  /** Commits that an unsafe call is about to run; whether it was, in an earlier life. */
  readonly onBegin: (call: ToolCall) => void;
  readonly hasBegun: (call: ToolCall) => boolean;
  readonly onTool: (call: ToolCall, state: "running" | "done" | "failed") => void;
  readonly onResults: (results: readonly ToolResult[]) => void;
  /** What becomes of the last results of an answer before they are committed. */
  readonly beforeResults?: (results: readonly ToolResult[]) => Promise<readonly ToolResult[]>;
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
  const segments = planSegments(calls, ports.toolOf, { cwd: "/workspace" }).flatMap((segment) => {
    const open = segment.calls.filter((index) => !done.has(calls[index]?.id ?? ""));
    return open.length === 0 ? [] : [{ ...segment, open }];
  });
  for (const segment of segments) {
    const run = segment.parallel ? runTogether : runInOrder;
    await run(calls, segment.open, mayHaveRun, segment === segments.at(-1) ? withBatchEnd(calls, ports) : ports);
    mayHaveRun = false;
  }
}

/** The last results of an answer are committed with what hooks say of all of them. */
function withBatchEnd(calls: readonly ToolCall[], ports: ToolPorts): ToolPorts {
  const { hooks } = ports.guard;
  if (!hooks.listens("tool.batch")) return ports;
  return {
    ...ports,
    async beforeResults(results) {
      const data = () => ({
        tool_calls: calls.map((call) => ({ name: call.name, call_id: call.id, arguments: call.arguments })),
        results: results.map((result) => ({ call_id: result.callId, name: result.name, text: result.content })),
      });
      const settled = await fireIfHeard(hooks, "tool.batch", data);
      ports.guard.notify(settled.notes);
      if (settled.outcome === "stop" || settled.outcome === "deny") ports.guard.stopTurn(settled.reason ?? "");
      const last = results.at(-1);
      if (last === undefined || settled.context === undefined) return results;
      return [...results.slice(0, -1), { ...last, content: withContext(last.content, [settled.context]) }];
    },
  };
}

async function runTogether(
  calls: readonly ToolCall[],
  open: readonly number[],
  mayHaveRun: boolean,
  ports: ToolPorts,
): Promise<void> {
  const results = await inBatches(open, ports.maxParallel, (index) => runCall(calls, index, mayHaveRun, ports));
  ports.onResults(await finished(results, ports));
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
  const commit = async (): Promise<void> => {
    if (results.length > 0) ports.onResults(await ports.bound(results));
    results = [];
  };
  for (const index of open) {
    let hasAsked = false;
    const parked = async <T>(wait: () => Promise<T>): Promise<T> => {
      hasAsked = true;
      await commit();
      return wait();
    };
    const result = await runCall(calls, index, mayHaveRun, {
      ...ports,
      ask: (call, question) => parked(() => ports.ask(call, question)),
      guard: { ...ports.guard, approve: (request) => parked(() => ports.guard.approve(request)) },
    });
    results.push(result);
    if (!hasAsked || index === open.at(-1)) continue;
    await commit();
    // a question that was found open stood before all that follows it
    mayHaveRun = false;
  }
  if (results.length > 0) ports.onResults(await finished(results, ports));
}

/** The last results of a segment, within their bounds and with what hooks say of them. */
async function finished(results: readonly ToolResult[], ports: ToolPorts): Promise<readonly ToolResult[]> {
  const bounded = await ports.bound(results);
  return (await ports.beforeResults?.(bounded)) ?? bounded;
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
  const result = { callId: call.id, name: call.name, durationMs: ports.now() - startedAt, ...outcome };
  return ports.loopGuard?.conclude(call, result) ?? result;
}

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
  const parsed = parseCall(call, tool);
  if ("problem" in parsed) return failure(parsed.problem);
  try {
    return await runParsed(call, tool, parsed, mayHaveRun, ports);
  } catch (error) {
    return failure(failureText(call.name, error, ports.stopped));
  }
}

async function runParsed(
  call: ToolCall,
  tool: AnyTool,
  { input, args }: ParsedCall,
  mayHaveRun: boolean,
  ports: ToolPorts,
): Promise<Settled> {
  const asked = ports.isWaiting(call);
  // it was let through before it asked: the person's answer is all that is missing
  if (asked !== undefined) return { content: await ports.ask(call, asked) };
  if (mayHaveRun && tool.effect === "unsafe" && ports.hasBegun(call)) {
    return failure(
      "Outcome unknown: the process was interrupted while this call may have been running. It was not run again. Check what it did before you repeat it.",
    );
  }
  if (ports.stopped.aborted) return failure(NOT_RUN);
  const circles = ports.loopGuard?.refuse(call.name, call.arguments);
  if (circles !== undefined) return failure(circles);
  const admission = await admit(call, tool, input, ports);
  if (admission.type === "refused") return failure(admission.content);
  const again = admission.input === input ? { args } : readInput(call.name, admission.input, tool);
  if ("problem" in again) return failure(`Hook modified parameters are invalid: ${again.problem}`);
  if (tool.effect === "unsafe") ports.onBegin(call);
  const startedAt = ports.now();
  const settled = await execute(call, tool, again.args, ports);
  const ran = { call, tool, input: admission.input, durationMs: ports.now() - startedAt };
  const context = admission.context === undefined ? {} : { context: admission.context };
  return concludeCall({ ...ran, ...context }, settled, ports.guard);
}

/** Whether a call may run. A stop that comes first, a hook's or a person's, leaves it not run. */
async function admit(call: ToolCall, tool: AnyTool, input: JsonObject, ports: ToolPorts): Promise<Admission> {
  try {
    return await abortable(admitCall(call, tool, input, ports.guard), ports.stopped);
  } catch (error) {
    if (ports.stopped.aborted) return { type: "refused", content: NOT_RUN };
    throw error;
  }
}

async function execute(call: ToolCall, tool: AnyTool, args: unknown, ports: ToolPorts): Promise<Settled> {
  try {
    const outcome = await abortable(tool.execute(args, ports.contextOf(call.id, ports.stopped)), ports.stopped);
    return await settle(call, outcome, ports);
  } catch (error) {
    return failure(failureText(call.name, error, ports.stopped));
  }
}

async function settle(call: ToolCall, outcome: ToolOutcome, ports: ToolPorts): Promise<Settled> {
  return "ask" in outcome ? { content: await ports.ask(call, outcome.ask) } : outcome;
}

/** A call's arguments: as the object that hooks see, and as the tool reads them. */
interface ParsedCall {
  readonly input: JsonObject;
  readonly args: unknown;
}

function parseCall(call: ToolCall, tool: AnyTool): ParsedCall | { readonly problem: string } {
  let input: unknown;
  try {
    input = call.arguments.trim() === "" ? {} : JSON.parse(call.arguments);
  } catch {
    return { problem: `The arguments of ${call.name} are not valid JSON. Call it again with valid JSON.` };
  }
  const read = readInput(call.name, input, tool);
  if ("problem" in read) return read;
  // a tool that takes something else than an object shows it as one
  const shown = typeof input === "object" && input !== null && !Array.isArray(input) ? input : { value: input };
  return { input: shown as JsonObject, ...read };
}

function readInput(
  name: string,
  input: unknown,
  tool: AnyTool,
): { readonly args: unknown } | { readonly problem: string } {
  try {
    return { args: tool.parse(input) as unknown };
  } catch (error) {
    return {
      problem: error instanceof GatewayError ? error.message : `The arguments of ${name} do not fit its schema.`,
    };
  }
}

function failure(content: string): Settled {
  return { content, isError: true };
}

function failureText(name: string, error: unknown, stopped: AbortSignal): string {
  if (stopped.aborted) return "Stopped while it was running; what it had done by then stands.";
  if (error instanceof GatewayError) return error.message;
  // our own mistake: seen in the log, told to the model without its inner words
  console.error(`tool ${name} failed`, error);
  return `${name} failed for a reason of its own; the operator's log has it.`;
}
