/** Characters that one place of a pattern takes. */
export interface CharSet {
  /** Code points, both ends included. */
  readonly ranges: readonly (readonly [number, number])[];
  readonly isNegated: boolean;
  readonly ignoresCase: boolean;
}

export type RegexNode =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "assert"; readonly what: "start" | "end" | "word" | "not_word" }
  | { readonly kind: "sequence"; readonly parts: readonly RegexNode[] }
  | { readonly kind: "choice"; readonly parts: readonly RegexNode[] }
  /** `max` is Infinity where nothing bounds it. */
  | { readonly kind: "repeat"; readonly part: RegexNode; readonly min: number; readonly max: number };

const MAX_REPEAT = 1000;
const MAX_DEPTH = 50;
const LAST = 0x10ffff;

type Ranges = readonly (readonly [number, number])[];

const DIGITS: Ranges = [[0x30, 0x39]];
const WORD: Ranges = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: Ranges = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];

const CLASSES: Readonly<Record<string, Ranges>> = {
  d: DIGITS,
  w: WORD,
  s: SPACE,
  D: complement(DIGITS),
  W: complement(WORD),
  S: complement(SPACE),
};

const CONTROLS: Readonly<Record<string, number>> = { n: 0x0a, r: 0x0d, t: 0x09, f: 0x0c, v: 0x0b, 0: 0 };

const ASSERTIONS: Readonly<Record<string, Extract<RegexNode, { kind: "assert" }>["what"]>> = {
  b: "word",
  B: "not_word",
  A: "start",
  z: "end",
};

/**
 * Reads a regular expression without what no linear search can do: look-around and references back to groups.
 *
 * @throws SyntaxError one clause that says what is wrong and where
 */
export function parseRegex(pattern: string): RegexNode {
  const flags = /^\(\?([a-zA-Z]+)\)/.exec(pattern);
  const chars = Array.from(flags === null ? pattern : pattern.slice(flags[0].length));
  const unknown = flags?.[1]?.replace("i", "") ?? "";
  if (unknown !== "") throw new SyntaxError(`the flag ${unknown} is not supported; only (?i) is`);
  const reader: Reader = { chars, at: 0, depth: 0, ignoresCase: flags !== null };
  const node = readChoice(reader);
  if (reader.at < chars.length) throw fault(reader, "a ) without its (");
  return node;
}

interface Reader {
  readonly chars: readonly string[];
  readonly ignoresCase: boolean;
  at: number;
  depth: number;
}

function fault(reader: Reader, what: string): SyntaxError {
  return new SyntaxError(`${what} at character ${reader.at + 1}`);
}

function peek(reader: Reader, ahead = 0): string {
  return reader.chars[reader.at + ahead] ?? "";
}

function accept(reader: Reader, text: string): boolean {
  const isThere = reader.chars.slice(reader.at, reader.at + text.length).join("") === text;
  if (isThere) reader.at += text.length;
  return isThere;
}

function readChoice(reader: Reader): RegexNode {
  const parts = [readSequence(reader)];
  while (accept(reader, "|")) parts.push(readSequence(reader));
  return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: "choice", parts };
}

function readSequence(reader: Reader): RegexNode {
  const parts: RegexNode[] = [];
  while (reader.at < reader.chars.length && peek(reader) !== "|" && peek(reader) !== ")") {
    parts.push(readQuantified(reader));
  }
  return { kind: "sequence", parts };
}

function readQuantified(reader: Reader): RegexNode {
  const part = readAtom(reader);
  const bounds = readBounds(reader);
  if (bounds === undefined) return part;
  if (bounds.min > bounds.max) throw fault(reader, "a repetition whose bounds are in the wrong order");
  // whether it takes much or little first does not matter to whether anything matches
  accept(reader, "?");
  if (readBounds(reader) !== undefined) throw fault(reader, "a repetition of a repetition");
  return { kind: "repeat", part, ...bounds };
}

function readBounds(reader: Reader): { readonly min: number; readonly max: number } | undefined {
  if (accept(reader, "*")) return { min: 0, max: Infinity };
  if (accept(reader, "+")) return { min: 1, max: Infinity };
  if (accept(reader, "?")) return { min: 0, max: 1 };
  if (peek(reader) !== "{") return undefined;
  const text = reader.chars.slice(reader.at, reader.at + 16).join("");
  const [whole, min = "", comma, max = ""] = /^\{(\d+)(,(\d*))?\}/.exec(text) ?? [];
  if (whole === undefined) return undefined;
  reader.at += whole.length;
  const least = Number(min);
  const most = comma === undefined ? least : comma === "," ? Infinity : Number(max || comma.slice(1));
  if (least > MAX_REPEAT || (most > MAX_REPEAT && most !== Infinity))
    throw fault(reader, `a repetition over ${MAX_REPEAT}`);
  return { min: least, max: most };
}

