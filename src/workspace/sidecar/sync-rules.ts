/** Bytes of the largest file that is kept here as well as on the sidecar. */
export const MAX_SYNCED_BYTES = 10 * 1024 * 1024;

/** Folders of what programs made and can make again, and of repositories, which only mean something whole. */
const UNSYNCED: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".tox",
  ".cache",
  ".gradle",
  ".next",
]);

/** What the sidecar itself puts beside a file while it is written. */
const PART = /^\..+\.[0-9a-f]{12}\.part$/;

/** Whether a folder stays on the side that it is on, with all that is in it. */
export function isUnsyncedFolder(name: string): boolean {
  return UNSYNCED.has(name);
}

/** Whether a path, from the workspace's folder, is never synced. */
export function isUnsynced(path: string): boolean {
  const words = path.split("/");
  // a name that is not UTF-8 comes with replacement characters, by which nothing is found again
  return words.some(isUnsyncedFolder) || PART.test(words.at(-1) ?? "") || path.includes("\u{FFFD}");
}

/** The folder of a path that keeps it from being synced, for people. */
export function unsyncedFolderOf(path: string): string | undefined {
  const words = path.split("/");
  const at = words.findIndex(isUnsyncedFolder);
  return at === -1 ? undefined : `${words.slice(0, at + 1).join("/")}/`;
}

/** A free name beside a path for what cannot have its name. */
export function conflictName(path: string, isTaken: (path: string) => boolean): string {
  for (let n = 1; ; n++) {
    const name = `${path}.conflict-${n}`;
    if (!isTaken(name)) return name;
  }
}
