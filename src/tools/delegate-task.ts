import * as z from "zod";
import type { ChildResult, ChildTask, Delegation } from "#src/domain/delegation";
import type { JsonObject } from "#src/domain/json";
import type { ToolContext, ToolOutcome } from "#src/domain/tool";
import { cutMiddle } from "#src/lib/cut-middle";
import { checkAnswer } from "./check-answer";
import { defineTool, failure } from "./define-tool";

/** Children that one call may start in a batch, whatever the operator's limit: one answer must not flood a profile. */
const MAX_TASKS = 50;
const MIN_GOAL_CHARS = 10;
/** Goals that a model writes when it has not made up its mind. */
const PLACEHOLDER =
  /^\s*(?:todo|tbd|task\s*#?\d*|goal|placeholder|<[^>]*>|\{\{.*\}\}|\[[^\]]*\]|\.{3}|xxx+)\s*\.?\s*$/i;

const role = z.enum(["leaf", "orchestrator"]).default("leaf");
const outputSchema = z.record(z.string(), z.unknown()).optional().describe("JSON Schema that the answer has to fit");

const task = z.object({
  goal: z.string().min(1).describe("What to do, complete in itself"),
  context: z.string().optional().describe("Facts, paths, constraints: it sees nothing of this conversation"),
  role: role.describe("`orchestrator` may delegate further, where that is allowed"),
  output_schema: outputSchema,
});

/** Hands work to subagents, each a session of its own. */
export const delegateTask = defineTool({
  name: "delegate_task",
  toolset: "delegation",
  description:
    "Give work to subagents that run beside you with a fresh conversation of their own and the same workspace. Good for " +
    "work that can be told in a few sentences and would fill your context. `spawn` starts one (goal) or several at once " +
    "(tasks); by default you wait for their answers, with background they go on and each answer comes back later as a " +
    "message. `list`, `steer` and `stop` are for those that run. A subagent cannot ask the person anything and may not " +
    "do what would need approval.",
  schema: z.object({
    action: z.enum(["spawn", "list", "steer", "stop"]).default("spawn"),
    ...task.partial({ goal: true }).shape,
    tasks: z.array(task).min(1).max(MAX_TASKS).optional().describe("Several at once, instead of goal"),
    background: z.boolean().default(false).describe("Do not wait; the answer comes as a message"),
    subagent_id: z.string().optional().describe("For steer and stop"),
    message: z.string().optional().describe("For steer: what to tell it"),
  }),
  effect: "idempotent",
  parallel: "never",
  async execute(args, context) {
    const { delegation } = context;
    if (delegation === undefined) return failure("Nothing can be delegated from here.");
    if (args.action === "list") return { content: JSON.stringify({ subagents: delegation.list() }) };
    if (args.action !== "spawn") return steerOrStop(args, delegation);
    const given = args.tasks ?? [args];
    const tasks = given.map((one) => taskOf({ ...one, goal: one.goal ?? "" }));
    const problem = problemWith(tasks, context.callKey, delegation);
    if (problem !== undefined) return failure(problem);
    return spawn(tasks, args.background, delegation, context);
  },
});

function taskOf(given: z.output<typeof task>): ChildTask {
  return {
    goal: given.goal.trim(),
    role: given.role,
    ...(given.context === undefined ? {} : { context: given.context }),
    // JSON came in: a record of unknown is an object of JSON
    ...(given.output_schema === undefined ? {} : { outputSchema: given.output_schema as JsonObject }),
  };
}

function problemWith(tasks: readonly ChildTask[], callKey: string, delegation: Delegation): string | undefined {
  for (const [index, { goal, role: wanted }] of tasks.entries()) {
    const which = tasks.length === 1 ? "goal" : `tasks[${index}].goal`;
    if (goal === "") return `${which}: say what the subagent has to do.`;
    if (PLACEHOLDER.test(goal)) return `${which}: "${goal.slice(0, 60)}" is a placeholder, not a goal.`;
    if (tasks.length > 1 && goal.length < MIN_GOAL_CHARS) return `${which}: too short to be understood on its own.`;
    if (wanted === "orchestrator" && delegation.depthLeft < 1)
      return `${which.replace("goal", "role")}: subagents may not delegate further here; use "leaf".`;
  }
  // after a crash this very call may have started its own already
  const own = new Set(tasks.map((_one, index) => delegation.idOf(`${callKey}.${index}`)));
  const running = delegation.list().filter((child) => child.status === "running" && !own.has(child.id)).length;
  if (running + tasks.length > delegation.maxConcurrent)
    return `At most ${delegation.maxConcurrent} subagents may run at a time; ${running} do. Give them fewer, larger tasks.`;
  return undefined;
}

async function spawn(
  tasks: readonly ChildTask[],
  isBackground: boolean,
  delegation: Delegation,
  { callKey, signal }: ToolContext,
): Promise<ToolOutcome> {
  const started = await Promise.all(
    tasks.map((one, index) =>
      delegation.start(one, { key: `${callKey}.${index}`, isBackground, sharers: tasks.length - index }),
    ),
  );
  if (isBackground) {
    const subagents = started.map(({ id }, index) => ({ subagent_id: id, goal: tasks[index]?.goal }));
    return { content: JSON.stringify({ status: "running", subagents, note: "Their answers will come as messages." }) };
  }
  const results = await Promise.all(
    started.map(({ id }, index) => resultOf(id, tasks[index], `${callKey}.${index}`, delegation, signal)),
  );
  return { content: JSON.stringify(results.length === 1 ? results[0] : { results }) };
}

/** A child's answer as the parent reads it; one that has to fit a schema gets a second chance to. */
async function resultOf(
  id: string,
  given: ChildTask | undefined,
  key: string,
  delegation: Delegation,
  signal: AbortSignal,
): Promise<object> {
  let result = await delegation.result(id, signal);
  const schema = given?.outputSchema;
  if (schema === undefined) return reported(id, result, key, delegation);
  let errors = checkAnswer(result.summary, schema);
  if (errors.length > 0 && result.status === "completed") {
    const correction = `Your answer does not fit the schema it was asked for: ${errors.join("; ")}. Answer again with JSON alone that fits: ${JSON.stringify(schema)}`;
    if (await delegation.steer(id, correction)) {
      result = await delegation.result(id, signal);
      errors = checkAnswer(result.summary, schema);
    }
  }
  const judged = errors.length === 0 ? { schema_valid: true } : { schema_valid: false, schema_errors: errors };
  return { ...(await reported(id, result, key, delegation)), ...judged };
}

async function reported(id: string, result: ChildResult, key: string, delegation: Delegation): Promise<object> {
  const { summary } = result;
  const isLong = summary.length > delegation.maxSummaryChars;
  const kept = isLong
    ? {
        summary: cutMiddle(summary, { maxBytes: delegation.maxSummaryChars, maxLines: Number.MAX_SAFE_INTEGER }),
        full_answer: await delegation.spill(key, summary),
      }
    : { summary };
  return { subagent_id: id, status: result.status, duration_ms: result.durationMs, ...kept };
}

async function steerOrStop(
  args: { readonly action: string; readonly subagent_id?: string | undefined; readonly message?: string | undefined },
  delegation: Delegation,
): Promise<ToolOutcome> {
  const { action, subagent_id: id = "", message = "" } = args;
  if (id === "") return failure(`subagent_id: say which one to ${action}; action "list" names them.`);
  if (action === "steer" && message.trim() === "") return failure("message: say what to tell it.");
  const heard = action === "steer" ? await delegation.steer(id, message) : await delegation.stop(id);
  return heard
    ? { content: JSON.stringify({ subagent_id: id, status: action === "steer" ? "told" : "stopping" }) }
    : failure(`No subagent ${id} is running.`);
}
