import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { Problem } from "./problem.ts";
import type { Session } from "./sessions.ts";

/** Finds files for sessions, and nothing outside of their folders. */
export interface Paths {
  /**
   * The real place of a path that exists.
   *
   * @throws {@link Problem} path_outside, and what the system says
   */
  existing(session: Session, path: string): string;
  /** The place of a path whose folder exists; a link at its end is not followed. */
  place(session: Session, path: string): string;
  /** The real place of a folder. */
  folder(session: Session, path: string): string;
  /** How the session sees a place: from its folder of files. */
  name(session: Session, place: string): string;
}

const MAX_PATH_CHARS = 4096;

/**
 * Does something with the rights of a session's user, so that no path can lead to more than a command of the session
 * could reach by itself, whoever changes links meanwhile. Only for calls that are done when they return.
 *
 * Source: https://man7.org/linux/man-pages/man2/seteuid.2.html (the real user stays, so that it can be undone)
 */
export function asUser<T>({ uid }: Pick<Session, "uid">, act: () => T): T {
  if (uid === undefined) return act();
  process.setegid?.(uid);
  process.seteuid?.(uid);
  try {
    return act();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}

/** Finds files by their real places: `..` and links may lead anywhere inside and nowhere else. */
export const PATHS: Paths = {
  existing(session, path) {
    return asUser(session, () => inside(session, realpathSync(lexical(session, path))));
  },
  place(session, path) {
    return asUser(session, () => placeOf(session, lexical(session, path)));
  },
  folder(session, path) {
    const place = PATHS.existing(session, path);
    if (!asUser(session, () => statSync(place)).isDirectory())
      throw new Problem("file_type_wrong", "The path is no folder.", { field: "path" });
    return place;
  },
  name: (session, place) => relative(session.work, place) || ".",
};

/** Where a file is to be written: where a link that is there points to, unless that is outside or nowhere. */
export function writablePlace(session: Session, path: string): string {
  return asUser(session, () => {
    const place = placeOf(session, lexical(session, path));
    if (!isLink(place)) return place;
    return inside(session, realpathSync(place));
  });
}

function placeOf(session: Session, path: string): string {
  if (path === session.work) return session.work;
  return join(inside(session, realpathSync(dirname(path))), basename(path));
}

function isLink(place: string): boolean {
  return lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

function lexical(session: Session, path: string): string {
  if (path.includes("\0") || path.length > MAX_PATH_CHARS)
    throw new Problem("field_invalid", `path must be at most ${MAX_PATH_CHARS} characters without NUL.`, {
      field: "path",
    });
  const place = resolve(session.work, path);
  if (place !== session.work && !place.startsWith(`${session.work}/`)) throw outside();
  return place;
}

// the folder of files is real itself: its root was made so, and nothing on the way is the session's to replace
function inside({ work }: Session, place: string): string {
  if (place !== work && !place.startsWith(`${work}/`)) throw outside();
  return place;
}

function outside(): Problem {
  return new Problem("path_outside", "The path leads out of the session's folder.", { field: "path" });
}
