import { type TextUnit, splitText } from "#src/lib/split-text";
import { type CaseFile, type Result, type Suite, resultOf } from "../result";

interface SplitCase {
  readonly id: string;
  readonly input: { readonly text: Template; readonly limit: number; readonly unit: TextUnit };
}
type Template = string | { readonly $repeat: readonly [Template, number] } | { readonly $join: readonly Template[] };

interface Problem {
  readonly expected: unknown;
  readonly got: unknown;
}

const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Splitting of long messages, judged by properties: length, whole characters, balanced fences, nothing lost. */
export const split: Suite = {
  suite: "split",
  async run(file: CaseFile): Promise<readonly Result[]> {
    // the format is that of the suite's own files
    return (file["cases"] as readonly SplitCase[]).map(({ id, input }) => {
      const { limit, unit } = input;
      const text = expand(input.text);
      const chunks = splitText(text, { limit, unit });
      return resultOf(id, problemsOf(text, chunks, { limit, unit }));
    });
  },
};

function expand(template: Template): string {
  if (typeof template === "string") return template;
  if ("$repeat" in template) return expand(template.$repeat[0]).repeat(template.$repeat[1]);
  return template.$join.map(expand).join("");
}

/** What is wrong with the chunks of a text; empty when nothing is. */
export function problemsOf(
  text: string,
  chunks: readonly string[],
  limits: { limit: number; unit: TextUnit },
): Problem[] {
  const { limit, unit } = limits;
  if (lengthOf(text, unit) <= limit) return chunks.join("") === text ? [] : [{ expected: [text], got: chunks }];
  const bare = withoutCounters(chunks);
  return [
    ...chunks.flatMap((chunk) => tooLong(chunk, limits)),
    ...bare.flatMap((chunk) => openFence(text, chunk, limits)),
    ...lostText(text, bare),
    ...cutCharacters(text, bare, limits),
  ];
}

function lengthOf(text: string, unit: TextUnit): number {
  if (unit === "utf16") return text.length;
  return unit === "codepoint" ? Array.from(text).length : new TextEncoder().encode(text).length;
}

function tooLong(chunk: string, { limit, unit }: { limit: number; unit: TextUnit }): Problem[] {
  const length = lengthOf(chunk, unit);
  // one character that alone is over the limit cannot be cut
  return length <= limit || Array.from(chunk).length === 1
    ? []
    : [{ expected: `at most ${limit}`, got: `${length}: ${chunk}` }];
}

function withoutCounters(chunks: readonly string[]): string[] {
  const isCounted = chunks.length > 1 && chunks.every((chunk, i) => chunk.endsWith(` (${i + 1}/${chunks.length})`));
  return chunks.map((chunk, i) => (isCounted ? chunk.slice(0, -` (${i + 1}/${chunks.length})`.length) : chunk));
}

/** A chunk that opens a fence must close it, unless the limit cannot hold both marks and a character. */
function openFence(text: string, chunk: string, { limit }: { limit: number }): Problem[] {
  const marks = Array.from(text.matchAll(/^.*?(?:`{3}|~{3})\S*/gm), ([mark]) => mark.length);
  if (2 * Math.max(0, ...marks) + 4 > limit || chunk.trim() === text.trim()) return [];
  return readFences(chunk).isOpen ? [{ expected: "every fence closed", got: chunk }] : [];
}

/**
 * Everything but blanks must be there, in order. Fence lines may differ, because some are added; what stood behind an
 * opening fence may have become its first line.
 */
function lostText(text: string, chunks: readonly string[]): Problem[] {
  if (text.replaceAll(/\s/g, "") === chunks.join("").replaceAll(/\s/g, "")) return [];
  const got = chunks.map(inked).join("");
  // a tag may be there or not, so there may be several places to go on from
  let places = [0];
  for (const { content, isTag } of readFences(text).lines) {
    const ink = content.replaceAll(NO_INK, "");
    const next = places.filter((at) => got.startsWith(ink, at)).map((at) => at + ink.length);
    if (next.length === 0 && !isTag)
      return [{ expected: `…${ink}`, got: `…${got.slice(places[0], (places[0] ?? 0) + 60)}` }];
    places = isTag ? [...new Set([...places, ...next])] : next;
  }
  return places.includes(got.length) ? [] : [{ expected: "the end", got: `…${got.slice(places[0])}` }];
}

const NO_INK = /[`~\s>]/g;

/** What is written in a text: no blanks, no fence lines, no marks of code and quotation. */
function inked(text: string): string {
  const contents = readFences(text).lines.filter(({ isTag }) => !isTag);
  return contents
    .map(({ content }) => content)
    .join("")
    .replaceAll(NO_INK, "");
}

interface Fences {
  /** What each line holds; of a line that opens or closes a fence, what stands behind the mark. */
  readonly lines: readonly { readonly content: string; readonly isTag: boolean }[];
  readonly isOpen: boolean;
}

function readFences(text: string): Fences {
  let open: { readonly run: string; readonly depth: number } | undefined;
  const lines = text.split("\n").map((line) => {
    const depth = (/^[ \t>]*/.exec(line)?.[0] ?? "").replaceAll(/[^>]/g, "").length;
    if (open !== undefined && depth < open.depth) open = undefined;
    const [, item = "", run = "", info = ""] =
      /^[ \t>]*((?:(?:[-*+]|\d+[.)])[ \t]+)*)(`{3,}|~{3,})([^\n]*)$/.exec(line) ?? [];
    const closes = open !== undefined && run.startsWith(open.run) && (item + info).trim() === "";
    const opens = open === undefined && run !== "" && !(run.startsWith("`") && info.includes("`"));
    if (closes || opens) open = opens ? { run, depth } : undefined;
    return closes || opens ? { content: info, isTag: true } : { content: line, isTag: false };
  });
  return { lines, isOpen: open !== undefined };
}

/** Joined again, the chunks must hold no lone surrogate and as many characters, as people see them, as the text. */
function cutCharacters(
  text: string,
  chunks: readonly string[],
  { limit, unit }: { limit: number; unit: TextUnit },
): Problem[] {
  const want = clusters(inked(text));
  if (want.some((cluster) => lengthOf(cluster, unit) > limit)) return [];
  const got = chunks.flatMap((chunk) => clusters(inked(chunk)));
  const at = want.findIndex((cluster, i) => cluster !== got[i]);
  return at === -1 || want.join("") !== got.join("") ? [] : [{ expected: want[at], got: got[at] }];
}

function clusters(text: string): string[] {
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}
