import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { FileStat, Workspace } from "#src/domain/tool";
import { type LineMatcher, lineMatcher } from "#src/lib/linear-regex";
import { defineTool } from "./define-tool";
import { type Collected, collectFiles } from "./searching/collect-files";
import { type FileMatches, renderMatches, searchLines } from "./searching/search-lines";
import { filePath, toTextFile } from "./text-file";

/** Each file is one call to wherever the workspace lives, of which one request may make only so many. */
const MAX_FILES_READ = 500;
const MAX_FILE_BYTES = 1_000_000;
const MAX_TOTAL_BYTES = 8_000_000;
/** Bytes times steps of the pattern: what keeps a long pattern, however it is made, within seconds. */
const MAX_TOTAL_STEPS = 400_000_000;
/** Files read at the same time. */
const READ_AHEAD = 8;

const schema = z.object({
  pattern: z
    .string()
    .min(1)
    .max(500)
    .describe("content: a regular expression, matched line by line; files: a glob such as *.ts"),
  target: z.enum(["content", "files"]).default("content").describe("Search in files, or for files by name"),
  path: filePath.default(".").describe("Folder or file to search; the working directory when absent"),
  file_glob: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("content: only files with such names, as *.py or src/**/*.ts"),
  limit: z.int().min(1).max(500).default(50).describe("Results at most"),
  offset: z.int().min(0).default(0).describe("Results to skip, to read on"),
  output_mode: z
    .enum(["content", "files_only", "count"])
    .default("content")
    .describe("content: matching lines; files_only: paths; count: matches in each file"),
  context: z.int().min(0).max(20).default(0).describe("Lines shown before and after each match"),
});

type Args = z.output<typeof schema>;

/** Searches the files of the workspace, by content or by name. */
export const searchFiles = defineTool({
  name: "search_files",
  toolset: "file",
  description:
    "Search the workspace: for lines that match a regular expression (no look-around, no back-references; (?i) at the " +
    "start ignores case), or with target files for file names that match a glob. Use it instead of grep, find or ls.",
  schema,
  effect: "safe",
  parallel: { access: "read", paths: ({ path }) => [path] },
  async execute(args, { workspace, signal }) {
    if (args.target === "files") return { content: await findFiles(args, workspace) };
    const matcher = readPattern(args.pattern);
    const collected = await collectFiles(workspace, args.path, args.file_glob);
    const wanted = args.output_mode === "content" ? args.offset + args.limit + 1 : Infinity;
    const search = await searchAll(collected.files, workspace, { matcher, wanted, signal });
    return { content: report(args, search, collected) };
  },
});

async function findFiles(args: Args, workspace: Workspace): Promise<string> {
  // a bare word is looked for anywhere in the name
  const glob = /[*?[{]/.test(args.pattern) ? args.pattern : `*${args.pattern}*`;
  const { files, isCut } = await collectFiles(workspace, args.path, glob);
  return page(
    files.map((file) => file.path),
    args,
    isCut ? ["the workspace has more files than could be listed"] : [],
  );
}

function readPattern(pattern: string): LineMatcher {
  try {
    return lineMatcher(pattern);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new GatewayError(
      "bad_request",
      `pattern is not a regular expression that can be searched: ${error.message}.`,
    );
  }
}

interface Search {
  readonly found: readonly FileMatches[];
  /** What was left out, in words. */
  readonly notes: readonly string[];
}

interface SearchOptions {
  readonly matcher: LineMatcher;
  /** Matches after which the search may end. */
  readonly wanted: number;
  readonly signal: AbortSignal;
}

async function searchAll(files: readonly FileStat[], workspace: Workspace, options: SearchOptions): Promise<Search> {
  const { matcher, wanted, signal } = options;
  const small = files.filter((file) => file.size <= MAX_FILE_BYTES);
  const readable = withinBudget(small, Math.min(MAX_TOTAL_BYTES, MAX_TOTAL_STEPS / matcher.steps));
  const found: FileMatches[] = [];
  let count = 0;
  for (let at = 0; at < readable.length && count < wanted; at += READ_AHEAD) {
    signal.throwIfAborted();
    const batch = readable.slice(at, at + READ_AHEAD);
    const contents = await Promise.all(batch.map((file) => workspace.readFile(file.path)));
    for (const [index, bytes] of contents.entries()) {
      const text = bytes === undefined ? undefined : toTextFile(bytes)?.text;
      if (text === undefined || count >= wanted) continue;
      const inFile = searchLines(batch[index]?.path ?? "", text, matcher.matches);
      if (inFile.hits.length > 0) found.push(inFile);
      count += inFile.hits.length;
    }
  }
  const notes = [
    ...(files.length > small.length
      ? [`${files.length - small.length} files over ${MAX_FILE_BYTES} bytes were left out`]
      : []),
    ...(small.length > readable.length
      ? [`${small.length - readable.length} files were not searched, narrow path or file_glob to reach them`]
      : []),
  ];
  return { found, notes };
}

/** The first files, as many as may be read in one search. */
function withinBudget(files: readonly FileStat[], maxBytes: number): readonly FileStat[] {
  let bytes = 0;
  const end = files.findIndex((file, index) => index >= MAX_FILES_READ || (bytes += file.size) > maxBytes);
  return end === -1 ? files : files.slice(0, end);
}

function report(args: Args, { found, notes }: Search, { isCut }: Collected): string {
  const allNotes = isCut ? [...notes, "the workspace has more files than could be listed"] : notes;
  if (args.output_mode === "files_only")
    return page(
      found.map(({ path }) => path),
      args,
      allNotes,
    );
  if (args.output_mode === "count")
    return page(
      found.map(({ path, hits }) => `${path}:${hits.length}`),
      args,
      allNotes,
    );
  const total = found.reduce((sum, { hits }) => sum + hits.length, 0);
  const shown = cutMatches(found, args).flatMap((file) => renderMatches(file, args.context));
  return finish(shown, { ...args, total, notes: allNotes });
}

/** The matches of the page that was asked for. */
function cutMatches(found: readonly FileMatches[], { offset, limit }: Args): FileMatches[] {
  let skipped = 0;
  return found.flatMap((file) => {
    const start = Math.max(0, offset - skipped);
    const end = Math.max(0, offset + limit - skipped);
    skipped += file.hits.length;
    const hits = file.hits.slice(start, end);
    return hits.length === 0 ? [] : [{ ...file, hits }];
  });
}

function page(lines: readonly string[], args: Args, notes: readonly string[]): string {
  return finish(lines.slice(args.offset, args.offset + args.limit), { ...args, total: lines.length, notes });
}

interface Ending {
  readonly offset: number;
  readonly limit: number;
  readonly total: number;
  readonly notes: readonly string[];
}

function finish(shown: readonly string[], { offset, limit, total, notes }: Ending): string {
  const more = total > offset + limit ? [`there are more; go on with offset ${offset + limit}`] : [];
  const ending = [...more, ...notes].map((note) => `[${note}]`);
  const lines = shown.length === 0 ? [total === 0 ? "No matches." : `No matches behind offset ${offset}.`] : shown;
  return [...lines, ...ending].join("\n");
}
