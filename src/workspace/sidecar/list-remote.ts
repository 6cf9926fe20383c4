import { pathFault } from "../workspace-path";
import type { RemoteFile, SidecarFiles } from "./sidecar-files";
import { megabytes } from "./push-files";
import { MAX_SYNCED_BYTES, isUnsynced, isUnsyncedFolder } from "./sync-rules";
import { forEachOf, toLocalPath } from "./sync-ports";

/** The files of the sidecar that are kept here too. */
export interface RemoteFiles {
  /** By absolute path of the workspace. */
  readonly files: ReadonlyMap<string, RemoteFile>;
  /** Everything was seen: what is not here is not there. */
  readonly isWhole: boolean;
  /** What is not kept here, for people. */
  readonly left: readonly string[];
  /** Which files may have changed since without showing it. */
  readonly isYoung: (file: RemoteFile) => boolean;
}

/** Files and folders that are looked at when one answer does not hold all. */
const MAX_SEEN = 40_000;

/** How much younger than its listing a file has to be to show every later change, in milliseconds. */
const YOUTH_MS = 2000;

/** Lists everything that is to be kept here, without looking into folders that are not. @throws SidecarError */
export async function listRemote(files: SidecarFiles): Promise<RemoteFiles> {
  const whole = await files.list(".", { isRecursive: true, hashes: false });
  if (!whole.isCut) return choose(whole.files, true, whole.at);
  const seen: RemoteFile[] = [];
  let isWhole = true;
  for (let folders = ["."]; folders.length > 0;) {
    const next: string[] = [];
    await forEachOf(folders, async (folder) => {
      if (seen.length > MAX_SEEN) {
        isWhole = false;
        return;
      }
      const listed = await files.list(folder, { isRecursive: false, hashes: false });
      isWhole &&= !listed.isCut;
      seen.push(...listed.files);
      const below = listed.files.filter(({ kind, path }) => kind === "directory" && !isUnsyncedFolder(nameOf(path)));
      next.push(...below.map(({ path }) => path));
    });
    folders = next;
  }
  return choose(seen, isWhole, whole.at);
}

function choose(all: readonly RemoteFile[], isWhole: boolean, at: number): RemoteFiles {
  const files = new Map<string, RemoteFile>();
  const left: string[] = [];
  for (const file of all) {
    const local = toLocalPath(file.path);
    if (file.kind === "other") continue;
    if (isUnsynced(file.path) || pathFault(local) !== undefined) {
      if (file.kind === "directory" && isUnsyncedFolder(nameOf(file.path)) && !isUnsynced(parentOf(file.path)))
        left.push(`${file.path}/`);
    } else if (file.kind === "file" && file.size > MAX_SYNCED_BYTES)
      left.push(`${file.path} (${megabytes(file.size)})`);
    else files.set(local, file);
  }
  if (!isWhole) left.push("what comes after the first 40000 files and folders");
  return { files, isWhole, left, isYoung: ({ modifiedAt }) => at === 0 || modifiedAt >= at - YOUTH_MS };
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
