import * as z from "zod";
import { GatewayError } from "#src/domain/errors";
import type { Workspace } from "#src/domain/tool";
import { decodeUtf8Strictly, utf8 } from "#src/lib/encoding";
import { nearestWord } from "#src/lib/nearest-word";

/** The path argument that all file tools share. */
export const filePath = z.string().min(1).max(1024).describe("Absolute, or relative to the working directory");

/** Entries looked at for a name like the one that is missing. */
const MAX_LISTED = 1000;
const MAX_SUGGESTIONS = 3;
/** Bytes at the start of a file in which a zero byte means that it is no text. */
const SNIFFED_BYTES = 8192;

/** A file's text, and whether its bytes began with a byte order mark, which stays when it is written again. */
export interface TextFile {
  readonly text: string;
  readonly hasMark: boolean;
}

/** Reads a file that must be there. @throws GatewayError `not_found`, with names like it | `bad_request` when not text */
export async function readTextFile(workspace: Workspace, path: string): Promise<TextFile> {
  const bytes = await workspace.readFile(path);
  if (bytes === undefined) throw new GatewayError("not_found", await missing(workspace, path));
  const file = toTextFile(bytes);
  if (file === undefined) {
    throw new GatewayError("bad_request", `${path} is not a text file (${bytes.length} bytes of binary).`);
  }
  return file;
}

/** The text of bytes, or undefined when they are none. */
export function toTextFile(bytes: Uint8Array): TextFile | undefined {
  if (bytes.subarray(0, SNIFFED_BYTES).includes(0)) return undefined;
  const text = decodeUtf8Strictly(bytes);
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return text === undefined ? undefined : { text, hasMark };
}

/** The bytes of a text file. */
export function textFileBytes({ text, hasMark }: TextFile): Uint8Array {
  return utf8(hasMark ? `\u{FEFF}${text}` : text);
}

/** A sentence that a file is missing, with the names that were probably meant. */
async function missing(workspace: Workspace, path: string): Promise<string> {
  const slash = path.lastIndexOf("/");
  const folder = slash === -1 ? "." : path.slice(0, slash) || "/";
  const near = suggest(path, await names(workspace, folder));
  const found = near.length > 0 || folder === "." ? near : suggest(path, await names(workspace, "."));
  return `There is no file ${path}.${found.length === 0 ? "" : ` Did you mean ${found.join(" or ")}?`}`;
}

async function names(workspace: Workspace, folder: string): Promise<readonly string[]> {
  const entries = await workspace.list(folder, MAX_LISTED).catch(() => []);
  return entries.filter((entry) => !entry.isDirectory).map((entry) => entry.path);
}

function suggest(path: string, paths: readonly string[]): readonly string[] {
  const wanted = baseName(path);
  const same = paths.filter((other) => baseName(other).toLowerCase() === wanted.toLowerCase());
  const near = nearestWord(wanted, paths.map(baseName));
  const alike = paths.filter((other) => baseName(other) === near);
  return [...new Set([...same, ...alike])].slice(0, MAX_SUGGESTIONS);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}
