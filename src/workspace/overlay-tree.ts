import type { BaseFiles, FileChange, StoredNode, WorkspaceQuota } from "./base-files";
import { FsError } from "./fs-error";
import { HOME, childOf, isWithin, joinPath, nameOf, parentOf, pathFault } from "./workspace-path";

/** Folders that are there in every workspace and cannot go away. */
const FIXED_FOLDERS: readonly string[] = ["/", HOME, "/tmp"];

/** What the shell puts there itself for each command: never kept, and read-only but for devices. */
const SYSTEM_FOLDERS = ["/bin", "/usr", "/proc", "/dev"] as const;

/** As in the Linux kernel. */
const MAX_LINKS = 40;

/** Bytes of new content that one command may hold in memory, of the 128 MB that a whole isolate has. */
const MAX_HELD_BYTES = 48 * 1024 * 1024;

const FIXED_NODE: StoredNode = { kind: "directory", size: 0, mode: 0o755, modifiedAt: 0 };

interface Entry {
  readonly node: StoredNode;
  /** New content, at the start of a buffer that may be longer; absent when it is the base's. */
  readonly buffer?: Uint8Array;
}

export interface OverlayTreeOptions {
  readonly base: BaseFiles;
  readonly quota: WorkspaceQuota;
  readonly now: () => number;
}

/**
 * The files as one command sees them: the committed ones, and what it changed so far in memory. Operations take
 * normalised paths whose symbolic links are resolved, and are done when they return.
 */
export interface OverlayTree {
  find(path: string): StoredNode | undefined;
  /** Sorted names in a folder. */
  names(folder: string): readonly string[];
  /** Every path below a folder, the system's included, in no order. */
  paths(folder: string): string[];
  /** Follows symbolic links in the folders of a path, and the last one when asked. What is not there stays as named. */
  resolve(path: string, operation: string, followLast: boolean): string;
  read(path: string): Uint8Array;
  write(path: string, content: Uint8Array, mode?: number): void;
  append(path: string, content: Uint8Array): void;
  makeFolder(path: string): void;
  /** Makes a folder and those that it is in, where they are missing. */
  makeFolders(path: string): void;
  makeLink(path: string, target: string): void;
  /** Changes what is kept beside the content. */
  touch(path: string, change: { readonly mode?: number; readonly modifiedAt?: number }): void;
  /** Removes one file, link or empty folder; a fixed folder stays. */
  remove(path: string): void;
  /** From now on the system's own folders are read-only. */
  seal(): void;
  /** What is otherwise than in the base. */
  changes(): readonly FileChange[];
}

