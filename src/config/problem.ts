import { nearestWord } from "#src/lib/nearest-word";
import { sanitizeLine } from "#src/lib/sanitize-line";

/** One thing wrong with the settings. The system runs all the same; `message` says with what instead. */
export interface ConfigProblem {
  /** The setting, e.g. `agent.max_turns`, the name in the environment, or `line 3, column 5`. */
  readonly path: string;
  /** What was expected and what holds now: no sentence of it quotes a secret. */
  readonly message: string;
}

/** Longest piece of a wrong value that a message quotes. */
const MAX_QUOTED_CHARS = 40;

/** A wrong value in words, short and on one line. */
export function describeValue(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a map of settings";
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (typeof value !== "string") return `a ${typeof value}`;
  const line = sanitizeLine(value.slice(0, 1000));
  return JSON.stringify(line.length > MAX_QUOTED_CHARS ? `${line.slice(0, MAX_QUOTED_CHARS)}…` : line);
}

/** ` Did you mean "x"?` when a candidate is near, else nothing. */
export function didYouMean(word: string, candidates: readonly string[]): string {
  const near = nearestWord(word, candidates);
  return near === undefined ? "" : ` Did you mean "${near}"?`;
}
