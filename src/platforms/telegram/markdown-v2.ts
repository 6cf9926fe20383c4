import { type Block, parseBlocks } from "./markdown-blocks";
import { type Run, parseInline } from "./markdown-inline";
import { formatTable } from "./markdown-table";

/** A text in Telegram's MarkdownV2. */
export interface RenderedText {
  readonly text: string;
  /** The text without its marks, which is what counts against Telegram's limits; empty when nothing can be seen. */
  readonly seen: string;
  /** False when `seen` says it all. */
  readonly hasMarks: boolean;
}

/** Markup and what is seen of it, side by side. */
interface Part {
  readonly markup: string;
  readonly seen: string;
}

/** UTF-16 units beyond which a text is not rendered: it would not fit a message anyway. */
const MAX_RENDERED = 8192;
const RULE = "———";
const NEWLINE: Part = { markup: "\n", seen: "\n" };

/**
 * Writes ordinary Markdown as MarkdownV2, with every character escaped that is no mark. Headings become bold, tables
 * aligned text in a code block, bullets and boxes characters. Source: https://core.telegram.org/bots/api#markdownv2-style
 */
export function renderMarkdownV2(markdown: string): RenderedText {
  if (markdown.length > MAX_RENDERED) return { text: escapeText(markdown), seen: markdown, hasMarks: false };
  const { markup, seen } = renderBlocks(parseBlocks(markdown.replaceAll("\r\n", "\n").split("\n")));
  return { text: markup, seen: seen.trim() === "" ? "" : seen, hasMarks: markup !== escapeText(seen) };
}

function renderBlocks(blocks: readonly Block[]): Part {
  return join(blocks.map(renderBlock), NEWLINE);
}

function renderBlock(block: Block): Part {
  switch (block.type) {
    case "code":
      return renderCode(block.tag, block.text);
    case "table":
      return renderCode("", formatTable(block.rows));
    case "heading":
      return renderRuns(parseInline(block.text).map((run) => (run.code === true ? run : { ...run, strong: true })));
    case "rule":
      return literal(RULE);
    case "quote":
      return renderQuote(block.blocks);
    case "text":
      return join([literal(block.lead), renderRuns(parseInline(block.text))]);
  }
}

/** Code blocks cannot stand in a quotation, so they part it. */
function renderQuote(blocks: readonly Block[]): Part {
  const parts = blocks.flatMap((block) => {
    if (block.type === "code" || block.type === "table") return [renderBlock(block)];
    // marks may not reach from one quoted line to the next
    const lines =
      block.type === "text"
        ? block.text.split("\n").map((text, index) => ({ ...block, text, lead: index === 0 ? block.lead : "" }))
        : [block];
    return lines.map((line) => join([{ markup: ">", seen: "" }, renderBlock(line)]));
  });
  return join(parts, NEWLINE);
}

/** A code block, or an empty line for one without code, which Telegram would not take. */
function renderCode(tag: string, code: string): Part {
  if (code.trim() === "") return literal("");
  const language = /^[\w+#.-]{1,30}$/.test(tag) ? tag : "";
  return { markup: `\`\`\`${language}\n${escapeCode(code)}\n\`\`\``, seen: code };
}

function renderRuns(runs: readonly Run[]): Part {
  return join(runs.map(renderRun));
}

/**
 * Each run brings its own marks, italic innermost: two underscores can then only meet where two runs look the same,
 * and those are one.
 */
function renderRun(run: Run): Part {
  if (run.text.trim() === "") return literal(run.text);
  if (run.code === true) return { markup: `\`${escapeCode(run.text)}\``, seen: run.text };
  let markup = escapeText(run.text);
  if (run.em === true) markup = `_${markup}_`;
  if (run.strike === true) markup = `~${markup}~`;
  if (run.strong === true) markup = `*${markup}*`;
  if (run.url !== undefined) markup = `[${markup}](${escapeUrl(run.url)})`;
  return { markup, seen: run.text };
}

function literal(text: string): Part {
  return { markup: escapeText(text), seen: text };
}

function join(parts: readonly Part[], between: Part = { markup: "", seen: "" }): Part {
  return {
    markup: parts.map(({ markup }) => markup).join(between.markup),
    seen: parts.map(({ seen }) => seen).join(between.seen),
  };
}

function escapeText(text: string): string {
  return text.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, String.raw`\$&`);
}

function escapeCode(code: string): string {
  return code.replaceAll(/[`\\]/g, String.raw`\$&`);
}

function escapeUrl(url: string): string {
  return url.replaceAll(/[)\\]/g, String.raw`\$&`);
}
