import type { BufferEncoding, FileContent, FsStat, IFileSystem } from "just-bash/browser";
import { fromBase64, fromHex, toBase64, toHex, utf8 } from "#src/lib/encoding";
import type { StoredNode } from "./base-files";
import type { Fuel } from "./fuel";
import { FsError } from "./fs-error";
import type { OverlayTree } from "./overlay-tree";
import { childOf, isWithin, joinPath } from "./workspace-path";

/** A byte order mark is part of a file. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** An operation takes as long as handing over so many bytes. */
const OPERATION_BYTES = 8000;

type EncodingOption = BufferEncoding | { readonly encoding?: BufferEncoding | null } | undefined;

/** The shell's filesystem interface with the two operations by which it lays out its own folders. */
export interface ShellFileSystem extends IFileSystem {
  mkdirSync(path: string, options?: { readonly recursive?: boolean }): void;
  writeFileSync(path: string, content: FileContent): void;
}

/**
 * An overlay as the shell's filesystem. The bytes that it hands over are paid from the fuel, and now and then an
 * operation waits so that others have the thread.
 */
export function createOverlayFs(tree: OverlayTree, fuel: Pick<Fuel, "spendBytes" | "breathe">): ShellFileSystem {
  const follow = (path: string, operation: string): string => tree.resolve(path, operation, true);
  const keep = (path: string, operation: string): string => tree.resolve(path, operation, false);

  function found(path: string, operation: string, asked: string): StoredNode {
    const node = tree.find(path);
    if (node === undefined) throw new FsError("ENOENT", operation, asked);
    return node;
  }

  function bytesOf(path: string): Uint8Array {
    const target = follow(path, "open");
    if (found(target, "open", path).kind === "directory") throw new FsError("EISDIR", "read", path);
    const content = tree.read(target);
    fuel.spendBytes(content.length);
    return content;
  }

  function write(path: string, content: FileContent, encoding?: EncodingOption): void {
    const target = follow(path, "open");
    if (tree.find(target)?.kind === "directory") throw new FsError("EISDIR", "open", path);
    const bytes = encode(content, encoding);
    fuel.spendBytes(bytes.length);
    tree.write(target, bytes);
  }

  function makeFolder(path: string, isRecursive: boolean): void {
    const target = follow(path, "mkdir");
    if (isRecursive) tree.makeFolders(target);
    else tree.makeFolder(target);
  }

  function remove(path: string): void {
    if (tree.find(path)?.kind === "directory") for (const name of tree.names(path)) remove(childOf(path, name));
    tree.remove(path);
  }

  /** Puts a copy of a file, link or folder at a path, over a file that is there, into a folder that is there. */
  function copy(from: string, to: string): void {
    const node = found(from, "copyfile", from);
    const before = tree.find(to);
    if (node.kind === "directory") {
      if (before === undefined) tree.makeFolder(to);
      for (const name of tree.names(from)) copy(childOf(from, name), childOf(to, name));
    } else if (node.kind === "symlink") {
      if (before !== undefined) tree.remove(to);
      tree.makeLink(to, node.target ?? "");
    } else {
      const content = tree.read(from);
      fuel.spendBytes(content.length);
      tree.write(to, content.slice(), node.mode);
    }
  }

  function move(from: string, to: string): void {
    const source = keep(from, "rename");
    const target = keep(to, "rename");
    const node = found(source, "rename", from);
    if (source === target) return;
    if (isWithin(source, target)) throw new FsError("EINVAL", "rename", from);
    const before = tree.find(target);
    if (before?.kind === "directory" && node.kind !== "directory") throw new FsError("EISDIR", "rename", to);
    if (before !== undefined) tree.remove(target);
    copy(source, target);
    if (node.kind === "file") tree.touch(target, { modifiedAt: node.modifiedAt });
    remove(source);
  }

  const statOf = (path: string, node: StoredNode): FsStat => ({
    isFile: node.kind === "file",
    isDirectory: node.kind === "directory",
    isSymbolicLink: node.kind === "symlink",
    mode: node.mode,
    size: node.kind === "symlink" ? utf8(node.target ?? "").length : node.size,
    mtime: new Date(node.modifiedAt),
    identity: path,
  });

  /** Every operation is whole before anything else runs, and only then waits. */
  async function run<T>(operation: () => T): Promise<T> {
    fuel.spendBytes(OPERATION_BYTES);
    const result = operation();
    await fuel.breathe();
    return result;
  }

  return {
    readFile: (path, options) => run(() => decode(bytesOf(path), options)),
    // the brand says that each character is one byte
    readFileBytes: (path) => run(() => decode(bytesOf(path), "latin1") as never),
    readFileBuffer: (path) => run(() => bytesOf(path).slice()),
    writeFile: (path, content, options) => run(() => write(path, content, options)),
    appendFile: (path, content, options) => run(() => tree.append(follow(path, "open"), encode(content, options))),
    exists: (path) => run(() => existsAt(tree, path)),
    stat: (path) =>
      run(() => {
        const target = follow(path, "stat");
        return statOf(target, found(target, "stat", path));
      }),
    lstat: (path) =>
      run(() => {
        const target = keep(path, "lstat");
        return statOf(target, found(target, "lstat", path));
      }),
    mkdir: (path, options) => run(() => makeFolder(path, options?.recursive === true)),
    readdir: (path) => run(() => [...namesIn(tree, follow(path, "scandir"), path)]),
    readdirWithFileTypes: (path) =>
      run(() => {
        const folder = follow(path, "scandir");
        return namesIn(tree, folder, path).map((name) => {
          const kind = tree.find(childOf(folder, name))?.kind;
          return {
            name,
            isFile: kind === "file",
            isDirectory: kind === "directory",
            isSymbolicLink: kind === "symlink",
          };
        });
      }),
    rm: (path, options) =>
      run(() => {
        const target = keep(path, "rm");
        const node = tree.find(target);
        if (node === undefined && options?.force === true) return;
        if (found(target, "rm", path).kind === "directory" && options?.recursive === true) remove(target);
        else tree.remove(target);
      }),
    cp: (from, to, options) =>
      run(() => {
        const source = options?.recursive === true ? keep(from, "cp") : follow(from, "cp");
        const target = follow(to, "cp");
        const node = found(source, "cp", from);
        if (node.kind === "directory" && options?.recursive !== true) throw new FsError("EISDIR", "cp", from);
        if (node.kind === "directory" && isWithin(source, target)) throw new FsError("EINVAL", "cp", from);
        if (source !== target) copy(source, target);
      }),
    mv: (from, to) => run(() => move(from, to)),
    resolvePath: joinPath,
    getAllPaths: () => tree.paths("/"),
    chmod: (path, mode) => run(() => tree.touch(follow(path, "chmod"), { mode: mode & 0o7777 })),
    symlink: (target, path) => run(() => tree.makeLink(keep(path, "symlink"), target)),
    // a copy: two names of one content do not outlast the command
    link: (from, to) =>
      run(() => {
        const source = follow(from, "link");
        if (found(source, "link", from).kind !== "file") throw new FsError("EINVAL", "link", from);
        const target = keep(to, "link");
        if (tree.find(target) !== undefined) throw new FsError("EEXIST", "link", to);
        copy(source, target);
      }),
    readlink: (path) =>
      run(() => {
        const node = found(keep(path, "readlink"), "readlink", path);
        if (node.target === undefined) throw new FsError("EINVAL", "readlink", path);
        return node.target;
      }),
    realpath: (path) =>
      run(() => {
        const target = follow(path, "realpath");
        found(target, "realpath", path);
        return target;
      }),
    utimes: (path, _accessedAt, modifiedAt) =>
      run(() => tree.touch(follow(path, "utime"), { modifiedAt: modifiedAt.getTime() })),
    mkdirSync: (path, options) => makeFolder(path, options?.recursive === true),
    writeFileSync: (path, content) => write(path, content),
  };
}