export function createOverlayTree({ base, quota, now }: OverlayTreeOptions): OverlayTree {
  /** Undefined where something of the base was removed. */
  const entries = new Map<string, Entry | undefined>();
  const namesIn = new Map<string, Set<string>>();
  const found = new Map<string, StoredNode | undefined>();
  let { nodes, bytes } = base.totals;
  let heldBytes = 0;
  let isSealed = false;

  const namesInBase = new Map<string, readonly string[]>();

  function inBase(path: string): StoredNode | undefined {
    if (!found.has(path)) found.set(path, base.find(path));
    return found.get(path);
  }

  function find(path: string): StoredNode | undefined {
    const node = entries.has(path) ? entries.get(path)?.node : inBase(path);
    return node ?? (FIXED_FOLDERS.includes(path) ? FIXED_NODE : undefined);
  }

  function put(path: string, operation: string, entry: Entry | undefined): void {
    if (isSealed && isReadOnly(path)) throw new FsError("EROFS", operation, path);
    const before = entries.get(path);
    const sizeBefore = find(path)?.size ?? 0;
    const sizeAfter = entry?.node.size ?? 0;
    const heldAfter = heldBytes - (before?.buffer?.length ?? 0) + (entry?.buffer?.length ?? 0);
    if (!isSystem(path)) {
      const nodesAfter =
        nodes +
        Number(entry !== undefined) -
        Number(entries.has(path) ? before !== undefined : inBase(path) !== undefined);
      const bytesAfter = bytes + sizeAfter - sizeBefore;
      const grows = bytesAfter > bytes || nodesAfter > nodes;
      if (sizeAfter > quota.maxFileBytes) throw new FsError("EFBIG", operation, path);
      if (grows && (bytesAfter > quota.maxBytes || nodesAfter > quota.maxNodes))
        throw new FsError("ENOSPC", operation, path);
      nodes = nodesAfter;
      bytes = bytesAfter;
    }
    if (heldAfter > heldBytes && heldAfter > MAX_HELD_BYTES) throw new FsError("ENOSPC", operation, path);
    heldBytes = heldAfter;
    entries.set(path, entry);
    namesOf(parentOf(path)).add(nameOf(path));
  }

  function namesOf(folder: string): Set<string> {
    const names = namesIn.get(folder) ?? new Set();
    namesIn.set(folder, names);
    return names;
  }

  function baseNames(folder: string): readonly string[] {
    const known = namesInBase.get(folder);
    if (known !== undefined) return known;
    const children = base.children(folder);
    for (const [name, node] of children) found.set(childOf(folder, name), node);
    const names = [...children.keys()];
    namesInBase.set(folder, names);
    return names;
  }

  function names(folder: string): readonly string[] {
    const fixed = FIXED_FOLDERS.filter((path) => path !== "/" && parentOf(path) === folder).map(nameOf);
    const all = new Set([...baseNames(folder), ...namesOf(folder), ...fixed]);
    return [...all].filter((name) => find(childOf(folder, name)) !== undefined).sort();
  }

  /** @throws FsError when there is no folder to put it in */
  function assertRoom(path: string, operation: string): void {
    if (pathFault(path) !== undefined) throw new FsError("ENAMETOOLONG", operation, path);
    const folder = find(parentOf(path));
    if (folder === undefined) throw new FsError("ENOENT", operation, path);
    if (folder.kind !== "directory") throw new FsError("ENOTDIR", operation, path);
  }

  function fileAt(path: string, operation: string): StoredNode {
    const node = find(path);
    if (node === undefined) throw new FsError("ENOENT", operation, path);
    if (node.kind !== "file") throw new FsError("EISDIR", operation, path);
    return node;
  }

  function read(path: string): Uint8Array {
    const { size } = fileAt(path, "open");
    return entries.get(path)?.buffer?.subarray(0, size) ?? base.read(path);
  }

  function write(path: string, content: Uint8Array, mode?: number): void {
    const before = find(path);
    if (path === "/dev/null" && before !== undefined) return;
    if (before === undefined) assertRoom(path, "open");
    else fileAt(path, "open");
    const node: StoredNode = {
      kind: "file",
      size: content.length,
      mode: mode ?? before?.mode ?? 0o644,
      modifiedAt: now(),
    };
    put(path, "write", { node, buffer: content });
  }

  function append(path: string, content: Uint8Array): void {
    if (path === "/dev/null") return;
    if (find(path) === undefined) return write(path, content.slice());
    const before = fileAt(path, "open");
    const size = before.size + content.length;
    const held = entries.get(path)?.buffer;
    // a buffer that doubles makes many small appends cost what one large one does
    const buffer = held !== undefined && held.length >= size ? held : new Uint8Array(Math.max(size, 2 * before.size));
    if (buffer !== held) buffer.set(read(path));
    put(path, "write", { node: { ...before, size, modifiedAt: now() }, buffer });
    buffer.set(content, before.size);
  }

  function make(path: string, operation: string, node: StoredNode): void {
    if (find(path) !== undefined) throw new FsError("EEXIST", operation, path);
    assertRoom(path, operation);
    put(path, operation, { node });
  }

  function makeFolder(path: string): void {
    make(path, "mkdir", { kind: "directory", size: 0, mode: 0o755, modifiedAt: now() });
  }

  function makeFolders(path: string): void {
    const node = find(path);
    if (node?.kind === "directory") return;
    if (node === undefined) makeFolders(parentOf(path));
    makeFolder(path);
  }

  function touch(path: string, change: { readonly mode?: number; readonly modifiedAt?: number }): void {
    const node = find(path);
    if (node === undefined) throw new FsError("ENOENT", "utime", path);
    if (FIXED_FOLDERS.includes(path)) return;
    put(path, "utime", { ...entries.get(path), node: { ...node, ...change } });
  }

  function remove(path: string): void {
    const node = find(path);
    if (node === undefined) throw new FsError("ENOENT", "unlink", path);
    if (node.kind === "directory" && names(path).length > 0) throw new FsError("ENOTEMPTY", "rmdir", path);
    if (!FIXED_FOLDERS.includes(path)) put(path, "unlink", undefined);
  }

  function resolve(path: string, operation: string, followLast: boolean): string {
    if (path.includes("\0")) throw new FsError("ENOENT", operation, path.replaceAll("\0", "?"));
    let rest = joinPath("/", path).split("/").slice(1);
    let at = "/";
    for (let links = 0; rest.length > 0 && rest[0] !== "";) {
      const [name = "", ...others] = rest;
      const next = childOf(at, name);
      const node = find(next);
      const isFollowed = node?.kind === "symlink" && (others.length > 0 || followLast);
      if (isFollowed && ++links > MAX_LINKS) throw new FsError("ELOOP", operation, path);
      if (node?.kind === "file" && others.length > 0) throw new FsError("ENOTDIR", operation, path);
      rest = isFollowed
        ? [
            ...joinPath(at, node.target ?? "")
              .split("/")
              .slice(1),
            ...others,
          ].filter(Boolean)
        : others;
      at = isFollowed ? "/" : next;
    }
    return at;
  }

  function changes(): readonly FileChange[] {
    return [...entries].flatMap(([path, entry]): FileChange[] => {
      const before = inBase(path);
      if (isSystem(path) || (entry === undefined && before === undefined)) return [];
      if (entry === undefined) return [{ path, node: undefined }];
      const { node, buffer } = entry;
      const isSameFolder = node.kind === "directory" && before?.kind === "directory" && node.mode === before.mode;
      if (isSameFolder) return [];
      return [{ path, node, ...(buffer === undefined ? {} : { content: buffer.subarray(0, node.size) }) }];
    });
  }

  function paths(folder: string): string[] {
    return names(folder).flatMap((name) => {
      const path = childOf(folder, name);
      return find(path)?.kind === "directory" ? [path, ...paths(path)] : [path];
    });
  }

  return {
    find,
    names,
    paths,
    resolve,
    read,
    write,
    append,
    makeFolder,
    makeFolders,
    makeLink: (path, target) =>
      make(path, "symlink", { kind: "symlink", size: 0, mode: 0o777, modifiedAt: now(), target }),
    touch,
    remove,
    seal: () => {
      isSealed = true;
    },
    changes,
  };
}

function isSystem(path: string): boolean {
  return SYSTEM_FOLDERS.some((folder) => isWithin(folder, path));
}

function isReadOnly(path: string): boolean {
  return isSystem(path) && !isWithin("/dev", path);
}
