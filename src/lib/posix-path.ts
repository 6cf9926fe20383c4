/** A path without `.`, `..` and double slashes; a relative one stays relative, and `.` is the folder itself. */
export function normalizePath(path: string): string {
  const isAbsolute = path.startsWith("/");
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part !== "..") parts.push(part);
    else if (parts.length > 0 && parts.at(-1) !== "..") parts.pop();
    else if (!isAbsolute) parts.push("..");
  }
  const joined = parts.join("/");
  if (isAbsolute) return `/${joined}`;
  return joined === "" ? "." : joined;
}

/** The normal form of a path that may be relative to a folder. */
export function resolvePath(folder: string, path: string): string {
  return normalizePath(path.startsWith("/") ? path : `${folder}/${path}`);
}

/** Whether one of two normal paths is the other, or a folder around it. */
export function pathsOverlap(a: string, b: string): boolean {
  return isWithin(a, b) || isWithin(b, a);
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}
