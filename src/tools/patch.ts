import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { ToolContext, ToolOutcome, Workspace } from "#src/domain/tool";
import { unifiedDiff } from "#src/lib/unified-diff";
import { defineTool, failure } from "./define-tool";
import { parsePatch, patchPaths } from "./editing/parse-patch";
import { type FileChange, planPatch } from "./editing/plan-patch";
import { replaceText } from "./editing/replace-text";
import { type TextFile, filePath, readTextFile, textFileBytes, toTextFile } from "./text-file";

/** Characters of the diffs that a result shows. */
const MAX_DIFF_CHARS = 8000;
/** Bytes of a file that is edited by a part: searching a larger one takes too long. */
const MAX_EDITED_BYTES = 2_000_000;
const MAX_FILES = 50;

const schema = z.object({
  mode: z.enum(["replace", "patch"]).default("replace").describe("replace: one text in one file; patch: a V4A patch"),
  path: filePath.optional().describe("replace: the file to edit"),
  old_string: z.string().optional().describe("replace: the text to find, with enough lines around it to be unique"),
  new_string: z.string().optional().describe("replace: what takes its place; empty deletes"),
  replace_all: z
    .boolean()
    .default(false)
    .describe("replace: change every place instead of refusing when there are several"),
  patch: z
    .string()
    .optional()
    .describe(
      "patch: *** Begin Patch, then for each file *** Add File: path, *** Update File: path (with *** Move to: path to " +
        "rename) or *** Delete File: path, hunks that begin with @@ and lines that begin with a blank, - or +, then " +
        "*** End Patch",
    ),
});

type Args = z.output<typeof schema>;

/** Changes parts of files of the workspace. */
export const patch = defineTool({
  name: "patch",
  toolset: "file",
  description:
    "Change parts of files in the workspace. Mode replace finds old_string in path, also when blanks or indentation " +
    "differ a little, and puts new_string in its place. Mode patch takes a V4A patch over several files: all of it is " +
    "made, or nothing. Returns a diff of what changed.",
  schema,
  effect: "idempotent",
  parallel: { access: "write", paths: pathsOf },
  async execute(args, context) {
    return args.mode === "replace" ? replaceIn(args, context) : applyPatch(args.patch ?? "", context);
  },
});

/** The files that a call may change; undefined when it does not say. */
function pathsOf(args: Args): readonly string[] | undefined {
  if (args.mode !== "patch") return args.path === undefined ? undefined : [args.path];
  const paths = patchPaths(args.patch ?? "");
  return paths.length === 0 ? undefined : paths;
}

async function replaceIn(args: Args, { workspace, callKey }: ToolContext): Promise<ToolOutcome> {
  const { path, old_string: oldText, new_string: newText, replace_all: replaceAll } = args;
  if (path === undefined || oldText === undefined || newText === undefined) {
    return failure("Mode replace needs path, old_string and new_string.");
  }
  if (oldText === "") return failure("old_string is empty; to make a new file, use write_file.");
  if (oldText === newText) return failure("old_string and new_string are the same; nothing would change.");
  const file = await readEditable(workspace, path);
  const replaced = replaceText(file.text, { oldText, newText, replaceAll });
  if ("problem" in replaced) return failure(`Nothing was changed in ${path}: ${replaced.problem}`);
  if ("isDone" in replaced)
    return { content: `${path} is as it shall be already: it has new_string, and not old_string.` };
  const after = { ...file, text: replaced.text };
  await workspace.writeFile(path, textFileBytes(after), callKey);
  const how = replaced.strategy === "exact" ? "" : ` (old_string was not exact; found by: ${replaced.strategy})`;
  const places = replaced.count === 1 ? "1 place" : `${replaced.count} places`;
  return { content: `Changed ${places} in ${path}${how}.\n${diffOf([{ path, before: file, after }])}` };
}

async function applyPatch(text: string, { workspace, callKey }: ToolContext): Promise<ToolOutcome> {
  if (text.trim() === "") return failure("Mode patch needs patch.");
  const files = await planPatch(parsePatch(text), (path) => readIfThere(workspace, path));
  if (files.length > MAX_FILES) return failure(`Nothing was changed: one patch may name ${MAX_FILES} files.`);
  const changes = files.map((file, index) => ({ ...file, key: `${callKey}:${index}` })).filter(isChange);
  if (changes.length === 0) return { content: "The files are as the patch wants them already; nothing was changed." };
  // what is deleted last cannot be missed when a move is cut off between its two steps
  for (const { path, after, key } of changes) {
    if (after !== undefined) await workspace.writeFile(path, textFileBytes(after), key);
  }
  for (const { path, after, key } of changes) if (after === undefined) await workspace.removeFile(path, key);
  return { content: `${changes.map(sentence).join("\n")}\n${diffOf(changes)}` };
}

async function readEditable(workspace: Workspace, path: string): Promise<TextFile> {
  const stat = await workspace.stat(path);
  if (stat !== undefined && stat.size > MAX_EDITED_BYTES) {
    throw new GatewayError("too_large", `${path} has ${stat.size} bytes; patch edits files up to ${MAX_EDITED_BYTES}.`);
  }
  return readTextFile(workspace, path);
}

async function readIfThere(workspace: Workspace, path: string): Promise<TextFile | undefined> {
  const bytes = await workspace.readFile(path);
  if (bytes === undefined) return undefined;
  if (bytes.length > MAX_EDITED_BYTES) {
    throw new GatewayError(
      "too_large",
      `${path} has ${bytes.length} bytes; patch edits files up to ${MAX_EDITED_BYTES}.`,
    );
  }
  const file = toTextFile(bytes);
  if (file === undefined) throw new GatewayError("bad_request", `Nothing was changed. ${path} is not a text file.`);
  return file;
}

function isChange({ before, after }: FileChange): boolean {
  return before?.text !== after?.text;
}

function sentence({ path, before, after }: FileChange): string {
  if (after === undefined) return `Deleted ${path}.`;
  return before === undefined ? `Created ${path}.` : `Changed ${path}.`;
}

function diffOf(changes: readonly FileChange[]): string {
  const diff = changes
    .map(({ path, before, after }) => {
      const heads = `--- ${before === undefined ? "/dev/null" : path}\n+++ ${after === undefined ? "/dev/null" : path}`;
      return `${heads}\n${unifiedDiff(before?.text ?? "", after?.text ?? "")}`;
    })
    .join("\n");
  if (diff.length <= MAX_DIFF_CHARS) return diff;
  return `${diff.slice(0, MAX_DIFF_CHARS).toWellFormed()}\n[${diff.length - MAX_DIFF_CHARS} more characters of diff]`;
}
