import { createHash, randomBytes } from "node:crypto";
import {
  type BigIntStats,
  type Stats,
  constants,
  closeSync,
  createReadStream,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  readdirSync,
  renameSync,
  rmSync,
  write,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { tooLarge } from "./http.ts";
import { PATHS, asUser, writablePlace } from "./paths.ts";
import { Problem } from "./problem.ts";
import type { FileView } from "./protocol.ts";
import type { Session } from "./sessions.ts";

/** A file that is open for reading. */
export interface OpenFile {
  readonly fd: number;
  readonly place: string;
  readonly stats: Stats;
}

/** How a file is to be written. */
export interface WriteOptions {
  readonly mode: number | undefined;
  readonly makesFolders: boolean;
  readonly maxBytes: number;
  /** The hash that the file must have now; `null`: there must be none. Absent: whatever is there. */
  readonly expected?: string | null;
}

const DEFAULT_MODE = 0o600;
const writeAsync = promisify(write);

/** Describes what is at a path; a link is told as one. */
export function statPath(session: Session, path: string): FileView {
  const place = PATHS.place(session, path);
  return asUser(session, () => viewOf(session, place, lstatSync(place)));
}

/** Opens a regular file, without waiting for anybody. */
export function openFile(session: Session, path: string): OpenFile {
  const place = PATHS.existing(session, path);
  return asUser(session, () => {
    // a pipe that nobody writes to would otherwise keep everything waiting
    const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (stats.isFile()) return { fd, place, stats };
    closeSync(fd);
    throw new Problem("file_type_wrong", "The path is no regular file.", { field: "path" });
  });
}

/** The hash of a file's content. */
export async function hashFile(session: Session, path: string): Promise<string> {
  const { fd } = openFile(session, path);
  const hash = createHash("sha256");
  for await (const chunk of createReadStream("", { fd })) hash.update(chunk as Buffer); // no encoding is set
  return hash.digest("hex");
}

/**
 * Writes a file whole or not at all: what comes goes to a file beside it, which takes its name at the end.
 *
 * @throws {@link Problem} precondition_failed, body_too_large, path_outside, and what the system says
 */
export async function writeWhole(
  session: Session,
  path: string,
  content: AsyncIterable<Buffer>,
  options: WriteOptions,
): Promise<{ readonly sha256: string; readonly size: number }> {
  if (options.makesFolders) makeFolder(session, dirname(path));
  const place = writablePlace(session, path);
  const before = asUser(session, () => lstatSync(place, { throwIfNoEntry: false }));
  if (before !== undefined && !before.isFile())
    throw new Problem("file_type_wrong", "The path is no regular file.", { field: "path" });
  await checkExpected(session, path, options.expected, before !== undefined);
  const part = join(dirname(place), `.${basename(place).slice(0, 100)}.${randomBytes(6).toString("hex")}.part`);
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const fd = asUser(session, () => openSync(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, DEFAULT_MODE));
  try {
    const written = await copy(content, fd, options.maxBytes);
    fchmodSync(fd, options.mode ?? (before === undefined ? DEFAULT_MODE : before.mode & 0o777));
    fsyncSync(fd);
    await checkExpected(session, path, options.expected, before !== undefined);
    asUser(session, () => renameSync(part, place));
    return written;
  } catch (error) {
    asUser(session, () => rmSync(part, { force: true }));
    throw error;
  } finally {
    closeSync(fd);
  }
}

async function copy(content: AsyncIterable<Buffer>, fd: number, maxBytes: number) {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    hash.update(chunk);
    for (let done = 0; done < chunk.length;)
      done += (await writeAsync(fd, chunk, done, chunk.length - done, null)).bytesWritten;
  }
  return { sha256: hash.digest("hex"), size };
}

async function checkExpected(session: Session, path: string, expected: string | null | undefined, isThere: boolean) {
  if (expected === undefined) return;
  if (expected === null && !isThere) return;
  if (expected !== null && isThere && (await hashFile(session, path)) === expected) return;
  throw new Problem("precondition_failed", "The file is not what the caller believes.", { field: "path" });
}

/** Makes a folder and those above it. */
export function makeFolder(session: Session, path: string): void {
  const missing: string[] = [];
  for (let at = path; ; at = dirname(at)) {
    try {
      PATHS.folder(session, at);
      break;
    } catch (error) {
      if (!isMissing(error) || at === dirname(at)) throw error;
      missing.unshift(at);
    }
  }
  for (const at of missing) {
    const place = PATHS.place(session, at);
    asUser(session, () => mkdirSync(place, 0o700));
  }
}

/** Gives a file or folder another place. */
export function movePath(
  session: Session,
  { from, to, overwrites }: { from: string; to: string; overwrites: boolean },
): void {
  const source = PATHS.place(session, from);
  const target = PATHS.place(session, to);
  asUser(session, () => {
    if (!overwrites && lstatSync(target, { throwIfNoEntry: false }) !== undefined)
      throw new Problem("file_exists", "There is such a file already.", { field: "to" });
    renameSync(source, target);
  });
}

/** What is in a folder, and below it when asked; by name. */
export function listFolder(
  session: Session,
  path: string,
  { isRecursive, limit }: { isRecursive: boolean; limit: number },
): { readonly entries: FileView[]; readonly isCut: boolean } {
  const entries: FileView[] = [];
  const folders = [PATHS.folder(session, path)];
  return asUser(session, () => {
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      for (const name of namesIn(folder)) {
        if (entries.length >= limit) return { entries, isCut: true };
        const place = join(folder, name);
        const stats = lstatSync(place, { throwIfNoEntry: false });
        if (stats === undefined) continue;
        entries.push(viewOf(session, place, stats));
        if (isRecursive && stats.isDirectory()) folders.push(place);
      }
    }
    return { entries, isCut: false };
  });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (isMissing(error)) return []; // removed while it was listed
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  if (error instanceof Problem) return error.code === "file_not_found";
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function viewOf(session: Session, place: string, stats: Stats | BigIntStats): FileView {
  const type = stats.isFile() ? "file" : stats.isDirectory() ? "folder" : stats.isSymbolicLink() ? "link" : "other";
  return {
    path: PATHS.name(session, place),
    type,
    size: Number(stats.size),
    mode: Number(stats.mode) & 0o7777,
    modified_at: Math.round(Number(stats.mtimeMs)),
    ...(type === "link" && { target: readlinkSync(place) }),
  };
}
