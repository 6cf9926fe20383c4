import { type Folding, blanks, foldPlainly, foldText, typography } from "./fold-text";
import { type Place, anchoredLines, sameLines, sameShape, similarLines } from "./match-lines";
import { reindent } from "./reindent";

/** How the wanted text was found, and where. */
export interface Found {
  readonly strategy: string;
  readonly places: readonly Place[];
  /** The text was only like the wanted one: never to be changed in several places at once. */
  readonly isLoose: boolean;
  /** What the text that takes its place must go through too, so that it reads as it was meant. */
  readonly adapt: (replacement: string, place: Place) => string;
}

interface Strategy {
  readonly name: string;
  readonly find: (text: string, wanted: string) => readonly Place[];
  readonly isLoose?: boolean;
  /** How the replacement is changed along with the wanted text. */
  readonly adapts?: "indentation" | "escapes" | "outer blank lines";
}

/** From the strictest to the loosest: the first that finds anything decides. */
const STRATEGIES: readonly Strategy[] = [
  { name: "exact", find: exact },
  { name: "line ends", find: sameLines((line) => line.trimEnd()) },
  { name: "indentation", find: sameShape, adapts: "indentation" },
  { name: "blanks", find: folded(blanks) },
  { name: "typography", find: folded(typography) },
  {
    name: "escapes",
    find: (text, wanted) => unlessSame(wanted, unescape(wanted), (plain) => exact(text, plain)),
    adapts: "escapes",
  },
  { name: "trimmed lines", find: sameLines((line) => line.trim()), adapts: "indentation" },
  { name: "outer blank lines", find: withoutOuterLines, adapts: "outer blank lines" },
  { name: "first and last line", find: anchoredLines, isLoose: true, adapts: "indentation" },
  { name: "most lines", find: similarLines, isLoose: true, adapts: "indentation" },
];

/** Finds a text that a model quoted from memory; undefined when nothing in the file can be meant. */
export function findText(text: string, wanted: string): Found | undefined {
  for (const { name, find, isLoose = false, adapts } of STRATEGIES) {
    const places = find(text, wanted);
    if (places.length > 0) return { strategy: name, places, isLoose, adapt: adapter(adapts, text, wanted) };
  }
  return undefined;
}

function adapter(adapts: Strategy["adapts"], text: string, wanted: string): Found["adapt"] {
  if (adapts === "escapes") return unescape;
  if (adapts === undefined) return (replacement) => replacement;
  const cut = adapts === "indentation" ? (part: string): string => part : cutOuterLines;
  return (replacement, { start, end }) => reindent(cut(replacement), cut(wanted), text.slice(start, end));
}

function exact(text: string, wanted: string): Place[] {
  const places: Place[] = [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    places.push({ start: at, end: at + wanted.length });
  }
  return places;
}

/** Finds the wanted text in a folded form of both, at places where whole characters of the source begin and end. */
function folded(folding: Folding): Strategy["find"] {
  return (text, wanted) => {
    const plain = foldPlainly(wanted, folding);
    // where the places are is only worked out when there are any
    if (plain.trim() === "" || !foldPlainly(text, folding).includes(plain)) return [];
    const source = foldText(text, folding);
    return exact(source.text, plain)
      .map(({ start, end }) => ({ start: source.starts[start] ?? -1, end: source.ends[end - 1] ?? -1 }))
      .filter(({ start, end }) => start !== -1 && end !== -1);
  };
}

function unlessSame(wanted: string, plain: string, find: (plain: string) => readonly Place[]): readonly Place[] {
  return plain === wanted || plain === "" ? [] : find(plain);
}

/** Reads `\n`, `\t` and escaped quotes that a model wrote once too often. */
function unescape(text: string): string {
  const plain: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
  return text.replaceAll(/\\([ntr"'`\\$])/g, (_, char: string) => plain[char] ?? char);
}

function withoutOuterLines(text: string, wanted: string): readonly Place[] {
  return unlessSame(wanted, cutOuterLines(wanted), (inner) => sameLines((line) => line.trim())(text, inner));
}

/** A text without the blank lines before and behind it. */
function cutOuterLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}
