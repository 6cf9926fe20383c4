import type { HookDecision, HookOccurrence } from "#src/domain/hook-event";
import { toolOf } from "./firing";

/** Answers that are remembered: more than the calls of any one model answer have hooks. */
const MAX_REMEMBERED = 1024;

/** Which hooks were asked about which tool call: nobody is asked twice about the same. */
export interface CallMemory {
  /** The answer that was given, or will be; asks when there is none for this call with this input. */
  once(
    hookId: string,
    round: number,
    occurrence: HookOccurrence,
    ask: () => Promise<HookDecision | undefined>,
  ): Promise<HookDecision | undefined>;
}

interface Remembered {
  readonly input: string;
  readonly answer: Promise<HookDecision | undefined>;
}

/** Remembers the latest answers, in memory alone. */
export function callMemory(): CallMemory {
  const answers = new Map<string, Remembered>();
  return {
    once(hookId, round, occurrence, ask) {
      const callId = toolOf(occurrence)?.callId;
      if (callId === undefined) return ask();
      const { session_id, turn_id = "" } = occurrence.common;
      const key = JSON.stringify([occurrence.event, session_id, turn_id, callId, hookId, round]);
      const input = textOf(occurrence.data["input"]);
      const known = answers.get(key);
      // what was allowed for one input says nothing about another
      if (known?.input === input) return known.answer;
      const answer = ask();
      answers.set(key, { input, answer });
      const oldest = answers.size > MAX_REMEMBERED ? answers.keys().next().value : undefined;
      if (oldest !== undefined) answers.delete(oldest);
      return answer;
    },
  };
}

function textOf(input: unknown): string {
  return JSON.stringify(input, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value)) ?? "";
}
