import type { BaseFiles, FileChange } from "../base-files";

/** What a path was when both sides had the same of it. */
export interface SyncedFile {
  readonly kind: "file" | "directory" | "symlink";
  /** Hash of a file's content, target of a link, empty for a folder. */
  readonly content: string;
  readonly mode: number;
  /** As the sidecar told them. */
  readonly size: number;
  readonly modifiedAt: number;
  /** It was so young when it was listed that a later change could look the same. */
  readonly isYoung: boolean;
}

/** Where a workspace stands with its sidecar. */
export interface SyncState {
  /** Mark of the disk that everything below is about. */
  readonly mark: string;
  /** The start of the sidecar in which that mark was last seen. */
  readonly boot: string;
  /** Of the events that were dealt with. */
  readonly cursor: string;
  /** Real path of the workspace's folder there. */
  readonly root: string;
  /** Milliseconds of the longest command there. */
  readonly maxTimeoutMs: number;
  /** Nothing runs there that could change files: what was fetched last is what there is. */
  readonly isQuiet: boolean;
  /** What is on the sidecar alone, as the model was last told. */
  readonly left: readonly string[];
}

/** What one step of syncing leaves: all of it, or nothing. Paths are absolute. */
export interface SyncCommit {
  readonly changes?: readonly FileChange[];
  /** What is the same on both sides now; undefined: what is on neither, or not known to be. */
  readonly synced?: readonly (readonly [path: string, file: SyncedFile | undefined])[];
  /** Changed here, and not there yet. */
  readonly dirty?: readonly string[];
  readonly clean?: readonly string[];
}

/** What a workspace remembers of its sidecar, beside its files. Paths are absolute. */
export interface SyncStore {
  readonly files: BaseFiles;
  /** Undefined until the workspace first had a sidecar: until then nothing is noted. */
  state(): SyncState | undefined;
  setState(state: SyncState): void;
  synced(path: string): SyncedFile | undefined;
  allSynced(): ReadonlyMap<string, SyncedFile>;
  /** Paths that changed here since they were the same on both sides, sorted. */
  dirty(): readonly string[];
  isDirty(path: string): boolean;
  /** One transaction. */
  commitSync(commit: SyncCommit): void;
  /** Begins anew with a disk that has nothing: every file of the workspace has to go there. One transaction. */
  beginSync(state: SyncState): void;
}
