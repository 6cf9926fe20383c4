import { readWord } from "./read-word";
import { type Reader, noteProblem, skipBlanks } from "./reader";
import type { Redirect, Word, WordPart } from "./script";

// a descriptor, by number or by variable, stands before without a blank
const REDIRECT = /(?:[0-9]+|\{[A-Za-z_][A-Za-z_0-9]*\})?(?:&>>|&>|<<<|<<-|<<|<>|<&|>>|>\||>&|<(?!\()|>(?!\())/y;

const MAY_BEGIN: ReadonlySet<string> = new Set("<>&{0123456789");

/** Reads one redirection; undefined where none begins. The body of a here-document follows with its lines. */
export function readRedirect(reader: Reader): Redirect | undefined {
  if (!MAY_BEGIN.has(reader.text[reader.at] ?? "")) return undefined;
  REDIRECT.lastIndex = reader.at;
  const found = REDIRECT.exec(reader.text)?.[0];
  if (found === undefined) return undefined;
  reader.at += found.length;
  skipBlanks(reader);
  const operator = found.replace(/^[0-9]+|^\{[^}]*\}/, "");
  const descriptor = found.slice(0, found.length - operator.length);
  const word = readWord(reader);
  if (word === undefined) noteProblem(reader, `there is nothing behind ${operator}`);
  const target = word ?? { parts: [], source: "" };
  const from = descriptor === "" ? {} : { descriptor };
  if (operator !== "<<" && operator !== "<<-") return { operator, ...from, target };
  return { operator, ...from, target: openHereDoc(reader, target, operator === "<<-") };
}

function openHereDoc(reader: Reader, word: Word, stripsTabs: boolean): Word {
  const body: WordPart[] = [];
  const isLiteral = word.parts.some((part) => part.type === "text" && part.isQuoted);
  // the delimiter is not expanded: a `$` in it is a dollar sign
  const delimiter = isLiteral
    ? word.parts.map((part) => (part.type === "text" ? part.text : "")).join("")
    : word.source;
  reader.pending.push({ delimiter, isLiteral, stripsTabs, body });
  return { parts: body, source: word.source };
}
