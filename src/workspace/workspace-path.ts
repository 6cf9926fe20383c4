import { GatewayError } from "#src/domain/errors";
import { utf8 } from "#src/lib/encoding";

/** Where the shell starts, and its `HOME`. */
export const HOME = "/workspace";

/** As on Linux: bytes of a path, bytes of one name. */
const MAX_PATH_BYTES = 4096;
const MAX_NAME_BYTES = 255;

/** An absolute path without `.`, `..`, doubled or trailing slashes. Nothing is above `/`. */
export function joinPath(base: string, path: string): string {
  const names: string[] = [];
  for (const name of (path.startsWith("/") ? path : `${base}/${path}`).split("/")) {
    if (name === "..") names.pop();
    else if (name !== "" && name !== ".") names.push(name);
  }
  return `/${names.join("/")}`;
}

/** Folder that a normalised path is in; `/` is in itself. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf("/")));
}

/** Last name of a normalised path; empty for `/`. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Path of an entry of a folder. */
export function childOf(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

/** Whether `path` is `folder` or below it; both normalised. */
export function isWithin(folder: string, path: string): boolean {
  return path === folder || folder === "/" || path.startsWith(`${folder}/`);
}

/** Why a path can not be one, or undefined when it can. */
export function pathFault(path: string): string | undefined {
  if (path.includes("\0")) return "has a NUL character";
  if (utf8(path).length > MAX_PATH_BYTES) return `is longer than ${MAX_PATH_BYTES} bytes`;
  if (path.split("/").some((name) => name.length * 3 > MAX_NAME_BYTES && utf8(name).length > MAX_NAME_BYTES))
    return `has a name longer than ${MAX_NAME_BYTES} bytes`;
  return undefined;
}

/**
 * Reads a path that came from outside, relative to the shell's directory.
 *
 * @throws GatewayError `bad_request`
 */
export function parsePath(cwd: string, path: string): string {
  const fault = path === "" ? "is empty" : pathFault(path);
  if (fault !== undefined) throw new GatewayError("bad_request", `The path ${fault}.`);
  return joinPath(cwd, path);
}
