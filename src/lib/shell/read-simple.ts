import { passLineBreak } from "./here-document";
import { readRedirect } from "./read-redirect";
import { readList, readWord } from "./read-word";
import { type Reader, noteProblem, skipBlanks, skipComment } from "./reader";
import type { Assignment, Redirect, SimpleCommand, Word, WordPart } from "./script";

/** Builtins whose arguments set variables. */
const DECLARES: ReadonlySet<string> = new Set("export declare typeset local readonly let".split(" "));
/** Words in front of a command. */
const PREFIXES: ReadonlySet<string> = new Set(["time", "command", "builtin"]);
const ASSIGNMENT = /^([A-Za-z_][A-Za-z_0-9]*)(?:\[[^\]]*\])?(\+?)=/;

/** Reads a simple command; one without any words, assignments and redirections where none begins. */
export function readSimple(reader: Reader): SimpleCommand {
  const assignments: Assignment[] = [];
  const words: Word[] = [];
  const redirects: Redirect[] = [];
  let start = reader.at;
  let end = start;
  let declares = false;
  let maySet = true;
  for (;;) {
    const redirect = readRedirect(reader);
    if (redirect !== undefined) redirects.push(redirect);
    else {
      const word = reader.text[reader.at] === "#" ? undefined : (readWord(reader) ?? readUnexpectedList(reader, words));
      if (word === undefined) break;
      const assignment = maySet ? readAssignment(reader, word) : undefined;
      if (assignment !== undefined) assignments.push(assignment);
      if (assignment === undefined && maySet && !declares) {
        declares = DECLARES.has(word.source);
        maySet = declares || PREFIXES.has(word.source);
      }
      if (words.length > 0 || assignment === undefined) words.push(word);
      else start = nextStart(reader);
    }
    end = reader.at;
    skipBlanks(reader);
  }
  skipComment(reader);
  return { type: "simple", assignments, words, redirects, source: reader.text.slice(start, Math.max(start, end)) };
}

function nextStart(reader: Reader): number {
  skipBlanks(reader);
  return reader.at;
}

/** An assignment in front of a command, or as an argument of `export`, `declare` and the like. */
function readAssignment(reader: Reader, word: Word): Assignment | undefined {
  const first = word.parts[0];
  if (first?.type !== "text" || first.isQuoted) return undefined;
  const [whole, name, plus] = ASSIGNMENT.exec(first.text) ?? [];
  if (whole === undefined || name === undefined) return undefined;
  const isAppended = plus === "+";
  const rest = first.text.slice(whole.length);
  const parts: WordPart[] = [...(rest === "" ? [] : [{ ...first, text: rest }]), ...word.parts.slice(1)];
  const value: Word = { parts, source: word.source.slice(whole.length) };
  if (parts.length > 0 || reader.text[reader.at] !== "(") return { name, value, isAppended };
  return { name, value, isAppended, elements: readElements(reader) };
}

function readElements(reader: Reader): Word[] {
  const elements: Word[] = [];
  reader.at += 1;
  for (;;) {
    skipBlanks(reader);
    if (reader.text[reader.at] === "\n") passLineBreak(reader);
    else {
      const word = readWord(reader);
      if (word === undefined) break;
      elements.push(word);
    }
  }
  if (reader.text[reader.at] !== ")") noteProblem(reader, "a parenthesis is left open");
  else reader.at += 1;
  return elements;
}

/** Parentheses where a shell allows none: other shells run what is in them for its output, and so is it read. */
function readUnexpectedList(reader: Reader, words: readonly Word[]): Word | undefined {
  if (reader.text[reader.at] !== "(" || words.length === 0) return undefined;
  noteProblem(reader, "an unexpected (");
  const start = reader.at;
  reader.at += 1;
  const script = readList(reader);
  const source = reader.text.slice(start, reader.at);
  return { parts: [{ type: "command", script, isQuoted: false }], source };
}
