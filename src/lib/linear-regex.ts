import { type CharSet, type RegexNode, parseRegex } from "./regex-syntax";

/** Steps that a pattern may have once its counted repetitions are written out. */
const MAX_STEPS = 5000;

/** Characters that mean nothing but themselves. */
const LITERAL = /^[\w \-:;,"'<>=/@#%&!~]+$/;

interface Take {
  readonly kind: "take";
  readonly takes: (code: number) => boolean;
  readonly next: number;
}

/** Takes one character, splits in two, holds at a place, or has matched. */
type Step =
  | Take
  | { readonly kind: "split"; readonly next: number; readonly other: number }
  | { readonly kind: "assert"; readonly what: string; readonly next: number }
  | { readonly kind: "done" };

/** A test of lines, and its price. */
export interface LineMatcher {
  /** Steps that each character may take at the most. */
  readonly steps: number;
  readonly matches: (line: string) => boolean;
}

/**
 * Makes a test of a pattern that nobody vouches for: whether a line holds a match, in a time in proportion to line
 * times pattern. (A backtracking engine takes years for some short patterns on a short line.) The syntax is that of
 * JavaScript without look-around and references back; `(?i)` at the start ignores case.
 *
 * @throws SyntaxError one clause that says what is wrong with the pattern
 */
export function lineMatcher(pattern: string): LineMatcher {
  if (LITERAL.test(pattern)) return { steps: 1, matches: (line) => line.includes(pattern) };
  const node = parseRegex(pattern);
  const needed = neededTexts(node);
  const { steps, start } = compile(node);
  const run = runner(steps, start);
  // looking for a fixed text is an order of magnitude faster, and most lines of most searches do not have it
  return { steps: steps.length, matches: (line) => needed.every((text) => line.includes(text)) && run(line) };
}

/** Texts that stand in whatever the pattern matches, as far as that is easily told. */
function neededTexts(node: RegexNode): readonly string[] {
  const texts = [""];
  const visit = (part: RegexNode): void => {
    const char = part.kind === "set" ? onlyChar(part.set) : undefined;
    if (part.kind === "sequence") part.parts.forEach(visit);
    else if (char !== undefined) texts.push((texts.pop() ?? "") + char);
    else if (part.kind !== "assert") texts.push("");
  };
  visit(node);
  return texts.filter((text) => text !== "");
}

function onlyChar({ ranges, isNegated, ignoresCase }: CharSet): string | undefined {
  const [from, to] = ranges[0] ?? [];
  const isOne = ranges.length === 1 && from === to && !isNegated && !ignoresCase;
  return isOne && from !== undefined ? String.fromCodePoint(from) : undefined;
}

function compile(node: RegexNode): { readonly steps: readonly Step[]; readonly start: number } {
  const steps: Step[] = [{ kind: "done" }];
  const add = (step: Step): number => {
    if (steps.length >= MAX_STEPS) throw new SyntaxError("its counted repetitions make it too long");
    return steps.push(step) - 1;
  };
  const build = (part: RegexNode, next: number): number => {
    if (part.kind === "set") return add({ kind: "take", takes: taker(part.set), next });
    if (part.kind === "assert") return add({ kind: "assert", what: part.what, next });
    if (part.kind === "sequence") return part.parts.reduceRight((after, inner) => build(inner, after), next);
    if (part.kind === "repeat") return repeat(part, next);
    return part.parts
      .map((inner) => build(inner, next))
      .reduce((other, first) => add({ kind: "split", next: first, other }));
  };
  const repeat = ({ part, min, max }: Extract<RegexNode, { kind: "repeat" }>, next: number): number => {
    let after = next;
    if (max === Infinity) {
      // the loop's own index must be known before its body is built
      const loop = add({ kind: "split", next, other: next });
      steps[loop] = { kind: "split", next: build(part, loop), other: next };
      after = loop;
    } else {
      for (let i = min; i < max; i++) after = add({ kind: "split", next: build(part, after), other: next });
    }
    for (let i = 0; i < min; i++) after = build(part, after);
    return after;
  };
  return { start: build(node, 0), steps };
}

function taker({ ranges, isNegated, ignoresCase }: CharSet): (code: number) => boolean {
  const inRanges = (code: number): boolean => ranges.some(([from, to]) => from <= code && code <= to);
  const holds = (code: number): boolean => inRanges(code) || (ignoresCase && otherCases(code).some(inRanges));
  // almost every character that is ever tested is one of the first 128
  const ascii = Uint8Array.from({ length: 128 }, (_, code) => (holds(code) === isNegated ? 0 : 1));
  return (code) => (code < 128 ? ascii[code] === 1 : holds(code) !== isNegated);
}

function otherCases(code: number): number[] {
  const char = String.fromCodePoint(code);
  return [char.toLowerCase(), char.toUpperCase()].flatMap((other) =>
    other.length === char.length ? [other.codePointAt(0) ?? code] : [],
  );
}

/** Follows all ways through the steps at once, so that no character is looked at twice for the same step. */
function runner(steps: readonly Step[], start: number): (line: string) => boolean {
  // the same arrays serve every character of every line: making new ones is what would take the time
  const seenAt = new Int32Array(steps.length);
  let generation = 0;
  let waiting: Take[] = [];
  let reached: Take[] = [];
  const stack: number[] = [];

  /** Adds the steps that wait for a character from here on; true when the end is among them. */
  function reach(from: number, previous: number, code: number): boolean {
    stack.push(from);
    for (let index = stack.pop(); index !== undefined; index = stack.pop()) {
      const step = steps[index];
      if (step === undefined || seenAt[index] === generation) continue;
      seenAt[index] = generation;
      if (step.kind === "take") reached.push(step);
      else if (step.kind === "split") stack.push(step.other, step.next);
      else if (step.kind === "assert" && holdsAt(step.what, previous, code)) stack.push(step.next);
      else if (step.kind === "done") return true;
    }
    return false;
  }

  return (line) => {
    let previous = -1;
    waiting.length = 0;
    stack.length = 0;
    for (let at = 0, code = codeAt(line, 0); ;) {
      generation += 1;
      reached.length = 0;
      for (const step of waiting) if (step.takes(previous) && reach(step.next, previous, code)) return true;
      if (reach(start, previous, code)) return true;
      if (code === -1) return false;
      [waiting, reached] = [reached, waiting];
      previous = code;
      at += code > 0xffff ? 2 : 1;
      code = codeAt(line, at);
    }
  };
}

/** The character at an index; -1 behind the end. */
function codeAt(line: string, at: number): number {
  return line.codePointAt(at) ?? -1;
}

/** Whether an assertion holds between two characters; -1 stands for the line's ends. */
function holdsAt(what: string, previous: number, code: number): boolean {
  if (what === "start") return previous === -1;
  if (what === "end") return code === -1;
  return (isWord(previous) !== isWord(code)) === (what === "word");
}

function isWord(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code === 95 || (code >= 97 && code <= 122);
}
