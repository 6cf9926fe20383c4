import type { ApprovalRequest, ApprovalVerdict, GuardPorts, Judgement } from "#src/agent/guard-call";
import { type ToolPorts, runTools } from "#src/agent/run-tools";
import { createTurnControl } from "#src/agent/turn-control";
import type { TurnHooks } from "#src/agent/turn-hooks";
import { GatewayError } from "#src/domain/errors";
import type { JsonObject } from "#src/domain/json";
import type { ToolCall, ToolResult } from "#src/domain/message";
import type { AnyTool, ToolContext } from "#src/domain/tool";
import { terminal } from "#src/tools/terminal";
import { toolContext } from "../../../support/tool-context";
import { fakeTool } from "../../../support/scripted-turn";
import { schemaProblem } from "./json-schema";
import type { CaseEvent, Seen, SessionScene, Stage } from "./scene";
import { textOf } from "./text-of";

/** What an operator's rules say of calls in this case. */
interface Policy {
  readonly rules?: "deny" | "ask" | "allow";
  readonly default?: "ask" | "allow";
  readonly deny_pattern?: string;
}

/** One tool call of the case. */
interface WantedCall {
  readonly name: string;
  readonly id: string;
  readonly input: JsonObject;
}

/** A person who is asked answers nothing: what stands then is what the case looks at. */
const PROMPT_OPEN = Symbol("prompt open");

/** What one run of calls leaves behind. */
interface Run {
  readonly seen: Seen;
  readonly executed: { readonly name: string; readonly input: JsonObject }[];
  readonly notes: string[];
  results: readonly ToolResult[];
  stopped?: string;
}

/** Plays the events of tool calls: the calls run through the tools' own pipeline. */
export async function playTools(stage: Stage, scene: SessionScene = {}): Promise<Seen> {
  const run: Run = { seen: {}, executed: [], notes: [], results: [] };
  const control = createTurnControl();
  const hooks = stage.hooksFor(scene);
  const opened = Promise.withResolvers<typeof PROMPT_OPEN>();
  const guard = guardOf(stage, scene, hooks, run, {
    open: () => opened.resolve(PROMPT_OPEN),
    stop: (message) => {
      run.stopped = message;
      control.stop(message);
    },
  });
  const calls = callsOf(stage);
  const tools = new Map(calls.map(({ name }) => [name, toolOf(name, stage, run)]));
  const ports: ToolPorts = {
    toolOf: (name) => tools.get(name),
    toolNames: [...tools.keys()],
    contextOf: (callKey, signal) => contextOf(stage, hooks, run, callKey, signal),
    maxParallel: 8,
    bound: async (result) => result,
    ask: async () => "",
    isWaiting: () => undefined,
    guard,
    onBegin: () => undefined,
    hasBegun: () => false,
    onTool: () => undefined,
    onResults: (results) => void (run.results = [...run.results, ...results]),
    stopped: control.stopped,
    now: stage.clock.now,
  };
  const ran = runTools(calls.map(writtenCall), new Set(), false, ports).then(() => undefined);
  const ended = await Promise.race([ran, opened.promise]);
  return seenOf(stage, run, ended === PROMPT_OPEN);
}

function callsOf({ input, about }: Stage): readonly WantedCall[] {
  const { batch } = input as { readonly batch?: readonly { readonly tool_name: string; readonly args: JsonObject }[] };
  if (batch !== undefined) {
    return batch.map(({ tool_name, args }, index) => ({ name: tool_name, id: `call_${index}`, input: args }));
  }
  return [{ ...toolAbout(about), input: (about.data["input"] ?? {}) as JsonObject }];
}

function toolAbout({ data }: CaseEvent): { readonly name: string; readonly id: string } {
  const tool = (data["tool"] ?? {}) as { readonly name?: string; readonly call_id?: string };
  return { name: tool.name ?? "terminal", id: tool.call_id ?? "call_1" };
}

function writtenCall({ name, id, input }: WantedCall): ToolCall {
  return { id, name, arguments: JSON.stringify(input) };
}

/** A stub tool, or the terminal on a stub shell for what a command printed. */
function toolOf(name: string, stage: Stage, run: Run): AnyTool {
  const isReal = stage.about.event === "tool.output" && name === "terminal";
  const schema = stage.input["_tool_schema"] ?? { type: "object" };
  const stub = fakeTool(name, async () => stubOutcome(stage), {
    parallel: "always",
    toolset: name.startsWith("mcp__") ? `mcp-${name.split("__")[1] ?? ""}` : "test",
    parse(input) {
      // the schema is in the names of the case
      const problem = schemaProblem(schema, stage.about.inputAsWritten(input as JsonObject));
      if (problem !== undefined) throw new GatewayError("bad_request", problem);
      return input;
    },
  });
  const tool = isReal ? terminal : stub;
  return {
    ...tool,
    execute: (args: unknown, context: ToolContext) => {
      run.executed.push({ name, input: args as JsonObject });
      return (tool as AnyTool).execute(args, context);
    },
  };
}

function stubOutcome({ about }: Stage): { readonly content: string; readonly isError?: boolean } {
  const { data, event } = about;
  const text = data["result_text"];
  const error = data["error"];
  const message = typeof error === "object" && error !== null && "message" in error ? error["message"] : error;
  const content = typeof text === "string" ? text : typeof message === "string" ? message : "ok";
  return event === "tool.failure" ? { content, isError: true } : { content };
}

