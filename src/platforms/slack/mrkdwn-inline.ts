/** What surrounds a piece of inline text. */
export interface InlineStyle {
  /** Slack has no bold within bold: it would end it. */
  readonly isBold: boolean;
}

/** Nesting of emphasis beyond which marks stay as they are. */
const MAX_DEPTH = 5;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
  nbsp: "\u00a0",
};
const ENTITY = /&(amp|lt|gt|quot|#39|nbsp);/g;
const LINK_SCHEME = /^(?:https?:\/\/|mailto:|tel:)/i;
/** The address of a Markdown link: no blanks, parentheses only in pairs. */
const ADDRESS = String.raw`\(\s*<?((?:[^\s()<>]|\([^\s()<>]*\))+)>?(?:\s+"[^"]*")?\s*\)`;

/** What a rule may see of the text around its match. */
interface Match {
  readonly groups: readonly string[];
  /** The characters before and after the match; empty at the ends. */
  readonly before: string;
  readonly after: string;
  readonly style: InlineStyle;
  readonly depth: number;
}

interface InlineRule {
  /** Sticky: tried at one place. */
  readonly pattern: RegExp;
  render(match: Match): string;
}

/** Markdown's inline notation, in the order in which it is tried; the last rule takes what is left. */
const RULES: readonly InlineRule[] = [
  { pattern: /[^\\`![<&*_~h]+/y, render: ({ groups: [text = ""] }) => escapeText(text) },
  { pattern: /\\([!-/:-@[-`{-~])/y, render: ({ groups: [, char = ""] }) => escapeText(char) },
  { pattern: /(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)/y, render: ({ groups: [, , code = ""] }) => codeSpan(code) },
  {
    pattern: new RegExp(String.raw`!\[([^\]]*)\]${ADDRESS}`, "y"),
    render: ({ groups: [, alt = "", url = ""] }) => link(url, alt),
  },
  {
    pattern: new RegExp(String.raw`\[((?:[^[\]\\]|\\.|\[[^[\]]*\])+)\]${ADDRESS}`, "y"),
    render: ({ groups: [, label = "", url = ""] }) => link(url, label),
  },
  { pattern: /<((?:https?:\/\/|mailto:|tel:)[^\s<>|]+)>/iy, render: ({ groups: [, url = ""] }) => link(url, "") },
  { pattern: /<br\s*\/?>/iy, render: () => "\n" },
  // a bare address is made a link, so that its underscores do not become italics
  {
    pattern:
      /(?<![\p{L}\p{N}])https?:\/\/[^\s<>()[\]`*"'|\\]*(?:\([^\s<>()]*\)[^\s<>()[\]`*"'|\\]*)*[^\s<>()[\]`*"'|\\.,;:!?_~]/uy,
    render: ({ groups: [url = ""] }) => link(url, ""),
  },
  {
    pattern: /&(amp|lt|gt|quot|#39|nbsp);/y,
    render: ({ groups: [, name = ""] }) => escapeText(ENTITIES[name] ?? ""),
  },
  {
    pattern: /\*\*\*(?=[^\s*])(.*?[^\s*])\*\*\*(?!\*)/y,
    render: (match) => emphasis(match, { isBold: true }, match.style.isBold ? ["_", "_"] : ["*_", "_*"]),
  },
  { pattern: /(\*\*)(?=\S)(.*?\S)\*\*(?!\*)/y, render: (match) => bold(match) },
  { pattern: /(?<![\p{L}\p{N}_])(__)(?=[^\s_])(.*?[^\s_])__(?![\p{L}\p{N}_])/uy, render: (match) => bold(match) },
  { pattern: /(\*)(?=[^\s*])(.*?[^\s*])\*(?!\*)/y, render: (match) => italic(match) },
  { pattern: /(?<![\p{L}\p{N}_])(_)(?=[^\s_])(.*?[^\s_])_(?![\p{L}\p{N}_])/uy, render: (match) => italic(match) },
  { pattern: /(~~)(?=\S)(.*?\S)~~/y, render: (match) => emphasis(match, match.style, ["~", "~"]) },
  { pattern: /[^]/uy, render: ({ groups: [char = ""] }) => escapeText(char) },
];

/** Writes one line of Markdown in mrkdwn. */
export function renderInline(text: string, style: InlineStyle, depth = 0): string {
  let out = "";
  for (let at = 0; at < text.length;) {
    const [rendered, end] = renderAt(text, at, style, depth);
    out += rendered;
    at = end;
  }
  return out;
}

function renderAt(text: string, at: number, style: InlineStyle, depth: number): readonly [string, number] {
  for (const rule of RULES) {
    rule.pattern.lastIndex = at;
    const groups = rule.pattern.exec(text);
    if (groups === null) continue;
    const end = rule.pattern.lastIndex;
    const match = { groups, before: text[at - 1] ?? "", after: text[end] ?? "", style, depth };
    return [rule.render(match), end];
  }
  return [escapeText(text.slice(at)), text.length];
}

/** Escapes the three characters that Slack reads as its own. */
export function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A text without its Markdown marks, unescaped: for places where Slack shows no formatting. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^()\s]*\)/g, "$1")
    .replace(/(\*\*|__|~~|`)(.+?)\1/g, "$2")
    .replace(ENTITY, (whole: string, name: string) => ENTITIES[name] ?? whole)
    .replaceAll("\n", " ");
}

function bold(match: Match): string {
  return emphasis(match, { isBold: true }, match.style.isBold ? ["", ""] : ["*", "*"]);
}

function italic(match: Match): string {
  return emphasis(match, match.style, ["_", "_"]);
}

/** Slack honours a mark only at the edge of a word: a zero-width space makes one where Markdown needs none. */
function emphasis(match: Match, style: InlineStyle, [open, close]: readonly [string, string]): string {
  if (match.depth >= MAX_DEPTH) return escapeText(match.groups[0] ?? "");
  const content = renderInline(match.groups.at(-1) ?? "", style, match.depth + 1);
  const isWord = /[\p{L}\p{N}]/u;
  return `${isWord.test(match.before) ? "\u200b" : ""}${open}${content}${close}${isWord.test(match.after) ? "\u200b" : ""}`;
}

/** Slack's code spans cannot hold a backtick; its code blocks can. */
function codeSpan(code: string): string {
  const mark = code.includes("`") ? "```" : "`";
  return mark + escapeText(code).replaceAll("```", "``\u200b`") + mark;
}

/** Addresses that Slack would not open are written out beside their label. */
function link(url: string, label: string): string {
  const words = escapeText(plainText(label).trim());
  if (!LINK_SCHEME.test(url)) return words === "" ? escapeText(url) : `${words} (${escapeText(url)})`;
  const address = url
    .replace(ENTITY, (whole: string, name: string) => ENTITIES[name] ?? whole)
    .replace(/[<>|\s]/g, encodeURIComponent)
    .replaceAll("&", "&amp;");
  return words === "" ? `<${address}>` : `<${address}|${words}>`;
}
