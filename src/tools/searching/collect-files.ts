import { GatewayError } from "#src/domain/errors";
import type { FileStat, Workspace } from "#src/domain/tool";
import { globMatcher } from "#src/lib/glob";
import { nearestWord } from "#src/lib/nearest-word";

/** Entries that one search lists at the most. */
const MAX_LISTED = 20_000;
/** Folders that hold what others made: only looked into when the search begins there. */
const SKIPPED = new Set([".git", "node_modules", "__pycache__", ".venv"]);

/** The files that a search looks at, sorted by path, and whether there were more than could be listed. */
export interface Collected {
  readonly files: readonly FileStat[];
  readonly isCut: boolean;
}

/** Lists the files below a path, or the one at it, whose names fit. @throws GatewayError `not_found` */
export async function collectFiles(workspace: Workspace, root: string, glob: string | undefined): Promise<Collected> {
  const stat = await workspace.stat(root);
  if (stat === undefined) throw new GatewayError("not_found", await missing(workspace, root));
  if (!stat.isDirectory) return { files: [stat], isCut: false };
  const entries = await workspace.list(root, MAX_LISTED);
  const fits = glob === undefined ? () => true : globMatcher(glob);
  const below = (path: string): string => (path.startsWith(`${stat.path}/`) ? path.slice(stat.path.length + 1) : path);
  const files = entries.filter((entry) => {
    const path = below(entry.path);
    return !entry.isDirectory && !path.split("/").some((part) => SKIPPED.has(part)) && fits(path);
  });
  return { files, isCut: entries.length >= MAX_LISTED };
}

async function missing(workspace: Workspace, root: string): Promise<string> {
  const entries = await workspace.list(".", MAX_LISTED).catch(() => []);
  const near = nearestWord(
    root,
    entries.filter((entry) => entry.isDirectory).map((entry) => entry.path),
  );
  return `There is nothing at ${root}.${near === undefined ? "" : ` Did you mean ${near}?`}`;
}
