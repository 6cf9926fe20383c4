import { toHex } from "#src/lib/encoding";
import { type Reply, parseReply } from "./read-reply";
import type { SidecarDoor } from "./sidecar-door";
import { isFault } from "./sidecar-error";

/** A file, folder or link of the sidecar; its path is from the workspace's folder. */
export interface RemoteFile {
  readonly path: string;
  readonly kind: "file" | "directory" | "symlink" | "other";
  readonly size: number;
  readonly mode: number;
  /** Epoch milliseconds, by the sidecar's clock. */
  readonly modifiedAt: number;
  readonly target?: string;
  readonly sha256?: string;
}

/** What is in a folder of the sidecar. */
export interface Listing {
  readonly files: readonly RemoteFile[];
  /** There was more than one answer holds. */
  readonly isCut: boolean;
  /** When it was made by the sidecar's clock, rounded down to a second. */
  readonly at: number;
}

/** The files of a workspace on its sidecar. Every method @throws SidecarError */
export interface SidecarFiles {
  list(folder: string, options: { readonly isRecursive: boolean; readonly hashes: boolean }): Promise<Listing>;
  /** With its hash; undefined when there is nothing. */
  stat(path: string): Promise<RemoteFile | undefined>;
  /** Undefined when there is no such file any more. */
  read(path: string): Promise<{ readonly bytes: Uint8Array; readonly sha256: string } | undefined>;
  /**
   * Writes a file with the folders that it is in. `expected`: the hash that it has now, or null when there must be none.
   *
   * @throws SidecarError `precondition_failed`, `file_type_wrong`
   */
  write(
    path: string,
    bytes: Uint8Array,
    options: { readonly mode: number; readonly expected: string | null },
  ): Promise<RemoteFile>;
  makeFolder(path: string): Promise<RemoteFile>;
  /** Removes a file, a link or an empty folder; what is not there is removed already. */
  remove(path: string): Promise<void>;
}

const MAX_LISTED = 20_000;
const LIST_TIMEOUT_MS = 60_000;
const CONTENT_TIMEOUT_MS = 120_000;

/** The file routes of a sidecar. */
export function openSidecarFiles(door: SidecarDoor): SidecarFiles {
  const ask = async (request: Parameters<SidecarDoor["send"]>[0]): Promise<{ reply: Reply; response: Response }> => {
    const response = await door.send(request);
    const text = await door.within(response.text(), request.timeoutMs ?? CONTENT_TIMEOUT_MS);
    return { reply: parseReply(text), response };
  };
  return {
    async list(folder, { isRecursive, hashes }) {
      const query = { path: folder, recursive: isRecursive, hash: hashes, limit: MAX_LISTED };
      const { reply, response } = await ask({ path: "/v1/files/list", query, timeoutMs: LIST_TIMEOUT_MS });
      const at = Date.parse(response.headers.get("date") ?? "");
      return {
        files: reply.objects("entries").map(readFile),
        isCut: reply.flag("is_cut"),
        at: Number.isNaN(at) ? 0 : at,
      };
    },
    async stat(path) {
      const found = await orUndefined(ask({ path: "/v1/files/stat", query: { path, hash: true } }));
      return found && readFile(found.reply);
    },
    async read(path) {
      const response = await orUndefined(door.send({ path: "/v1/files/content", query: { path } }));
      if (response === undefined) return undefined;
      const bytes = new Uint8Array(await door.within(response.arrayBuffer(), CONTENT_TIMEOUT_MS));
      return { bytes, sha256: await sha256Of(bytes) };
    },
    async write(path, bytes, { mode, expected }) {
      const { reply } = await ask({
        method: "PUT",
        path: "/v1/files/content",
        query: { path, parents: true, mode: (mode & 0o777).toString(8).padStart(3, "0") },
        headers: {
          "content-type": "application/octet-stream",
          ...(expected === null ? { "if-none-match": "*" } : { "if-match": `"${expected}"` }),
        },
        body: bytes,
        timeoutMs: CONTENT_TIMEOUT_MS,
      });
      return readFile(reply);
    },
    makeFolder: async (path) =>
      readFile((await ask({ method: "POST", path: "/v1/files/mkdir", json: { path } })).reply),
    async remove(path) {
      const response = await orUndefined(door.send({ method: "POST", path: "/v1/files/remove", json: { path } }));
      await response?.body?.cancel();
    },
  };
}

/** SHA-256 in lower-case hex. */
export async function sha256Of(bytes: Uint8Array): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

async function orUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isFault(error, "file_not_found")) return undefined;
    throw error;
  }
}

const KINDS = { file: "file", folder: "directory", link: "symlink", other: "other" } as const;

function readFile(reply: Reply): RemoteFile {
  const target = reply.optionalText("target");
  const sha256 = reply.optionalText("sha256");
  return {
    path: reply.text("path"),
    kind: KINDS[reply.word("type", ["file", "folder", "link", "other"])],
    size: reply.whole("size"),
    mode: reply.whole("mode") & 0o777,
    modifiedAt: reply.whole("modified_at"),
    ...(target === undefined ? {} : { target }),
    ...(sha256 === undefined ? {} : { sha256 }),
  };
}
