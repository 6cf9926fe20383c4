import type { Message, ToolResult } from "#src/domain/message";
import { cutMiddle } from "#src/lib/cut-middle";
import { cutArguments } from "./clear-results";
import { isShown } from "./shown-tokens";
import { splitPoints } from "./split-points";

/** A stretch of the conversation, as one request to the summariser holds it. */
export interface TranscriptChunk {
  readonly text: string;
  /** The last row in it. */
  readonly toId: number;
}

/** Bytes that one text may have in a transcript: what a person wrote matters most, what a tool wrote least. */
const USER_BYTES = 12_000;
const ASSISTANT_BYTES = 6000;
const RESULT_BYTES = 1500;

/**
 * Writes rows for the summariser, in order and each once, in as many pieces as its window asks for. A call and its
 * results stay in one piece. `clean` is what every text passes: secrets are taken out there.
 */
export function writeTranscript(
  rows: readonly Message[],
  maxChars: number,
  clean: (text: string) => string,
): readonly TranscriptChunk[] {
  const chunks: { text: string; toId: number }[] = [];
  for (const group of wholeGroups(rows)) {
    const text = group
      .filter(isShown)
      .map((row) => writeRow(row, clean))
      .filter((part) => part !== "")
      .join("\n");
    const toId = group.at(-1)?.id ?? 0;
    const last = chunks.at(-1);
    if (last !== undefined && last.text.length + text.length < maxChars) {
      last.text = [last.text, text].filter((part) => part !== "").join("\n");
      last.toId = toId;
    } else {
      chunks.push({ text: text.length > maxChars ? cutMiddle(text, { maxBytes: maxChars }) : text, toId });
    }
  }
  return chunks;
}

/** Rows in groups that may stand in different pieces. */
function wholeGroups(rows: readonly Message[]): readonly (readonly Message[])[] {
  const points = splitPoints(rows);
  const groups: Message[][] = [];
  for (const [index, row] of rows.entries()) {
    if (points[index] === true || groups.length === 0) groups.push([row]);
    else groups.at(-1)?.push(row);
  }
  return groups;
}

function writeRow(row: Message, clean: (text: string) => string): string {
  if (row.role === "tool") return (row.toolResults ?? []).map((result) => writeResult(result, clean)).join("\n");
  const who = row.role === "user" ? speaker(row) : "ASSISTANT";
  const content = withoutMedia(clean([row.content, row.context ?? ""].filter((part) => part !== "").join("\n")));
  const files = (row.attachments ?? []).map((file) => `  [attached: ${file.path ?? file.name ?? file.kind}]`);
  const calls = (row.toolCalls ?? []).map((call) => `  [calls ${call.name}] ${clean(cutArguments(call).arguments)}`);
  const words = cutMiddle(content, { maxBytes: row.role === "user" ? USER_BYTES : ASSISTANT_BYTES });
  const line = content.trim() === "" && calls.length > 0 ? [] : [`${who}: ${words}`];
  return guard([...line, ...files, ...calls].join("\n"));
}

function writeResult(result: ToolResult, clean: (text: string) => string): string {
  const how = result.isError === true ? "failed" : "ok";
  return guard(`  [result of ${result.name}, ${how}] ${cutMiddle(clean(result.content), { maxBytes: RESULT_BYTES })}`);
}

function speaker(row: Message): string {
  if (row.kind === "hook") return "SYSTEM HOOK";
  return row.author === undefined ? "USER" : `USER (${row.author.name ?? row.author.id})`;
}

/** A summary that repeats the order to send a file would send it again. */
function withoutMedia(text: string): string {
  return text.replaceAll(/^[ \t]*MEDIA:\S.*$/gm, "[a file was sent]");
}

/** What is quoted must not be able to end the quotation. */
function guard(text: string): string {
  return text.replaceAll(/<(\/?)(conversation|summary_so_far|keep)>/gi, "‹$1$2›");
}
