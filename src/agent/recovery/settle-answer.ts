import type { ToolResult } from "#src/domain/message";
import type { ModelFailure, ModelMessage, Usage } from "#src/domain/provider";
import type { ModelAnswer, ModelOutcome } from "../call-model";
import type { AnswerContext } from "./answer-context";
import { NEW_STEP, judgeAnswer } from "./judge-answer";

/** What one step came to. The usage of everything that was tried is in the answer, or beside the failure. */
export type SettledAnswer =
  | { readonly type: "answer"; readonly answer: ModelAnswer; readonly refused: readonly ToolResult[] }
  | { readonly type: "failed"; readonly failure: ModelFailure; readonly usage?: Usage };

export interface SettlePorts {
  readonly context: AnswerContext;
  /**
   * Asks the model once, with messages behind the request's own; `before` is what stands of the answer, for whoever
   * shows it while it grows. @throws the signal's reason
   */
  readonly ask: (behind: readonly ModelMessage[], before: string) => Promise<ModelOutcome>;
  /** Waits before the same is asked again; `attempt` counts from 1. @throws the signal's reason */
  readonly wait: (attempt: number) => Promise<void>;
  /** Goes on with another model; false when there is none. */
  readonly passOn?: () => boolean;
}

/** Asks until there is an answer that can stand, or none is to be had. @throws the signal's reason */
export async function settleAnswer({ context, ask, wait, passOn }: SettlePorts): Promise<SettledAnswer> {
  let history = NEW_STEP;
  let behind: readonly ModelMessage[] = [];
  const usages: Usage[] = [];
  for (;;) {
    const outcome = await ask(behind, history.text);
    if (outcome.type === "failed") return settleFailure(outcome.failure, history.text, usages);
    const { answer } = outcome;
    if (answer.usage !== undefined) usages.push(answer.usage);
    const verdict = judgeAnswer(answer, context, history);
    if (verdict.type === "accept") {
      return { type: "answer", answer: withUsage(verdict.answer, usages), refused: verdict.refused };
    }
    if (verdict.type === "fail") {
      if (verdict.mayFallback && passOn?.() === true) {
        history = NEW_STEP;
        behind = [];
        continue;
      }
      const { message, mayFallback } = verdict;
      const reason = answer.finish === "content_filter" ? "content_policy" : "invalid_response";
      return failed({ reason, retryable: false, shouldFallback: mayFallback, message }, usages);
    }
    history = verdict.history;
    if (verdict.type === "retry") await wait(history.silences);
    else behind = verdict.messages;
  }
}

/** What stands of an answer is better than a sentence about what became of its rest. */
function settleFailure(failure: ModelFailure, text: string, usages: readonly Usage[]): SettledAnswer {
  if (text.trim() === "") return failed(failure, usages);
  const cut = `${text}\n\n[Cut here: ${failure.message}]`;
  return { type: "answer", answer: withUsage({ text: cut, toolCalls: [], finish: "stop" }, usages), refused: [] };
}

function failed(failure: ModelFailure, usages: readonly Usage[]): SettledAnswer {
  return { type: "failed", failure, ...(usages.length === 0 ? {} : { usage: sumUsage(usages) }) };
}

function withUsage(answer: ModelAnswer, usages: readonly Usage[]): ModelAnswer {
  return usages.length === 0 ? answer : { ...answer, usage: sumUsage(usages) };
}

/** Tokens of several calls together. */
export function sumUsage(usages: readonly Usage[]): Usage {
  const sum = (key: keyof Usage): number => usages.reduce((total, usage) => total + (usage[key] ?? 0), 0);
  const optional = (["cachedInputTokens", "cacheWriteTokens", "reasoningTokens"] as const)
    .filter((key) => usages.some((usage) => usage[key] !== undefined))
    .map((key) => [key, sum(key)] as const);
  return { inputTokens: sum("inputTokens"), outputTokens: sum("outputTokens"), ...Object.fromEntries(optional) };
}
