import { decodeAnsiC } from "./ansi-c-quoting";
import {
  type Reader,
  SINGLE_QUOTE_LEFT_OPEN,
  arithmeticEnd,
  enterLevel,
  nestedReader,
  noteProblem,
  skipBlanks,
} from "./reader";
import type { ParameterPart, Script, Word, WordPart } from "./script";

/** Where parts stand, and with it which characters are special and what ends them. */
type Place = "word" | "quotes" | "here-document" | "operand" | "quoted-operand";

const ENDS: Readonly<Record<Place, string>> = {
  word: "",
  quotes: '"',
  "here-document": "",
  operand: "}",
  "quoted-operand": "}",
};

/** Ends a word unless it is quoted. */
const METACHARACTERS: ReadonlySet<string> = new Set(" \t\r\n;&|<>()");
/** What a backslash takes the meaning from inside of double quotes. */
const ESCAPED_IN_QUOTES: ReadonlySet<string> = new Set(["$", "`", '"', "\\", "}"]);

const PLAIN_IN_WORD = /[^ \t\r\n;&|<>()\\'"$`]+/y;
const PLAIN_IN_QUOTES = /[^\\"$`}]+/y;
const PLAIN_IN_OPERAND = /[^\\'"$`}]+/y;

const PARAMETER_NAME = /[A-Za-z_][A-Za-z_0-9]*|[0-9@*#?$!-]/y;
const BRACED_NAME = /([#!]?)([A-Za-z_][A-Za-z_0-9]*|[0-9]+|[@*#?$!-])(?:\[([^\]\n}]*)\])?/y;
// Source: https://www.gnu.org/software/bash/manual/html_node/Shell-Parameter-Expansion.html
const OPERATOR = /:[-=?+]|[-=?+]|##?|%%?|\/[/#%]?|\^\^?|,,?|:|@[A-Za-z]|[*@]/y;

/** Reads one word; undefined where none begins. */
export function readWord(reader: Reader): Word | undefined {
  const start = reader.at;
  const parts = readParts(reader, "word");
  return reader.at === start ? undefined : { parts, source: reader.text.slice(start, reader.at) };
}

/** The parts of a text in which only `$`, backticks and backslashes mean something. */
export function partsOfText(outer: Reader, text: string): readonly WordPart[] {
  const reader = nestedReader(outer, text);
  const parts = enterLevel(reader) ? readParts(reader, "here-document") : [];
  if (reader.problem !== undefined) noteProblem(outer, reader.problem);
  return parts;
}

function readParts(reader: Reader, place: Place): WordPart[] {
  const parts: WordPart[] = [];
  const { text } = reader;
  while (reader.at < text.length) {
    const char = text[reader.at] ?? "";
    if (char === ENDS[place]) return parts;
    if (place === "word" && METACHARACTERS.has(char) && !continuesWord(reader, parts)) return parts;
    const before = reader.at;
    const part = readPart(reader, place, char);
    if (Array.isArray(part)) parts.push(...part);
    else if (part !== undefined) parts.push(part);
    if (reader.at === before) reader.at += 1;
  }
  if (ENDS[place] !== "") noteProblem(reader, place === "quotes" ? "a double quote is left open" : "a ${ is left open");
  return parts;
}

/** Whether a character that ends words does not end this one: `<(list)`, and patterns such as `!(a|b)`. */
function continuesWord(reader: Reader, parts: readonly WordPart[]): boolean {
  const { text, at } = reader;
  const char = text[at];
  if (char === "<" || char === ">") return text[at + 1] === "(";
  if (char !== "(") return false;
  const last = parts.at(-1);
  return last?.type === "text" && !last.isQuoted && /[?*+@!]$/.test(last.text);
}

function readPart(reader: Reader, place: Place, char: string): WordPart | WordPart[] | undefined {
  const isQuoted = place !== "word" && place !== "operand";
  const hasQuotes = place !== "quotes" && place !== "here-document";
  switch (char) {
    case "\\":
      return readBackslash(reader, isQuoted);
    case "$":
      return readDollar(reader, isQuoted, hasQuotes);
    case "`":
      return { type: "command", script: readBackticks(reader, isQuoted), isQuoted };
    case "'":
      if (hasQuotes && place !== "quoted-operand") return readSingleQuotes(reader);
      break;
    case '"':
      if (hasQuotes) return readDoubleQuotes(reader);
      break;
    case "<":
    case ">":
      if (place === "word") return readProcess(reader, char);
      break;
    case "(":
      if (place === "word") return readPattern(reader);
      break;
    default:
  }
  return readPlain(reader, place, isQuoted);
}

function readPlain(reader: Reader, place: Place, isQuoted: boolean): WordPart {
  const plain = place === "word" ? PLAIN_IN_WORD : isQuoted ? PLAIN_IN_QUOTES : PLAIN_IN_OPERAND;
  plain.lastIndex = reader.at;
  const text = plain.exec(reader.text)?.[0] ?? reader.text[reader.at] ?? "";
  reader.at += text.length;
  return { type: "text", text, isQuoted };
}

function readBackslash(reader: Reader, isQuoted: boolean): WordPart | undefined {
  const next = reader.text[reader.at + 1];
  reader.at += 2;
  if (next === "\n") return undefined;
  if (next === undefined) return { type: "text", text: "\\", isQuoted: true };
  const keeps = isQuoted && !ESCAPED_IN_QUOTES.has(next);
  return { type: "text", text: keeps ? `\\${next}` : next, isQuoted: true };
}

function readSingleQuotes(reader: Reader): WordPart {
  const start = reader.at + 1;
  const end = reader.text.indexOf("'", start);
  if (end === -1) noteProblem(reader, SINGLE_QUOTE_LEFT_OPEN);
  reader.at = end === -1 ? reader.text.length : end + 1;
  return { type: "text", text: reader.text.slice(start, end === -1 ? undefined : end), isQuoted: true };
}

function readDoubleQuotes(reader: Reader): WordPart[] {
  reader.at += 1;
  const parts = readParts(reader, "quotes");
  reader.at += 1;
  // empty quotes are a field all the same
  return parts.length === 0 ? [{ type: "text", text: "", isQuoted: true }] : parts;
}

function readDollar(reader: Reader, isQuoted: boolean, hasQuotes: boolean): WordPart | WordPart[] {
  const { text, at } = reader;
  const next = text[at + 1];
  if (next === "(") return readSubstitution(reader, isQuoted);
  if (next === "{") return readBraced(reader, isQuoted);
  if (next === "[") return readOldArithmetic(reader);
  if (next === "'" && hasQuotes && !isQuoted) return readAnsiC(reader);
  if (next === '"' && hasQuotes) {
    reader.at += 1;
    return readDoubleQuotes(reader);
  }
  PARAMETER_NAME.lastIndex = at + 1;
  const name = PARAMETER_NAME.exec(text)?.[0];
  reader.at += 1 + (name?.length ?? 0);
  if (name === undefined) return { type: "text", text: "$", isQuoted };
  return { type: "parameter", name, operand: [], isQuoted };
}

function readAnsiC(reader: Reader): WordPart {
  const start = reader.at + 2;
  let end = start;
  while (end < reader.text.length && reader.text[end] !== "'") end += reader.text[end] === "\\" ? 2 : 1;
  if (end >= reader.text.length) noteProblem(reader, SINGLE_QUOTE_LEFT_OPEN);
  reader.at = Math.min(end + 1, reader.text.length);
  return { type: "text", text: decodeAnsiC(reader.text.slice(start, end)), isQuoted: true };
}

function readSubstitution(reader: Reader, isQuoted: boolean): WordPart {
  const { text, at } = reader;
  const end = text[at + 2] === "(" ? arithmeticEnd(text, at + 1) : undefined;
  if (end !== undefined) {
    const parts = partsOfText(reader, text.slice(at + 3, end));
    reader.at = end + 2;
    return { type: "arithmetic", parts };
  }
  reader.at += 2;
  return { type: "command", script: readList(reader), isQuoted };
}

function readProcess(reader: Reader, direction: "<" | ">"): WordPart {
  reader.at += 2;
  return { type: "process", script: readList(reader), direction };
}

/** The commands up to a closing parenthesis, which is passed. */
export function readList(reader: Reader): Script {
  if (!enterLevel(reader)) return { pipelines: [] };
  const script = reader.readScript(reader);
  reader.depth -= 1;
  if (reader.text[reader.at] !== ")") noteProblem(reader, "a parenthesis is left open");
  reader.at += 1;
  return script;
}

function readOldArithmetic(reader: Reader): WordPart {
  const end = reader.text.indexOf("]", reader.at);
  const parts = partsOfText(reader, reader.text.slice(reader.at + 2, end === -1 ? undefined : end));
  reader.at = end === -1 ? reader.text.length : end + 1;
  return { type: "arithmetic", parts };
}

function readBackticks(reader: Reader, isQuoted: boolean): Script {
  const start = reader.at + 1;
  let end = start;
  while (end < reader.text.length && reader.text[end] !== "`") end += reader.text[end] === "\\" ? 2 : 1;
  if (end >= reader.text.length) noteProblem(reader, "a backtick is left open");
  reader.at = Math.min(end + 1, reader.text.length);
  const inside = reader.text.slice(start, end).replaceAll(isQuoted ? /\\([$`\\"])/g : /\\([$`\\])/g, "$1");
  const nested = nestedReader(reader, inside);
  if (!enterLevel(nested)) noteProblem(reader, "it is nested too deeply");
  const script = nested.readScript(nested);
  if (nested.problem !== undefined) noteProblem(reader, nested.problem);
  return script;
}

function readBraced(reader: Reader, isQuoted: boolean): ParameterPart {
  reader.at += 2;
  skipBlanks(reader);
  BRACED_NAME.lastIndex = reader.at;
  const found = BRACED_NAME.exec(reader.text);
  // `${#}` and `${!}` are parameters themselves
  const [whole = "", prefix, name = "", index] = found ?? [];
  reader.at += whole.length;
  OPERATOR.lastIndex = reader.at;
  const operator = name === "" ? undefined : OPERATOR.exec(reader.text)?.[0];
  reader.at += operator?.length ?? 0;
  const operand = enterLevel(reader) ? readParts(reader, isQuoted ? "quoted-operand" : "operand") : [];
  reader.depth -= 1;
  reader.at += 1;
  return {
    type: "parameter",
    name,
    operand,
    isQuoted,
    ...(prefix === "#" || prefix === "!" ? { prefix } : {}),
    ...(index === undefined ? {} : { index }),
    ...(operator === undefined ? {} : { operator }),
  };
}

/** A pattern in parentheses such as `@(a|b)`: text, up to the parenthesis that closes it. */
function readPattern(reader: Reader): WordPart {
  const start = reader.at;
  let depth = 0;
  while (reader.at < reader.text.length) {
    const char = reader.text[reader.at];
    reader.at += 1;
    if (char === "(") depth += 1;
    else if (char === ")" && --depth === 0) break;
    else if (char === "\n") break;
  }
  return { type: "text", text: reader.text.slice(start, reader.at), isQuoted: false };
}
