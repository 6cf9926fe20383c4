/** A Markdown code fence that was opened, with what it takes to close it and to open it again elsewhere. */
export interface CodeFence {
  /** Quotation marks before the fence, e.g. `> `; empty outside quotations. */
  readonly quote: string;
  /** Blanks between quotation marks and fence, at most three: more would make it indented code. */
  readonly indent: string;
  /** The run of backticks or tildes. */
  readonly mark: string;
  /** Language tag; empty when there is none. */
  readonly tag: string;
}

/** What one line means for the fences of a text. */
export interface FenceLine {
  /** The fence that is open after the line. */
  readonly fence: CodeFence | undefined;
  /** The line itself opens or closes a fence, so it holds no content. */
  readonly isMark: boolean;
}

const FENCE = /^((?:[ \t]*>)*)([ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})([^\r\n]*)\r?$/;
const QUOTES = /^(?:[ \t]*>)*/;

/**
 * Reads one line, without its newline, after the fence that was open before it. Fences may stand in quotations and
 * lists, at any depth of indentation. Source: https://spec.commonmark.org/0.31.2/#fenced-code-blocks
 */
export function readFenceLine(line: string, open: CodeFence | undefined): FenceLine {
  // a quotation that ends takes its fence with it
  const before = open !== undefined && quoteDepth(open.quote) > quoteDepth(line) ? undefined : open;
  if (!line.includes("```") && !line.includes("~~~")) return { fence: before, isMark: false };
  const [, quotes = "", indent = "", mark = "", info = ""] = FENCE.exec(line) ?? [];
  if (mark === "") return { fence: before, isMark: false };
  if (before === undefined) {
    // backticks after the run make it a code span on one line
    if (mark.startsWith("`") && info.includes("`")) return { fence: undefined, isMark: false };
    // behind the mark a tag of tildes would lengthen it
    const [tag = ""] = info.replace(/^[\s~]+/, "").split(/\s/, 1);
    return {
      fence: { quote: quotes === "" ? "" : `${quotes} `, indent: marginOf(quotes, indent), mark, tag },
      isMark: true,
    };
  }
  const closes = info.trim() === "" && mark.startsWith(before.mark) && !/[-*+\d]/.test(indent);
  return closes ? { fence: undefined, isMark: true } : { fence: before, isMark: false };
}

/** The line that opens a fence once more. */
export function openingLine(fence: CodeFence): string {
  return `${fence.quote}${fence.indent}${fence.mark}${fence.tag}`;
}

/** The line that closes a fence. */
export function closingLine(fence: CodeFence): string {
  return `${fence.quote}${fence.indent}${fence.mark}`;
}

function quoteDepth(text: string): number {
  return (QUOTES.exec(text)?.[0] ?? "").replaceAll(/[^>]/g, "").length;
}

function marginOf(quotes: string, indent: string): string {
  const width = indent.replaceAll("\t", "    ").length - (quotes === "" ? 0 : 1);
  return " ".repeat(Math.max(0, Math.min(3, width)));
}
