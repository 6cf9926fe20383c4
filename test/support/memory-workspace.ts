import { GatewayError } from "#src/domain/errors";
import type { FileStat, Workspace } from "#src/domain/tool";
import { decodeUtf8, utf8 } from "#src/lib/encoding";
import { resolvePath } from "#src/lib/posix-path";

const CWD = "/workspace";

/** A workspace in memory, with what was done to it. Folders are there while something is in them. */
export interface MemoryWorkspace extends Workspace {
  /** Every file as text, by absolute path. */
  files(): Record<string, string>;
  /** Every mutation that took effect, as `key path`. */
  readonly mutations: readonly string[];
}

/** A workspace that holds these files; paths are relative to its working directory. */
export function memoryWorkspace(initial: Readonly<Record<string, string | Uint8Array>> = {}): MemoryWorkspace {
  const files = new Map<string, Uint8Array>();
  const removals = new Map<string, boolean>();
  const written = new Set<string>();
  const mutations: string[] = [];
  const at = (path: string): string => resolvePath(CWD, path);
  for (const [path, content] of Object.entries(initial)) {
    files.set(at(path), typeof content === "string" ? utf8(content) : content);
  }
  const isFolder = (path: string): boolean =>
    path === CWD || path === "/" || Array.from(files.keys()).some((file) => file.startsWith(`${path}/`));
  const statOf = (path: string): FileStat | undefined => {
    const bytes = files.get(path);
    if (bytes !== undefined) return { path, isDirectory: false, size: bytes.length, modifiedAt: 0 };
    return isFolder(path) ? { path, isDirectory: true, size: 0, modifiedAt: 0 } : undefined;
  };
  return {
    mutations,
    files: () => Object.fromEntries(Array.from(files, ([path, bytes]) => [path, decodeUtf8(bytes)])),
    readFile: async (path) => {
      if (!files.has(at(path)) && isFolder(at(path))) throw new GatewayError("bad_request", `${path} is a folder.`);
      return files.get(at(path));
    },
    writeFile: async (path, bytes, key) => {
      if (written.has(key)) return;
      written.add(key);
      mutations.push(`${key} ${at(path)}`);
      files.set(at(path), bytes);
    },
    removeFile: async (path, key) => {
      const before = removals.get(key);
      if (before !== undefined) return before;
      const isRemoved = files.delete(at(path));
      removals.set(key, isRemoved);
      mutations.push(`${key} ${at(path)}`);
      return isRemoved;
    },
    stat: async (path) => statOf(at(path)),
    list: async (path, limit) => {
      const root = at(path) === "/" ? "/" : `${at(path)}/`;
      const below = Array.from(files.keys()).filter((file) => file.startsWith(root));
      const folders = below.flatMap((file) => foldersBetween(root, file));
      const all = [...new Set([...below, ...folders])].sort();
      return all.slice(0, limit).flatMap((one) => statOf(one) ?? []);
    },
    exec: async () => {
      throw new TypeError("this workspace has no shell");
    },
  };
}

function foldersBetween(root: string, file: string): string[] {
  const names = file.slice(root.length).split("/").slice(0, -1);
  return names.map((_, depth) => root + names.slice(0, depth + 1).join("/"));
}
