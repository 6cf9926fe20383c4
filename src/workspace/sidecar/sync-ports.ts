import type { StoredNode, WorkspaceQuota } from "../base-files";
import { HOME } from "../workspace-path";
import type { SidecarError } from "./sidecar-error";
import type { RemoteFile, SidecarFiles } from "./sidecar-files";
import type { SyncStore, SyncedFile } from "./sync-store";

/** What syncing needs of the world. */
export interface SyncPorts {
  readonly store: SyncStore;
  readonly files: SidecarFiles;
  /** Makes a symbolic link on the sidecar, in place of what is there. */
  readonly link: (path: string, target: string) => Promise<void>;
  /**
   * Makes sure that what was listed is the disk that all of this is about: an empty new one is no reason to remove
   * anything. @throws SidecarError
   */
  readonly confirm: () => Promise<void>;
  /** Real path of the workspace's folder on the sidecar. */
  readonly root: string;
  readonly quota: WorkspaceQuota;
  readonly report: SyncReport;
}

/** What the model has to know of one sync. Paths are from the workspace's folder. */
export interface SyncReport {
  /** Sentences about single files. */
  readonly notes: string[];
  /** What is on the sidecar alone, and why. */
  readonly left: Set<string>;
}

/**
 * Requests that are under way at the same time at the most; each may hold a file in memory.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#simultaneous-open-connections (six)
 */
const MAX_AT_ONCE = 4;

/** Does something with each of a list, a few at a time; the first failure is thrown when what was begun has ended. */
export async function forEachOf<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    while (failures.length === 0 && next < items.length) {
      const item = items[next++];
      // the index was checked: an item is only undefined where the list holds undefined
      await work(item as T).catch((error: unknown) => void failures.push(error));
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_AT_ONCE, items.length) }, worker));
  if (failures.length > 0) throw failures[0];
}

/** A path of the workspace as the sidecar's routes take it. */
export function toRemotePath(path: string): string {
  return path.slice(HOME.length + 1);
}

/** A path that the sidecar's routes gave, as the workspace has it. */
export function toLocalPath(path: string): string {
  return `${HOME}/${path}`;
}

/** Where a link of the sidecar points to, as the workspace has it. */
export function toLocalTarget(target: string, root: string): string {
  return target === root || target.startsWith(`${root}/`) ? HOME + target.slice(root.length) : target;
}

/** Where a link of the workspace points to, as the sidecar has it. */
export function toRemoteTarget(target: string, root: string): string {
  return target === HOME || target.startsWith(`${HOME}/`) ? root + target.slice(HOME.length) : target;
}

/** What is remembered of a path that both sides have. `sha256`: of a file's content. */
export function syncedAs(remote: RemoteFile, sha256: string, isYoung: boolean): SyncedFile {
  return {
    // the callers know it is none of the others
    kind: remote.kind === "other" ? "file" : remote.kind,
    content: remote.kind === "file" ? sha256 : (remote.target ?? ""),
    mode: remote.kind === "file" ? remote.mode : 0,
    size: remote.kind === "file" ? remote.size : 0,
    modifiedAt: remote.kind === "file" ? remote.modifiedAt : 0,
    isYoung,
  };
}

/** A file as it is kept here. */
export function fileNode(size: number, mode: number, modifiedAt: number): StoredNode {
  return { kind: "file", size, mode, modifiedAt };
}

/** Whether an error is about what was asked, and says nothing of other requests. */
export function isAboutRequest({ fault }: SidecarError): boolean {
  return !["unreachable", "lost", "token_refused", "protocol", "stopping", "internal", "session_missing"].includes(
    fault,
  );
}
