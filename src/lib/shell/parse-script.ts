import { passLineBreak } from "./here-document";
import { readCompound } from "./read-compound";
import { readSimple } from "./read-simple";
import { type Reader, noteProblem, skipBlanks, skipComment } from "./reader";
import type { Command, Pipeline, Script } from "./script";

/** A script, and the first thing in it that a shell would not take. */
export interface ParsedScript {
  readonly script: Script;
  /** A clause that completes "the shell cannot read this: ". */
  readonly problem?: string;
}

/**
 * Reads a command line as bash does, for whoever has to know what it would run. Never throws, and never gives up: with
 * a `problem`, the script is what can be made out nevertheless. Takes time in proportion to the text.
 */
export function parseScript(text: string): ParsedScript {
  const pipelines: Pipeline[] = [];
  const problem = visitPipelines(text, (pipeline) => pipelines.push(pipeline) > 0);
  const script = { pipelines };
  return problem === undefined ? { script } : { script, problem };
}

/**
 * Reads a command line as {@link parseScript} does, but hands over each pipeline as soon as it is read, so that none
 * needs to be kept. Stops when `visit` answers false. Answers the problem.
 */
export function visitPipelines(text: string, visit: (pipeline: Pipeline) => boolean): string | undefined {
  const reader: Reader = { text, at: 0, depth: 0, problem: undefined, pending: [], readScript };
  const waiting: Pipeline[] = [];
  const handOver = (): void => {
    for (const pipeline of waiting.splice(0)) if (!visit(pipeline)) reader.at = text.length;
  };
  while (reader.at < text.length) {
    readEach(reader, [], (pipeline) => {
      waiting.push(pipeline);
      // a here-document is complete once its lines were read
      if (reader.pending.length === 0) handOver();
    });
    if (reader.at >= text.length) break;
    noteProblem(reader, `an unexpected ${text[reader.at]}`);
    reader.at += 1;
  }
  handOver();
  return reader.problem;
}

/** Reads commands until something that none can begin with: a closing parenthesis, `;;`, or the end. */
function readScript(reader: Reader): Script {
  return readUntil(reader, []);
}

/** Reads commands until one of some reserved words stands where a command would; the word is not passed. */
function readUntil(reader: Reader, closers: readonly string[]): Script {
  const pipelines: Pipeline[] = [];
  readEach(reader, closers, (pipeline) => pipelines.push(pipeline));
  return { pipelines };
}

function readEach(reader: Reader, closers: readonly string[], visit: (pipeline: Pipeline) => void): void {
  for (;;) {
    skipSeparators(reader);
    const char = reader.text[reader.at];
    if (char === undefined || char === ")" || reader.text.startsWith(";;", reader.at)) break;
    if (closers.length > 0 && closers.includes(peekReserved(reader))) break;
    const before = reader.at;
    const pipeline = readPipeline(reader);
    if (pipeline.commands.length > 0) visit(pipeline);
    // a `|` or `&` that nothing stands before
    if (reader.at === before) reader.at += 1;
  }
}

/** Passes what stands between commands. `;;` belongs to a `case` and is left. */
function skipSeparators(reader: Reader): void {
  const { text } = reader;
  for (;;) {
    skipBlanks(reader);
    const char = text[reader.at];
    if (char === "\n") passLineBreak(reader);
    else if (char === "#") skipComment(reader);
    else if (char === "&" && text[reader.at + 1] !== ">") reader.at += 1;
    else if (char === "|" && text[reader.at + 1] === "|") reader.at += 2;
    else if (char === ";" && text[reader.at + 1] !== ";") reader.at += text[reader.at + 1] === "&" ? 2 : 1;
    else return;
  }
}

function readPipeline(reader: Reader): Pipeline {
  const commands: Command[] = [];
  for (;;) {
    const command = readCommand(reader);
    if (command !== undefined) commands.push(command);
    skipBlanks(reader);
    const { text, at } = reader;
    if (text[at] !== "|" || text[at + 1] === "|")
      return { commands, isBackground: text[at] === "&" && text[at + 1] !== "&" };
    reader.at += text[at + 1] === "&" ? 2 : 1;
    skipLines(reader);
  }
}

/** Passes line breaks and comments, as behind a `|`. */
function skipLines(reader: Reader): void {
  for (;;) {
    skipBlanks(reader);
    if (reader.text[reader.at] === "\n") passLineBreak(reader);
    else if (reader.text[reader.at] === "#") skipComment(reader);
    else return;
  }
}

function readCommand(reader: Reader): Command | undefined {
  skipBlanks(reader);
  const compound = readCompound(reader, { readCommand, readUntil, skipLines });
  if (compound !== undefined) return compound;
  const simple = readSimple(reader);
  const isEmpty = simple.words.length + simple.assignments.length + simple.redirects.length === 0;
  return isEmpty ? undefined : simple;
}

/** The word that a command would begin with, without passing it; empty when there is none without quotes. */
function peekReserved(reader: Reader): string {
  const { at } = reader;
  const plain = /[a-z}]*/y;
  plain.lastIndex = at;
  const word = plain.exec(reader.text)?.[0] ?? "";
  const next = readsOn(reader.text[at + word.length]) ? "" : word;
  return next;
}

function readsOn(char: string | undefined): boolean {
  return char !== undefined && !" \t\r\n;&|<>()".includes(char);
}