function contextOf(stage: Stage, hooks: TurnHooks, run: Run, callKey: string, signal: AbortSignal): ToolContext {
  const context = toolContext({ callKey, signal });
  const { data } = stage.about;
  return {
    ...context,
    workspace: {
      ...context.workspace,
      exec: async () => ({
        exitCode: Number(data["exit_code"] ?? 0),
        stdout: textOf(data["output"]),
        stderr: "",
        timedOut: false,
        cwd: "/p",
      }),
    },
    async shapeOutput({ command, output, exitCode, cwd }) {
      const settled = await hooks.fire("tool.output", { command, output, exit_code: exitCode, cwd });
      run.notes.push(...settled.notes);
      return settled.text ?? output;
    },
  };
}

/** Answers of a person that let a call run; a case that gives none leaves the prompt open. */
const GRANTING: ReadonlySet<string> = new Set(["once", "session", "always"]);

function guardOf(
  stage: Stage,
  scene: SessionScene,
  hooks: TurnHooks,
  run: Run,
  { open, stop }: { readonly open: () => void; readonly stop: (message: string) => void },
): GuardPorts {
  const isAttended = !["cron", "subagent", "webhook"].includes(scene.surface ?? textOf(stage.input["_surface"], "web"));
  async function approve({ input, description, keys }: ApprovalRequest): Promise<ApprovalVerdict> {
    if (!isAttended) return { type: "denied", content: description };
    const asked = {
      command: textOf(input["command"]),
      description,
      pattern_key: keys[0] ?? "",
      pattern_keys: keys,
    };
    await hooks.fire("approval.request", { ...asked, surface: "gateway" });
    Object.assign(run.seen, { prompt_shown: true, reason: description, rule_key: keys[0], shown: input });
    const choice = stage.simulate.approval ?? textOf(stage.input["choice"]);
    if (choice !== "") {
      await hooks.fire("approval.response", { ...asked, surface: "gateway", choice });
      return GRANTING.has(choice) ? { type: "granted" } : { type: "denied", content: `The answer was ${choice}.` };
    }
    open();
    return new Promise<never>(() => undefined);
  }
  return {
    hooks,
    judge: (_tool, input) => judge(policyOf(stage), input, stage),
    isAsked: () => false,
    approve,
    notify: (notes) => void run.notes.push(...notes),
    stopTurn: stop,
  };
}

function policyOf({ input, about }: Stage): Policy {
  const given = (input["_policy"] ?? {}) as Policy;
  // what happens around a prompt only happens when there is one
  if (about.event === "tool.permission.denied") return { ...given, rules: "deny" };
  const needsPrompt = about.event === "tool.permission" || about.event.startsWith("approval.");
  return needsPrompt && given.rules === undefined ? { ...given, rules: "ask" } : given;
}

function judge({ rules, default: usual, deny_pattern }: Policy, input: JsonObject, { about }: Stage): Judgement {
  const command = textOf(input["command"]);
  if (rules === "deny") return { type: "refuse", reason: "A rule of the operator forbids this call." };
  if (deny_pattern !== undefined && command.includes(deny_pattern))
    return { type: "refuse", reason: "A rule of the operator forbids this command." };
  const description = textOf(about.data["description"], "this call needs permission");
  const keys = (about.data["pattern_keys"] ?? ["ask"]) as readonly string[];
  if (rules === "ask") return { type: "ask", description, keys };
  // nobody's rule asks for it: a hook that allows the call spares the question
  return usual === "ask" ? { type: "ask", description, keys, isDefault: true } : { type: "run" };
}

function seenOf(stage: Stage, run: Run, isOpen: boolean): Seen {
  const { about, fired } = stage;
  const settlements = fired
    .filter(({ occurrence }) => occurrence.event === about.event)
    .map(({ settlement }) => settlement);
  const settled = settlements.at(-1);
  const [result] = run.results;
  const executed = run.executed.at(-1);
  const hasRun = executed !== undefined;
  const shown = run.seen["shown"] as JsonObject | undefined;
  const wasDenied = !hasRun && !isOpen;
  const said = settled?.permission?.message ?? settled?.reason;
  return {
    prompt_shown: false,
    ...run.seen,
    outcome: outcomeOf(about, run, hasRun, isOpen),
    // a reason goes with a question, a refusal or the end of a turn
    reason: isOpen ? run.seen["reason"] : wasDenied ? (run.stopped ?? result?.content) : said,
    tool_executed: hasRun,
    tool_input_final:
      executed === undefined
        ? settled?.input && about.inputAsWritten(settled.input)
        : about.inputAsWritten(executed.input),
    tool_input_shown: shown && about.inputAsWritten(shown),
    tool_input_if_approved: shown && about.inputAsWritten(shown),
    tool_result_to_model: result?.content,
    turn_stopped: run.stopped !== undefined,
    model_sees_stop_reason:
      run.stopped !== undefined && run.results.some(({ content }) => content.includes(run.stopped ?? "")),
    user_notes: run.notes,
  };
}

function outcomeOf({ event }: CaseEvent, run: Run, hasRun: boolean, isOpen: boolean): string {
  if (run.stopped !== undefined) return "stop_turn";
  const isObserved = event === "approval.request" || event === "approval.response";
  if (isObserved) return "proceed";
  if (isOpen) return "ask";
  if (!hasRun) return "deny";
  return event === "tool.permission" ? "approve" : "proceed";
}
