import type { Question } from "#src/domain/tool";
import { CHOICE_LABELS } from "./approval-choice";
import { describeRules } from "./approval-results";
import type { Rule } from "./rule";

/** What a person sees of a long command: its beginning and its end. */
const MAX_SHOWN_CHARS = 1500;

/**
 * The question that is put to a person before a command runs. `redact` takes secrets out of what is shown. The command
 * is shown in full view of what it hides: a reader must not be led by line breaks, escapes or invisible characters.
 */
export function approvalQuestion(command: string, rules: readonly Rule[], redact: (text: string) => string): Question {
  const shown = cut(redact(command).replaceAll(HIDDEN, escapeChar));
  const fence = "`".repeat(Math.max(3, longestRun(shown) + 1));
  const text = `May I run this? It would ${describeRules(rules)}.\n\n${fence}sh\n${shown}\n${fence}`;
  return { text, choices: Object.values(CHOICE_LABELS) };
}

/** Everything that a person would not see, but for line breaks and tabs. */
const HIDDEN = /[^\P{C}\n\t]|[\u115f\u1160\u3164\uffa0\u00a0\u2000-\u200a\u2028\u2029\u3000]/gu;

function escapeChar(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

function cut(text: string): string {
  if (text.length <= MAX_SHOWN_CHARS) return text;
  const half = MAX_SHOWN_CHARS / 2;
  const left = text.length - MAX_SHOWN_CHARS;
  return `${text.slice(0, half).toWellFormed()}\n[... ${left} more characters ...]\n${text.slice(-half).toWellFormed()}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
}
