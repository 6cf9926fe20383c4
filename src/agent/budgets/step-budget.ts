import type { Message } from "#src/domain/message";

/** Steps of a turn: model answers that call tools. */
export interface StepBudget {
  /** Steps before the turn has to sum up; 0 is no limit. */
  readonly maxSteps: number;
  /** Tools whose steps are given back, because they do the work of many: a step that calls nothing else counts nothing. */
  readonly refundedTools: ReadonlySet<string>;
}

/** Tools whose steps are given back unless an operator says otherwise. */
export const REFUNDED_TOOLS: ReadonlySet<string> = new Set(["execute_code"]);

/** Times the budget that a turn may reach by steps that were given back: none goes on for ever. */
const MAX_REFUND_TIMES = 2;

export type StepVerdict =
  | { readonly type: "go_on"; readonly used: number }
  /** One answer without tools is left; `request` asks the model for it. */
  | { readonly type: "sum_up"; readonly request: string };

/** Judges before a request whether the turn may use tools once more. Follows from its rows, so a restart changes nothing. */
export function judgeSteps(rows: readonly Message[], turnId: number, budget: StepBudget): StepVerdict {
  const steps = rows.filter((row) => row.turnId === turnId && row.role === "assistant" && row.toolCalls !== undefined);
  const refunded = steps.filter((row) => isRefunded(row, budget.refundedTools)).length;
  const used = steps.length - refunded;
  const isSpent = used >= budget.maxSteps || steps.length >= budget.maxSteps * MAX_REFUND_TIMES;
  if (budget.maxSteps === 0 || !isSpent) return { type: "go_on", used };
  return { type: "sum_up", request: sumUpRequest(`the ${budget.maxSteps} tool steps of one turn are used up`) };
}

/** What the model is asked when it has to answer with what it has. */
export function sumUpRequest(reason: string): string {
  return `There are no more tools in this turn: ${reason}. Answer now: say what was done, what was found and what is left.`;
}

function isRefunded(row: Message, tools: ReadonlySet<string>): boolean {
  const calls = row.toolCalls ?? [];
  return calls.length > 0 && calls.every((call) => tools.has(call.name));
}