function existsAt(tree: OverlayTree, path: string): boolean {
  try {
    return tree.find(tree.resolve(path, "access", true)) !== undefined;
  } catch (error) {
    if (error instanceof FsError) return false;
    throw error;
  }
}

function namesIn(tree: OverlayTree, folder: string, asked: string): readonly string[] {
  const node = tree.find(folder);
  if (node === undefined) throw new FsError("ENOENT", "scandir", asked);
  if (node.kind !== "directory") throw new FsError("ENOTDIR", "scandir", asked);
  return tree.names(folder);
}

function encodingOf(option: EncodingOption): BufferEncoding {
  return (typeof option === "string" ? option : option?.encoding) ?? "utf8";
}

function encode(content: FileContent, option: EncodingOption): Uint8Array {
  if (typeof content !== "string") return content.slice();
  const encoding = encodingOf(option);
  if (encoding === "base64") return fromBase64(content) ?? new Uint8Array();
  if (encoding === "hex") return fromHex(content) ?? new Uint8Array();
  if (encoding === "utf8" || encoding === "utf-8") return utf8(content);
  const bytes = new Uint8Array(content.length);
  for (let i = 0; i < content.length; i++) bytes[i] = content.charCodeAt(i);
  return bytes;
}

function decode(bytes: Uint8Array, option: EncodingOption): string {
  const encoding = encodingOf(option);
  if (encoding === "base64") return toBase64(bytes);
  if (encoding === "hex") return toHex(bytes);
  if (encoding === "utf8" || encoding === "utf-8") return decoder.decode(bytes);
  let text = "";
  // fromCharCode takes its characters as arguments, of which an engine bears only so many
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return text;
}
