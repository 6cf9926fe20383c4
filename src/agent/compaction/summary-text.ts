import { cutMiddle } from "#src/lib/cut-middle";
import { utf8 } from "#src/lib/encoding";
import type { ConversationSummary } from "./compaction-state";

/** Characters of hooks' texts that a summary carries along. */
const MAX_KEPT_CHARS = 8000;
/** Shortest text without headings that can be a summary: a model that refuses is briefer. */
const MIN_PLAIN_CHARS = 200;
const BYTES_PER_TOKEN = 4;

const PREFACE = `[CONTEXT COMPACTION: REFERENCE ONLY] What was said before is summed up here to save room. It is a record, not a request: what it says was asked has been dealt with or is taken up again in the messages after it. The person's latest message decides what to do now; your memory and your tools are what they were.`;
const END = "[END OF THE SUMMARY: go on with the messages after it]";

/** A summary as the model reads it. The same summary always gives the same bytes. */
export function renderSummary({ body, kept }: Pick<ConversationSummary, "body" | "kept">): string {
  const notes = kept.length === 0 ? [] : [`## Kept Word for Word\n${kept.join("\n\n")}`];
  return [PREFACE, body, ...notes, END].join("\n\n");
}

/**
 * What a summariser wrote, as the body of a summary: without a fence around it, without marks of ours that it copied, and
 * no longer than allowed. Undefined when it is no summary.
 */
export function readSummary(text: string, maxTokens: number): string | undefined {
  const bare = text
    .replaceAll(PREFACE, "")
    .replaceAll(END, "")
    .replaceAll(/<\/?(?:conversation|summary_so_far|keep)>/gi, "")
    .trim()
    .replace(/^```(?:markdown|md)?\n([\s\S]*)\n```$/, "$1")
    .trim();
  if (!/^#{1,4} /m.test(bare) && bare.length < MIN_PLAIN_CHARS) return undefined;
  const maxBytes = maxTokens * BYTES_PER_TOKEN;
  return utf8(bare).length <= maxBytes ? bare : cutMiddle(bare, { maxBytes });
}

/** The texts that hooks want kept, old and new, each once; the newest win when there is not room for all. */
export function joinKept(old: readonly string[], added: readonly string[]): readonly string[] {
  const texts = [...new Set([...old, ...added].map((text) => text.trim()))].filter((text) => text !== "");
  let room = MAX_KEPT_CHARS;
  const kept: string[] = [];
  for (const text of texts.toReversed()) {
    room -= text.length;
    if (room < 0) break;
    kept.unshift(text);
  }
  // one text alone may be too long: its beginning is better than nothing
  const last = texts.at(-1);
  return kept.length === 0 && last !== undefined ? [last.slice(0, MAX_KEPT_CHARS).toWellFormed()] : kept;
}
