import { normalizePath } from "#src/lib/posix-path";
import { findByGlob } from "./glob";
import { HOME } from "./markers";

const QUOTED_HOME = /^\$(?:HOME|\{HOME\})(?=\/|$)/;

/** A path as the rules compare it: absolute where that can be known, without `.`, `..` and double slashes. */
export function resolveOperand(path: string, cwd: string | undefined): string {
  if (path.startsWith(HOME)) return rejoinHome(path);
  // quoted for this shell, it is home to the next one that reads it
  if (QUOTED_HOME.test(path)) return rejoinHome(path.replace(QUOTED_HOME, HOME));
  if (path.startsWith("/") || cwd === undefined || path === "") return path === "" ? "" : normalizePath(path);
  return cwd.startsWith(HOME) ? rejoinHome(`${cwd}/${path}`) : normalizePath(`${cwd}/${path}`);
}

/** Home may be left by `..`, to the folder of homes and on to the root. */
function rejoinHome(path: string): string {
  const resolved = normalizePath(`/home/${HOME}${path.slice(HOME.length).replace(/^(?=[^/])/, "")}`);
  const home = `/home/${HOME}`;
  return resolved.startsWith(home) ? resolved.slice("/home/".length) : resolved;
}

/** A path without what stands for everything in it: `/*`, `/.*`, `/.[!.]*`, `/**`. */
function withoutGlob(path: string): string {
  return path.replace(/\/(?:\.?(?:\*+|\[[^\]]*\]\*|\?\?*\*)|\{\*,\.\*\})$/, "") || "/";
}

// Source: https://refspecs.linuxfoundation.org/FHS_3.0/fhs/index.html; the last line is macOS
const SYSTEM_FOLDERS: ReadonlySet<string> = new Set(
  (
    "/bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /proc /root /sbin /sys /usr /var " +
    "/System /Library /Applications /Users /private"
  ).split(" "),
);
const SYSTEM_NAMES: readonly string[] = [...SYSTEM_FOLDERS].map((folder) => folder.slice(1));
const VITAL_INSIDE: ReadonlySet<string> = new Set(
  "/usr/bin /usr/lib /usr/lib64 /usr/sbin /usr/local /usr/share /var/lib /private/etc /private/var".split(" "),
);

/** Whether it is the root directory, or everything in it. */
export function isRoot(path: string): boolean {
  return withoutGlob(path) === "/";
}

/** Whether it is a directory that the system stands on, or everything in one. */
export function isSystemFolder(path: string): boolean {
  const folder = withoutGlob(path);
  if (SYSTEM_FOLDERS.has(folder) || VITAL_INSIDE.has(folder)) return true;
  // `/e*` finds more than it says
  return (
    folder.lastIndexOf("/") === 0 && /[*?[]/.test(folder) && findByGlob(folder.slice(1), SYSTEM_NAMES) !== undefined
  );
}

/** Whether it is the home directory of whoever runs the command, or of root, or everything in it. */
export function isHome(path: string): boolean {
  const folder = withoutGlob(path);
  return folder === HOME || folder === "/root";
}

// Source: https://www.kernel.org/doc/html/latest/admin-guide/devices.html
const BLOCK_DEVICE =
  /^\/dev\/(?:[hsvx]v?d[a-z]+\d*|sd[a-z*?]+\d*|nvme\d+(?:n\d+(?:p\d+)?)?|mmcblk\d+(?:p\d+)?|md\d+|dm-\d+|sr\d+|mapper\/.+|disk\/by-.+|zvol\/.+|pmem\d+|nbd\d+|mtd\w*\d+)$/;

/** Whether it is a disk or a part of one, not a file on it. */
export function isBlockDevice(path: string): boolean {
  return BLOCK_DEVICE.test(path) || /^\\\\\.\\physicaldrive\d+$/i.test(path);
}

/** Whether the path leads into a folder that belongs to the system. */
export function isSystemPath(path: string): boolean {
  return /^\/(?:bin|boot|etc|lib\w*|sbin|usr|sys|proc|root|System|Library|private\/etc)(?:\/|$)/.test(path);
}
