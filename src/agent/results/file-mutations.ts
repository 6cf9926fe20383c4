import type { JsonValue } from "#src/domain/json";
import type { Message, ToolCall } from "#src/domain/message";
import type { AnyTool } from "#src/domain/tool";
import { resolvePath } from "#src/lib/posix-path";

/** What became of the files that a turn wanted to write. */
export interface FileMutations {
  /** Files that were written at least once, in the order of the first time. */
  readonly changed: readonly string[];
  /** Files whose last try failed, and nothing succeeded after it. */
  readonly failed: readonly { readonly path: string; readonly reason: string }[];
}

const WORKSPACE = "/workspace";
const MAX_SHOWN = 5;
const REASON_CHARS = 120;

/** Reads from a turn's rows which files its calls wrote, and which they only meant to write. */
export function fileMutations(
  rows: readonly Message[],
  turnId: number,
  toolOf: (name: string) => AnyTool | undefined,
): FileMutations {
  const calls = new Map<string, ToolCall>();
  const changed = new Set<string>();
  const failed = new Map<string, string>();
  for (const row of rows) {
    if (row.turnId !== turnId) continue;
    for (const call of row.toolCalls ?? []) calls.set(call.id, call);
    for (const result of row.toolResults ?? []) {
      const call = calls.get(result.callId);
      const paths = call === undefined ? [] : writtenPaths(call, toolOf(call.name));
      for (const path of paths) {
        // what failed must come last to count as the latest
        failed.delete(path);
        if (result.isError === true) failed.set(path, reasonOf(result.content));
        else changed.add(path);
      }
    }
  }
  return { changed: [...changed], failed: Array.from(failed, ([path, reason]) => ({ path, reason })) };
}

/** The files that a call writes, as full paths; none for calls that write no files, or do not say which. */
export function writtenPaths(call: ToolCall, tool: AnyTool | undefined): readonly string[] {
  if (tool === undefined || typeof tool.parallel === "string" || tool.parallel.access !== "write") return [];
  return pathsOf(call, tool, tool.parallel.paths).map((path) => resolvePath(WORKSPACE, path));
}

function pathsOf(
  call: ToolCall,
  tool: AnyTool,
  paths: (args: unknown) => readonly string[] | undefined,
): readonly string[] {
  let input: JsonValue;
  try {
    // whatever JSON the model wrote
    input = JSON.parse(call.arguments) as JsonValue;
  } catch {
    return [];
  }
  try {
    return paths(tool.parse(input)) ?? [];
  } catch {
    // arguments that the tool refused still say which file was meant
    const path = typeof input === "object" && input !== null && "path" in input ? input["path"] : undefined;
    return typeof path === "string" && path !== "" ? [path] : [];
  }
}

/**
 * What stands below an answer when files were not written that it may speak of as if they were; undefined when all
 * went well.
 */
export function mutationFooter({ failed }: Pick<FileMutations, "failed">): string | undefined {
  if (failed.length === 0) return undefined;
  const lines = failed.slice(0, MAX_SHOWN).map(({ path, reason }) => `- \`${path}\`: ${reason}`);
  const more = failed.length > MAX_SHOWN ? [`- and ${failed.length - MAX_SHOWN} more`] : [];
  const head = failed.length === 1 ? "1 file was" : `${failed.length} files were`;
  return [`⚠️ ${head} not changed as intended, whatever is said above:`, ...lines, ...more].join("\n");
}

function reasonOf(content: string): string {
  const line = content.split("\n", 1)[0]?.trim() ?? "";
  return line.length <= REASON_CHARS ? line : `${line.slice(0, REASON_CHARS).toWellFormed()}…`;
}
