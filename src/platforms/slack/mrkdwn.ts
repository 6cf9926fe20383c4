import { readFenceLine } from "#src/lib/code-fence";
import { escapeText, type InlineStyle, renderInline } from "./mrkdwn-inline";
import { isTableStart, renderTable } from "./mrkdwn-table";

/** Lines taken from the Markdown, and what Slack shows for them. */
interface Block {
  readonly lines: number;
  readonly text: string;
}

const HEADING = /^ {0,3}#{1,6}[ \t]+(.+)$/;
const RULE = /^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}>/;
const BULLET = /^([ \t]*)[-*+][ \t]+(.*)$/;
const TASK = /^\[([ xX])\][ \t]+(.*)$/;

/**
 * Writes Markdown in Slack's mrkdwn. `&`, `<` and `>` of the text are always escaped, so nothing that the text holds
 * can become a mention or a link; the only angle brackets are those of its links and the `>` of its quotes.
 * Source: https://docs.slack.dev/messaging/formatting-message-text
 */
export function toMrkdwn(markdown: string): string {
  const lines = markdown.replaceAll("\r\n", "\n").split("\n");
  const out: string[] = [];
  for (let at = 0; at < lines.length;) {
    const block = fenced(lines, at) ?? table(lines, at) ?? { lines: 1, text: renderLine(lines[at] ?? "") };
    out.push(block.text);
    at += block.lines;
  }
  return out.join("\n");
}

/**
 * A code block, also one of a list or quotation. Slack knows no language; an unclosed fence runs to the end, as it does
 * while an answer grows.
 */
function fenced(lines: readonly string[], start: number): Block | undefined {
  const head = lines[start] ?? "";
  const { fence } = readFenceLine(head, undefined);
  if (fence === undefined) return undefined;
  const after = lines.findIndex((line, index) => index > start && readFenceLine(line, fence).fence === undefined);
  const end = after === -1 ? lines.length : after;
  const isClosed = readFenceLine(lines[end] ?? "", fence).isMark;
  const quote = fence.quote === "" ? "" : "(?:[ \\t]*>)+ ?";
  // code of a list is indented as far as its fence
  const margin = new RegExp(`^${quote}[ \\t]{0,${head.replace(/^(?:[ \t]*>)+ ?/, "").indexOf(fence.mark)}}`);
  const code = lines.slice(start + 1, end).map((line) => line.replace(margin, ""));
  return { lines: end - start + (isClosed ? 1 : 0), text: codeBlock(code) };
}

/** Three backticks within the code would end it: a zero-width space keeps them apart. */
function codeBlock(lines: readonly string[]): string {
  return `\`\`\`\n${escapeText(lines.join("\n")).replaceAll("```", "``\u200b`")}\n\`\`\``;
}

function table(lines: readonly string[], start: number): Block | undefined {
  if (!isTableStart(lines[start] ?? "", lines[start + 1] ?? "")) return undefined;
  let end = start + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end += 1;
  const rows = [lines[start] ?? "", ...lines.slice(start + 2, end)];
  return { lines: end - start, text: codeBlock(renderTable(rows)) };
}

function renderLine(line: string): string {
  if (RULE.test(line)) return "———";
  const heading = HEADING.exec(line)?.[1];
  if (heading !== undefined) return renderHeading(heading);
  if (QUOTE.test(line)) return `> ${renderItem(line.replace(/^[ \t>]+/, ""))}`;
  return renderItem(line);
}

function renderHeading(text: string): string {
  const withoutClosing = text.replace(/[ \t]#+[ \t]*$/, "").trim();
  return `*${renderInline(withoutClosing, { isBold: true })}*`;
}

function renderItem(line: string): string {
  const plain: InlineStyle = { isBold: false };
  const bullet = BULLET.exec(line);
  if (bullet === null) return renderInline(line, plain);
  const [, indent = "", rest = ""] = bullet;
  const task = TASK.exec(rest);
  if (task === null) return `${indent}• ${renderInline(rest, plain)}`;
  return `${indent}${task[1] === " " ? "☐" : "☑"} ${renderInline(task[2] ?? "", plain)}`;
}