function readAtom(reader: Reader): RegexNode {
  const char = peek(reader);
  if (char === "(") return readGroup(reader);
  if (char === "*" || char === "+" || char === "?") throw fault(reader, `a ${char} with nothing before it`);
  reader.at += 1;
  if (char === "^") return { kind: "assert", what: "start" };
  if (char === "$") return { kind: "assert", what: "end" };
  if (char === ".")
    return setOf(
      reader,
      [
        [0x0a, 0x0a],
        [0x0d, 0x0d],
      ],
      true,
    );
  if (char === "[") return readClass(reader);
  if (char === "\\") return readEscape(reader);
  return setOf(reader, single(char));
}

function setOf(reader: Reader, ranges: Ranges, isNegated = false): RegexNode {
  return { kind: "set", set: { ranges, isNegated, ignoresCase: reader.ignoresCase } };
}

function single(char: string): Ranges {
  const code = char.codePointAt(0) ?? 0;
  return [[code, code]];
}

function readGroup(reader: Reader): RegexNode {
  reader.at += 1;
  if (accept(reader, "?") && !accept(reader, ":")) readGroupName(reader);
  reader.depth += 1;
  if (reader.depth > MAX_DEPTH) throw fault(reader, `groups nested deeper than ${MAX_DEPTH}`);
  const node = readChoice(reader);
  if (!accept(reader, ")")) throw fault(reader, "a ( without its )");
  reader.depth -= 1;
  return node;
}

function readGroupName(reader: Reader): void {
  const rest = reader.chars.slice(reader.at, reader.at + 80).join("");
  const name = /^P?<[A-Za-z_]\w*>/.exec(rest);
  if (name === null) throw fault(reader, "look-around and flags within a pattern are not supported");
  reader.at += name[0].length;
}

function readEscape(reader: Reader): RegexNode {
  const char = peek(reader);
  const what = Object.hasOwn(ASSERTIONS, char) ? ASSERTIONS[char] : undefined;
  if (what !== undefined) {
    reader.at += 1;
    return { kind: "assert", what };
  }
  if (/[1-9k]/.test(char)) throw fault(reader, "references to groups are not supported");
  return setOf(reader, readEscapedRanges(reader));
}

/** What stands behind a backslash, in a class or outside. */
function readEscapedRanges(reader: Reader): Ranges {
  const char = peek(reader);
  if (char === "") throw fault(reader, "a backslash with nothing behind it");
  reader.at += 1;
  const ranges = Object.hasOwn(CLASSES, char) ? CLASSES[char] : undefined;
  if (ranges !== undefined) return ranges;
  const control = Object.hasOwn(CONTROLS, char) ? CONTROLS[char] : undefined;
  if (control !== undefined) return [[control, control]];
  if (char === "x" || char === "u") return readHex(reader, char === "x" ? 2 : 4);
  if (/[A-Za-z]/.test(char)) throw fault(reader, `\\${char} is not supported`);
  return single(char);
}

function readHex(reader: Reader, digits: number): Ranges {
  const rest = reader.chars.slice(reader.at, reader.at + 10).join("");
  const [whole, braced, bare] = new RegExp(`^(?:\\{([0-9a-fA-F]{1,6})\\}|([0-9a-fA-F]{${digits}}))`).exec(rest) ?? [];
  if (whole === undefined) throw fault(reader, "an escape without its hexadecimal digits");
  reader.at += whole.length;
  const code = Number.parseInt(braced ?? bare ?? "", 16);
  if (code > LAST) throw fault(reader, "an escape beyond the last character");
  return [[code, code]];
}

function readClass(reader: Reader): RegexNode {
  const isNegated = accept(reader, "^");
  const ranges: (readonly [number, number])[] = [];
  // a bracket right at the start is one of the characters
  for (let isFirst = true; isFirst || peek(reader) !== "]"; isFirst = false) {
    if (reader.at >= reader.chars.length) throw fault(reader, "a [ without its ]");
    if (isFirst && peek(reader) === "]" && !reader.chars.includes("]", reader.at + 1))
      throw fault(reader, "an empty class");
    const from = readClassPart(reader);
    const isRange = peek(reader) === "-" && peek(reader, 1) !== "]" && peek(reader, 1) !== "" && isSingle(from);
    if (!isRange) {
      ranges.push(...from);
      continue;
    }
    reader.at += 1;
    const to = readClassPart(reader);
    const [low, high] = [from[0]?.[0] ?? 0, to[0]?.[0] ?? 0];
    if (!isSingle(to) || low > high) throw fault(reader, "a range whose ends are in the wrong order");
    ranges.push([low, high]);
  }
  reader.at += 1;
  return setOf(reader, ranges, isNegated);
}

function readClassPart(reader: Reader): Ranges {
  if (accept(reader, "\\")) return peek(reader) === "b" ? ((reader.at += 1), [[8, 8]]) : readEscapedRanges(reader);
  const char = peek(reader);
  reader.at += 1;
  return single(char);
}

function isSingle(ranges: Ranges): boolean {
  return ranges.length === 1 && ranges[0]?.[0] === ranges[0]?.[1];
}

function complement(ranges: Ranges): Ranges {
  const gaps: (readonly [number, number])[] = [];
  let next = 0;
  for (const [from, to] of ranges) {
    if (from > next) gaps.push([next, from - 1]);
    next = to + 1;
  }
  return [...gaps, [next, LAST]];
}
