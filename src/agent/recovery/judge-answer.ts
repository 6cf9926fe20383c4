import type { ToolResult } from "#src/domain/message";
import type { ModelMessage } from "#src/domain/provider";
import type { ModelAnswer } from "../call-model";
import { findRepetition } from "../guardrails/find-repetition";
import type { AnswerContext } from "./answer-context";
import { joinPieces } from "./join-pieces";
import { cutCallResult, repairCalls } from "./repair-calls";

/** What was tried so far to get one answer. Plain data; it counts for one step. */
export interface StepHistory {
  /** What stands of an answer that came in pieces. */
  readonly text: string;
  readonly continuations: number;
  readonly cutCalls: number;
  readonly lostCalls: number;
  readonly loops: number;
  readonly thoughts: number;
  readonly nudges: number;
  readonly silences: number;
  /** How the last silent answer ended, when it had not even cost a token. */
  readonly lastSilence?: ModelAnswer["finish"];
}

export const NEW_STEP: StepHistory = {
  text: "",
  continuations: 0,
  cutCalls: 0,
  lostCalls: 0,
  loops: 0,
  thoughts: 0,
  nudges: 0,
  silences: 0,
};

export type AnswerVerdict =
  /** `refused` are the results of calls that must not run. */
  | { readonly type: "accept"; readonly answer: ModelAnswer; readonly refused: readonly ToolResult[] }
  /** Ask again at once, with these messages behind the request's own. */
  | { readonly type: "continue_with"; readonly messages: readonly ModelMessage[]; readonly history: StepHistory }
  /** Ask the same again after a wait. */
  | { readonly type: "retry"; readonly history: StepHistory }
  /** No answer is to be had of this model; `message` says so to a person. `mayFallback`: another may have one. */
  | { readonly type: "fail"; readonly message: string; readonly mayFallback: boolean };

/** How often each trouble is answered with another try. */
const MAX = { continuations: 4, cutCalls: 1, lostCalls: 1, loops: 1, thoughts: 2, nudges: 1, silences: 3 } as const;
/** US dollars from which on a try is too dear to be made more than once for nothing. */
const DEAR_USD = 0.25;
/** Tokens of an answer without words from which on the model was busy with something: it thought. */
const MIN_THOUGHT_TOKENS = 9;

/** Judges what to do with a model's answer. Never throws. */
export function judgeAnswer(answer: ModelAnswer, context: AnswerContext, history: StepHistory): AnswerVerdict {
  if (answer.finish === "content_filter") return judgeFiltered(answer, history);
  if (answer.toolCalls.length > 0 && context.toolNames.length > 0) return judgeCalls(answer, context, history);
  if (answer.text.trim() === "") return judgeSilence(answer, context, history);
  const text = joinPieces(history.text, answer.text);
  const loop = findRepetition(text);
  if (loop !== undefined) {
    if (history.loops >= MAX.loops) return accept(answer, `${loop.kept}\n\n${LOOPED}`, history);
    return goOn({ ...history, text: loop.kept, loops: history.loops + 1 }, ASK.loop);
  }
  if (answer.finish === "length") {
    if (history.continuations >= MAX.continuations) return accept(answer, `${text}\n\n${CUT}`, history);
    return goOn({ ...history, text, continuations: history.continuations + 1 }, ASK.length);
  }
  const hasLostCall = answer.finish === "tool_calls" && answer.toolCalls.length === 0 && context.toolNames.length > 0;
  if (hasLostCall && history.lostCalls < MAX.lostCalls) {
    return goOn({ ...history, text, lostCalls: history.lostCalls + 1 }, ASK.lostCall);
  }
  return accept(answer, text, history);
}

const CUT = "[Cut here: the answer has reached the model's output limit. Ask me to go on.]";
const LOOPED = "[Cut here: the model began to repeat itself.]";
const FILTERED = "[Cut here: the provider's content filter ended the answer.]";

/** What a model is asked after an answer that is none, or not whole. */
const ASK = {
  length:
    "[System: your answer reached the output limit. Go on exactly where it stopped, without repeating anything and without a word about it.]",
  loop: "[System: your answer began to repeat itself and was cut where it did. Go on from there with something new, or end it.]",
  lostCall: "[System: you ended with a tool call, but none arrived. Make the call again, or give your answer.]",
  thought: "[System: you have thought, but not answered. Give your answer now, or call a tool.]",
  longThought: "[System: your thinking used up the whole output. Think briefly, and give your answer now.]",
  results: "[System: the tool results are above, and you answered with nothing. Go on with them, or give your answer.]",
  words: "[System: there are no more tools. Give your answer in words.]",
} as const;

