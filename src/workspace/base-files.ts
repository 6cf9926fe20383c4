/** What is kept of a file, folder or symbolic link beside its content. */
export interface StoredNode {
  readonly kind: "file" | "directory" | "symlink";
  /** Bytes; 0 for a folder. */
  readonly size: number;
  /** Permission bits. Kept and shown, not enforced: a workspace has one user. */
  readonly mode: number;
  /** Epoch milliseconds. */
  readonly modifiedAt: number;
  /** Where a symbolic link points, as it was written. */
  readonly target?: string;
}

/**
 * The committed files under an overlay. Paths are normalised. They do not change while an overlay stands on them, and
 * are read at once: the overlay never waits in the middle of an operation.
 */
export interface BaseFiles {
  find(path: string): StoredNode | undefined;
  /** What is in a folder, by name; nothing when it is none. */
  children(folder: string): ReadonlyMap<string, StoredNode>;
  /** Content of a file that `find` found. */
  read(path: string): Uint8Array;
  /** What all of it comes to. */
  readonly totals: WorkspaceTotals;
}

export interface WorkspaceTotals {
  /** Files, folders and symbolic links. */
  readonly nodes: number;
  readonly bytes: number;
}

/** How much a workspace may hold. */
export interface WorkspaceQuota {
  readonly maxNodes: number;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
}

/** One path that a command left otherwise than it found it; undefined means that nothing is there any more. */
export interface FileChange {
  readonly path: string;
  readonly node: StoredNode | undefined;
  /** New content of a file; absent when the content stayed. */
  readonly content?: Uint8Array;
}
