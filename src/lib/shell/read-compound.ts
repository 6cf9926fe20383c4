import { passLineBreak } from "./here-document";
import { readRedirect } from "./read-redirect";
import { readSimple } from "./read-simple";
import { partsOfText, readList, readWord } from "./read-word";
import { type Reader, arithmeticEnd, enterLevel, noteProblem, skipBlanks } from "./reader";
import type { BlockCommand, BlockKind, Command, Redirect, Script, Word } from "./script";

/** The rest of the grammar, which compound commands are made of. */
export interface Grammar {
  readonly readCommand: (reader: Reader) => Command | undefined;
  /** Reads commands until one of these reserved words, which is not passed. */
  readonly readUntil: (reader: Reader, closers: readonly string[]) => Script;
  readonly skipLines: (reader: Reader) => void;
}

type Part = Pick<BlockCommand, "kind" | "words" | "scripts" | "variable">;

/** First letters of reserved words. */
const MAY_BEGIN: ReadonlySet<string> = new Set("{![iwufsctf");
const RESERVED = /(?:\{|!|\[\[|if|while|until|for|select|case|function|time|coproc)(?=[\s;&|<>()]|$)/y;
const FUNCTION = /([^\s;&|<>()'"`$\\{}=]+)[ \t]*\([ \t]*\)/y;

/** Reads what begins with a reserved word or a parenthesis, or defines a function; undefined for anything else. */
export function readCompound(reader: Reader, grammar: Grammar): Command | undefined {
  const { text, at } = reader;
  if (text[at] === "(") return withRedirects(reader, readParentheses(reader));
  RESERVED.lastIndex = at;
  const reserved = MAY_BEGIN.has(text[at] ?? "") ? RESERVED.exec(text)?.[0] : undefined;
  if (reserved === undefined) return readFunction(reader, grammar);
  if (!enterLevel(reader)) return undefined;
  reader.at += reserved.length;
  const command = READERS[reserved]?.(reader, grammar);
  reader.depth -= 1;
  return command;
}

const READERS: Readonly<Record<string, (reader: Reader, grammar: Grammar) => Command | undefined>> = {
  "!": readPrefixed,
  time: readTimed,
  coproc: readPrefixed,
  function: readNamedFunction,
  "{": (reader, grammar) => block(reader, grammar, "group", ["}"]),
  if: readIf,
  while: (reader, grammar) => block(reader, grammar, "while", ["do", "done"]),
  until: (reader, grammar) => block(reader, grammar, "until", ["do", "done"]),
  for: (reader, grammar) => readLoop(reader, grammar, "for"),
  select: (reader, grammar) => readLoop(reader, grammar, "select"),
  case: readCase,
  "[[": readTest,
};

function readPrefixed(reader: Reader, grammar: Grammar): Command | undefined {
  return grammar.readCommand(reader);
}

/** With any other option than `-p`, `time` is a program. */
function readTimed(reader: Reader, grammar: Grammar): Command | undefined {
  const start = reader.at - "time".length;
  skipBlanks(reader);
  if (/^-p[ \t]/.test(reader.text.slice(reader.at, reader.at + 3))) reader.at += 2;
  skipBlanks(reader);
  if (reader.text[reader.at] !== "-") return grammar.readCommand(reader);
  reader.at = start;
  return readSimple(reader);
}

function readFunction(reader: Reader, grammar: Grammar): Command | undefined {
  FUNCTION.lastIndex = reader.at;
  const [whole, name] = FUNCTION.exec(reader.text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  reader.at += whole.length;
  return readBody(reader, grammar, name);
}

function readNamedFunction(reader: Reader, grammar: Grammar): Command | undefined {
  skipBlanks(reader);
  const name = readWord(reader)?.source ?? "";
  skipBlanks(reader);
  const parentheses = /\([ \t]*\)/y;
  parentheses.lastIndex = reader.at;
  reader.at += parentheses.exec(reader.text)?.[0].length ?? 0;
  return readBody(reader, grammar, name);
}

function readBody(reader: Reader, grammar: Grammar, name: string): Command | undefined {
  grammar.skipLines(reader);
  if (!enterLevel(reader)) return undefined;
  // zsh needs no blank behind the brace
  const isJoined = /^\{[^\s]/.test(reader.text.slice(reader.at, reader.at + 2));
  if (isJoined) {
    noteProblem(reader, "there is no blank behind {");
    reader.at += 1;
  }
  const body = isJoined ? block(reader, grammar, "group", ["}"]) : grammar.readCommand(reader);
  reader.depth -= 1;
  if (body === undefined) noteProblem(reader, "a function has no body");
  return body === undefined ? undefined : { type: "function", name, body };
}

function readParentheses(reader: Reader): Part {
  const end = reader.text[reader.at + 1] === "(" ? arithmeticEnd(reader.text, reader.at) : undefined;
  if (end === undefined) {
    reader.at += 1;
    return { kind: "subshell", words: [], scripts: [readList(reader)] };
  }
  const source = reader.text.slice(reader.at + 2, end);
  reader.at = end + 2;
  return { kind: "arithmetic", words: [{ parts: partsOfText(reader, source), source }], scripts: [] };
}

/** Reads one body after another, each up to a reserved word, until the last of these words. */
function block(reader: Reader, grammar: Grammar, kind: BlockKind, closers: readonly string[]): BlockCommand {
  const scripts: Script[] = [];
  for (const closer of closers) {
    scripts.push(grammar.readUntil(reader, [closer]));
    passReserved(reader, closer);
  }
  return withRedirects(reader, { kind, words: [], scripts });
}

function readIf(reader: Reader, grammar: Grammar): BlockCommand {
  const scripts: Script[] = [];
  for (;;) {
    scripts.push(grammar.readUntil(reader, ["then", "elif", "else", "fi"]));
    const passed = ["then", "elif", "else"].find((word) => startsWithWord(reader, word));
    if (passed === undefined) break;
    reader.at += passed.length;
  }
  passReserved(reader, "fi");
  return withRedirects(reader, { kind: "if", words: [], scripts });
}

function readLoop(reader: Reader, grammar: Grammar, kind: "for" | "select"): BlockCommand {
  skipBlanks(reader);
  const isArithmetic = reader.text.startsWith("((", reader.at);
  const head: Part = isArithmetic ? readParentheses(reader) : { kind, scripts: [], ...readLoopHead(reader, grammar) };
  grammar.readUntil(reader, ["do", "{"]);
  const closer = startsWithWord(reader, "{") ? "}" : "done";
  passReserved(reader, closer === "}" ? "{" : "do");
  const body = grammar.readUntil(reader, [closer]);
  passReserved(reader, closer);
  return withRedirects(reader, { ...head, kind, scripts: [...head.scripts, body] });
}

function readLoopHead(reader: Reader, grammar: Grammar): { variable: string; words: Word[] } {
  const variable = readWord(reader)?.source ?? "";
  grammar.skipLines(reader);
  const words: Word[] = [];
  if (!startsWithWord(reader, "in")) return { variable, words };
  reader.at += "in".length;
  for (;;) {
    skipBlanks(reader);
    const word = readWord(reader);
    if (word === undefined) return { variable, words };
    words.push(word);
  }
}

function readCase(reader: Reader, grammar: Grammar): BlockCommand {
  skipBlanks(reader);
  const subject = readWord(reader);
  const words: Word[] = subject === undefined ? [] : [subject];
  const scripts: Script[] = [];
  grammar.skipLines(reader);
  passReserved(reader, "in");
  for (;;) {
    grammar.skipLines(reader);
    if (reader.at >= reader.text.length || startsWithWord(reader, "esac")) break;
    const before = reader.at;
    words.push(...readPatterns(reader));
    scripts.push(grammar.readUntil(reader, ["esac"]));
    const separator = /;;&?|;&/y;
    separator.lastIndex = reader.at;
    reader.at += separator.exec(reader.text)?.[0].length ?? 0;
    if (reader.at === before) break;
  }
  passReserved(reader, "esac");
  return withRedirects(reader, { kind: "case", words, scripts });
}

function readPatterns(reader: Reader): Word[] {
  const words: Word[] = [];
  if (reader.text[reader.at] === "(") reader.at += 1;
  for (;;) {
    skipBlanks(reader);
    const word = readWord(reader);
    if (word !== undefined) words.push(word);
    else if (reader.text[reader.at] === "|") reader.at += 1;
    else break;
  }
  if (reader.text[reader.at] === ")") reader.at += 1;
  else noteProblem(reader, "a pattern of a case is left open");
  return words;
}

/** `[[ ... ]]`: nothing in it runs but what its words substitute. */
function readTest(reader: Reader): BlockCommand {
  const words: Word[] = [];
  for (;;) {
    skipBlanks(reader);
    const { text, at } = reader;
    if (at >= text.length) {
      noteProblem(reader, "a [[ is left open");
      break;
    }
    const word = readWord(reader);
    if (word?.source === "]]") break;
    if (word !== undefined) words.push(word);
    else if (text[at] === "\n") passLineBreak(reader);
    else reader.at += 1;
  }
  return withRedirects(reader, { kind: "test", words, scripts: [] });
}

function withRedirects(reader: Reader, part: Part): BlockCommand {
  const redirects: Redirect[] = [];
  for (;;) {
    skipBlanks(reader);
    const redirect = readRedirect(reader);
    if (redirect === undefined) return { type: "block", ...part, redirects };
    redirects.push(redirect);
  }
}

function passReserved(reader: Reader, word: string): void {
  skipBlanks(reader);
  if (startsWithWord(reader, word)) reader.at += word.length;
  else noteProblem(reader, `there is no ${word}`);
}

function startsWithWord(reader: Reader, word: string): boolean {
  if (!reader.text.startsWith(word, reader.at)) return false;
  const next = reader.text[reader.at + word.length];
  return next === undefined || " \t\r\n;&|<>()".includes(next);
}