function judgeFiltered(answer: ModelAnswer, history: StepHistory): AnswerVerdict {
  const text = joinPieces(history.text, answer.text);
  if (text.trim() !== "") return accept(answer, `${text}\n\n${FILTERED}`, history);
  const message =
    "The model's provider refused to answer this. Say it in other words, or choose another model with /model.";
  return { type: "fail", message, mayFallback: true };
}

function judgeCalls(answer: ModelAnswer, context: AnswerContext, history: StepHistory): AnswerVerdict {
  const { calls, cut } = repairCalls(answer.toolCalls, context.toolNames, answer.finish === "length");
  const [first] = cut;
  if (first !== undefined && history.cutCalls < MAX.cutCalls) {
    const ask = `[System: your output limit was reached in the middle of a call of ${first.name}, so nothing of this answer was run. Make the call again with less in it: write a long text in several parts.]`;
    return goOn({ ...history, cutCalls: history.cutCalls + 1 }, ask);
  }
  const isSame = calls.length === answer.toolCalls.length && calls.every((call, n) => call === answer.toolCalls[n]);
  const text = joinPieces(history.text, answer.text);
  const { state, ...rest } = answer;
  // what a provider signed belongs to the answer as it was
  const keeps = isSame && history.text === "" && state !== undefined;
  const accepted = { ...rest, text, toolCalls: calls, ...(keeps ? { state } : {}) };
  return { type: "accept", answer: accepted, refused: cut.map(cutCallResult) };
}

function judgeSilence(answer: ModelAnswer, context: AnswerContext, history: StepHistory): AnswerVerdict {
  if (history.text.trim() !== "") {
    return accept(answer, answer.finish === "length" ? `${history.text}\n\n${CUT}` : history.text, history);
  }
  if (hasThought(answer) && history.thoughts < MAX.thoughts) {
    const ask = answer.finish === "length" ? ASK.longThought : ASK.thought;
    return goOn({ ...history, thoughts: history.thoughts + 1 }, answer.toolCalls.length > 0 ? ASK.words : ask);
  }
  if ((context.isAfterTools || answer.toolCalls.length > 0) && history.nudges < MAX.nudges) {
    const ask = answer.toolCalls.length > 0 || context.toolNames.length === 0 ? ASK.words : ASK.results;
    return goOn({ ...history, nudges: history.nudges + 1 }, ask);
  }
  if (context.saidBeside !== undefined) return accept(answer, context.saidBeside, history);
  const costNothing = answer.usage?.outputTokens === 0;
  const isBound = costNothing && history.lastSilence === answer.finish;
  const silences = history.silences + 1;
  const allowed = (context.tryCostUsd ?? 0) >= DEAR_USD ? 1 : MAX.silences;
  if (isBound || silences > allowed) return { type: "fail", message: silence(history), mayFallback: true };
  const { lastSilence: _before, ...rest } = history;
  return { type: "retry", history: { ...rest, silences, ...(costNothing ? { lastSilence: answer.finish } : {}) } };
}

function silence({ silences, nudges, thoughts }: StepHistory): string {
  const times = silences + nudges + thoughts + 1;
  return `The model answered with nothing${times > 1 ? `, ${times} times in a row` : ""}. Ask me again, or choose another model with /model.`;
}

/** A model that wrote nothing to read, and was paid for writing. */
function hasThought({ usage, finish }: ModelAnswer): boolean {
  if ((usage?.reasoningTokens ?? 0) > 0 || finish === "length") return true;
  return (usage?.outputTokens ?? 0) >= MIN_THOUGHT_TOKENS;
}

function accept(answer: ModelAnswer, text: string, history: StepHistory): AnswerVerdict {
  const { state, ...rest } = answer;
  const isWhole = text === answer.text && history.text === "" && answer.toolCalls.length === 0;
  const kept = isWhole && state !== undefined ? { state } : {};
  return { type: "accept", answer: { ...rest, ...kept, text, toolCalls: [] }, refused: [] };
}

/** Asks on, behind what stands of the answer. */
function goOn(history: StepHistory, ask: string): AnswerVerdict {
  const before: ModelMessage[] = history.text === "" ? [] : [{ role: "assistant", content: history.text }];
  return { type: "continue_with", messages: [...before, { role: "user", content: ask }], history };
}
