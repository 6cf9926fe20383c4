import { basename } from "node:path";
import { roomOf } from "./find-forbidden-imports.ts";
import { type SourceFile, importsOf } from "./source-files.ts";

/** Longest file that nobody is asked about. */
const MAX_LINES = 400;

const KEBAB_FILE = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z]+)*\.(?:ts|mts|mjs|js)$/;

/** Names that say nothing of what a thing is. */
const EMPTY_WORDS = new Set([
  "utils",
  "util",
  "helpers",
  "helper",
  "common",
  "misc",
  "manager",
  "service",
  "base",
  "impl",
  "data",
  "info",
]);

/** Names of files that break a rule: not kebab-case, a barrel, or a word that says nothing. */
export function findBadFileNames(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path }) => {
    const name = basename(path);
    if (name.startsWith("index.")) return [`${path} is a barrel`];
    if (!KEBAB_FILE.test(name)) return [`${path} is not in kebab-case`];
    return isEmptyName((name.split(".")[0] ?? "").split("-")) ? [`${path} has a name that says nothing`] : [];
  });
}

/** Exported names that say nothing. */
export function findBadExportNames(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:function|const|class|interface|type) (\w+)/gm)]
      .flatMap(([, name]) => name ?? [])
      .filter((name) =>
        isEmptyName(
          name
            .replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2")
            .toLowerCase()
            .split("_"),
        ),
      )
      .map((name) => `${path}: ${name} says nothing`),
  );
}

/** The last word says what a thing is; `handle` says of nothing what happens to it. */
function isEmptyName(words: readonly string[]): boolean {
  return EMPTY_WORDS.has(words.at(-1) ?? "") || (words[0] ?? "").startsWith("handle");
}

/** Files that are too long and have no reason written down. */
export function findLongFiles(
  files: readonly SourceFile[],
  reasons: Readonly<Record<string, string>>,
): readonly string[] {
  return files
    .filter(({ path }) => reasons[path] === undefined)
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines`);
}

/** Classes that are neither Durable Objects, which live in a folder of their own, nor errors. */
export function findClasses(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/^\s*(?:export )?(?:abstract )?class (\w+)(?: extends (\w+))?/gm)]
      .filter(([, , parent = ""]) => !path.startsWith("durable-objects/") && !parent.endsWith("Error"))
      .map(([, name]) => `${path}: class ${name}`),
  );
}

/**
 * Files that no test is about: they have no mirror (`test/<path>.test.ts`), and are no part of a file in the same room
 * that has one. Files of types alone need none. A member is no part of its registry.
 */
export function findUntested(files: readonly SourceFile[], testPaths: ReadonlySet<string>): readonly string[] {
  const byTarget = new Map(files.map((file) => [file.path.replace(/\.ts$/, ""), file]));
  const tested = new Set(files.filter(({ path }) => testPaths.has(`test/${path.replace(/\.ts$/, ".test.ts")}`)));
  // a part of a tested file is tested, and so are its parts: the set grows while it is walked
  for (const file of tested) {
    if (basename(file.path) === "registry.ts") continue;
    for (const { target } of importsOf(file)) {
      const part = byTarget.get(target);
      if (part !== undefined && roomOf(part.path) === roomOf(file.path)) tested.add(part);
    }
  }
  return files.filter((file) => !tested.has(file) && hasCode(file)).map(({ path }) => path);
}

function hasCode({ text }: SourceFile): boolean {
  return /^(?:export )?(?:default |async )?(?:function|const|let|class)\b|^export default\b/m.test(text);
}

/** What is true on one machine only, or was left for later, as `path:line`. */
export function findLeftovers(files: readonly SourceFile[], patterns: readonly RegExp[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split("\n")
      .flatMap((line, index) => (patterns.some((pattern) => pattern.test(line)) ? [`${path}:${index + 1}`] : [])),
  );
}

/** Chats that more than one file of tests talks in: all files share one world of objects. */
export function findSharedChats(files: readonly SourceFile[]): readonly string[] {
  const talkers = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    for (const [chat] of text.matchAll(/\b[7-9]\d_\d{3}\b/g)) {
      talkers.set(chat, (talkers.get(chat) ?? new Set()).add(path));
    }
  }
  return [...talkers].flatMap(([chat, paths]) => (paths.size > 1 ? `${chat}: ${[...paths].join(", ")}` : []));
}
