import { foldPlainly, typography } from "./fold-text";
import type { PatchHunk } from "./parse-patch";

/** A file's text after its hunks, or why one of them has no place in it. */
export type Patched = { readonly text: string; readonly isDone: boolean } | { readonly problem: string };

/** How lines are compared, from the strictest to the loosest. */
const SAMENESS: readonly ((line: string) => string)[] = [
  (line) => line,
  (line) => line.trimEnd(),
  (line) => line.trim(),
  (line) => foldPlainly(line, typography).trim(),
];

const MAX_NAMED_PLACES = 10;

/**
 * Applies hunks to a text, in order. A hunk whose lines stand there already as they shall be counts as applied, so that
 * the same patch may run twice; `isDone` says that all of them were.
 */
export function applyHunks(source: string, hunks: readonly PatchHunk[]): Patched {
  const isCrLf = source.includes("\r\n") && !/(?<!\r)\n/.test(source);
  const text = isCrLf ? source.replaceAll("\r\n", "\n") : source;
  const endsWithNewline = text === "" || text.endsWith("\n");
  let lines = text.replace(/\n$/, "").split("\n");
  if (text === "") lines = [];
  let cursor = 0;
  let isDone = true;
  for (const [index, hunk] of hunks.entries()) {
    const place = placeOf(lines, hunk, cursor);
    if ("problem" in place) return { problem: `hunk ${index + 1} ${place.problem}` };
    cursor = place.at + hunk.after.length;
    if (place.isDone) continue;
    isDone = false;
    lines = lines.toSpliced(place.at, hunk.before.length, ...keepContext(lines, hunk, place.at));
  }
  const patched = lines.length === 0 ? "" : lines.join("\n") + (endsWithNewline ? "\n" : "");
  return { text: isCrLf ? patched.replaceAll("\n", "\r\n") : patched, isDone };
}

/** The lines that a hunk leaves. Lines of context stay as the file has them, even where the patch quotes them inexactly. */
function keepContext(lines: readonly string[], { before, after }: PatchHunk, at: number): string[] {
  const kept: string[] = [];
  let from = 0;
  for (const line of after) {
    const index = before.indexOf(line, from);
    kept.push(index === -1 ? line : (lines[at + index] ?? line));
    if (index !== -1) from = index + 1;
  }
  return kept;
}

type Spot = { readonly at: number; readonly isDone: boolean } | { readonly problem: string };

function placeOf(lines: readonly string[], hunk: PatchHunk, cursor: number): Spot {
  const anchored = followAnchors(lines, hunk.anchors, cursor);
  if (hunk.before.length === 0) return placeOfAddition(lines, hunk, anchored);
  const from = anchored ?? cursor;
  const found = findRuns(lines, hunk.before, hunk.isAtEnd);
  const behind = found.filter((at) => at >= from);
  const candidates = behind.length > 0 ? behind : found;
  const [first] = candidates;
  if (first === undefined) return placeOfDone(lines, hunk);
  if (candidates.length === 1 || (anchored !== undefined && behind.length > 0)) return { at: first, isDone: false };
  const named = candidates.slice(0, MAX_NAMED_PLACES).map((at) => at + 1);
  return {
    problem: `matches ${candidates.length} places, at lines ${named.join(", ")}: give more context, or an @@ line that comes before the right one`,
  };
}

/** A hunk that only adds goes behind its anchor, and without one to the end of the file. */
function placeOfAddition(lines: readonly string[], hunk: PatchHunk, anchored: number | undefined): Spot {
  if (anchored === undefined && hunk.anchors.length > 0) {
    return { problem: `has the anchor ${JSON.stringify(hunk.anchors.at(-1))}, which is not in the file` };
  }
  const at = anchored ?? lines.length;
  const standing = anchored === undefined ? lines.slice(-hunk.after.length) : lines.slice(at, at + hunk.after.length);
  const isDone = standing.length === hunk.after.length && standing.every((line, i) => line === hunk.after[i]);
  return { at: isDone && anchored === undefined ? lines.length - hunk.after.length : at, isDone };
}

function placeOfDone(lines: readonly string[], { before, after, isAtEnd }: PatchHunk): Spot {
  const [at, ...others] = after.length === 0 ? [] : findRuns(lines, after, isAtEnd);
  if (at !== undefined && others.length === 0) return { at, isDone: true };
  const first = before.find((line) => line.trim() !== "") ?? "";
  return {
    problem: `does not match: its lines, from ${JSON.stringify(first.trim())} on, are not in the file as they stand in the patch`,
  };
}

/** Index behind the last anchor, each looked for behind the one before it; undefined when there is none, or one is not there. */
function followAnchors(lines: readonly string[], anchors: readonly string[], cursor: number): number | undefined {
  let at: number | undefined;
  for (const anchor of anchors) {
    const from = at ?? cursor;
    const isIt = (line: string): boolean => line.trim() === anchor;
    const startsSo = (line: string): boolean => line.trim().startsWith(anchor);
    const search = (start: number): number[] =>
      [isIt, startsSo].map((test) => lines.findIndex((line, i) => i >= start && test(line)));
    const found = [...search(from), ...(at === undefined ? search(0) : [])].find((index) => index !== -1);
    if (found === undefined) return undefined;
    at = found + 1;
  }
  return at;
}

/** Where the wanted lines stand one after the other, by the strictest comparison that finds them at all. */
function findRuns(lines: readonly string[], wanted: readonly string[], isAtEnd: boolean): number[] {
  for (const sameness of SAMENESS) {
    const have = lines.map(sameness);
    const want = wanted.map(sameness);
    const lastStart = have.length - want.length;
    const runs = Array.from({ length: Math.max(0, lastStart + 1) }, (_, at) => at).filter(
      (at) => (!isAtEnd || at === lastStart) && want.every((line, i) => have[at + i] === line),
    );
    if (runs.length > 0) return runs;
  }
  return [];
}
