import type { Message } from "#src/domain/message";
import { cutMiddle } from "#src/lib/cut-middle";
import { isSaid } from "./choose-range";
import { isShown } from "./shown-tokens";

/** Bytes of the whole. */
const MAX_BYTES = 8000;
/** Bytes of an earlier summary in it. */
const EARLIER_BYTES = 4000;
/** Characters of one thing that the person said. */
const WORDS_CHARS = 300;
/** Characters of the agent's last words. */
const ANSWER_CHARS = 700;
const MAX_WORDS = 12;
const MAX_PATHS = 20;

/**
 * What stands in a summary's place when no model would write one: that so much was dropped and is not summarised, and
 * what can be said without understanding it.
 */
export function droppedSummary(
  rows: readonly Message[],
  earlier: string | undefined,
  clean: (text: string) => string,
): string {
  const shown = rows.filter(isShown);
  const parts = [
    `## Last Dropped Turns\n${shown.length} earlier messages were left out to save room, and no summary of them could be written. What follows was put together mechanically and is incomplete. If something is missing, say so and ask, or look it up; do not guess.`,
    earlier === undefined ? "" : cutMiddle(earlier, { maxBytes: EARLIER_BYTES }),
    list(
      "What the person said, newest last",
      shown
        .filter(isSaid)
        .map((row) => short(clean(row.content), WORDS_CHARS))
        .slice(-MAX_WORDS),
    ),
    lastAnswer(shown, clean),
    list("Tools used", countTools(shown)),
    list("Files named", pathsIn(shown)),
  ];
  return cutMiddle(parts.filter((part) => part !== "").join("\n\n"), { maxBytes: MAX_BYTES });
}

function lastAnswer(rows: readonly Message[], clean: (text: string) => string): string {
  const last = rows.findLast((row) => row.role === "assistant" && row.content.trim() !== "");
  return last === undefined ? "" : `### The agent's last words among them\n${short(clean(last.content), ANSWER_CHARS)}`;
}

function countTools(rows: readonly Message[]): readonly string[] {
  const counts = new Map<string, { calls: number; failures: number }>();
  for (const { name, isError } of rows.flatMap((row) => row.toolResults ?? [])) {
    const { calls, failures } = counts.get(name) ?? { calls: 0, failures: 0 };
    counts.set(name, { calls: calls + 1, failures: failures + (isError === true ? 1 : 0) });
  }
  return Array.from(counts, ([name, { calls, failures }]) => `${name}: ${calls} calls, ${failures} failed`);
}

function pathsIn(rows: readonly Message[]): readonly string[] {
  const found = rows
    .flatMap((row) => row.toolCalls ?? [])
    .flatMap((call) => call.arguments.slice(0, ANSWER_CHARS).match(/"path"\s*:\s*"([^"\\\n]{1,200})"/)?.[1] ?? []);
  return [...new Set(found)].slice(-MAX_PATHS);
}

function list(heading: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `### ${heading}\n${items.map((item) => `- ${item}`).join("\n")}`;
}

function short(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= maxChars ? line : `${line.slice(0, maxChars).toWellFormed()}…`;
}
