import { findByGlob } from "./glob";
import { UNKNOWN } from "./markers";

/** Programs that a file pattern such as `/bin/r?` may be meant to find, most dangerous first. */
const LOOKED_FOR =
  "rm dd mkfs shred chmod chown shutdown reboot poweroff halt kill sudo bash sh zsh dash curl wget nc python3 python perl cat".split(
    " ",
  );

/** A name that is what it says. */
const PLAIN = /^[a-z0-9_-]+$/;

/**
 * The name of a program: without folder, `.exe` and case, and without what is unknown in it, since that is most often
 * an empty variable. Of a program of which nothing is known the name is `UNKNOWN`.
 */
export function programName(path: string, source: string, hasPattern: boolean): string {
  if (!hasPattern && PLAIN.test(path)) return path;
  const written = /^["']?[A-Za-z]:\\/.test(source) ? source.replaceAll(/["']/g, "") : path;
  const known = written.replaceAll(UNKNOWN, "");
  if (known === "" && written !== "") return UNKNOWN;
  const name = known.slice(Math.max(known.lastIndexOf("/"), known.lastIndexOf("\\")) + 1).toLowerCase();
  return hasPattern ? (findByGlob(name, LOOKED_FOR) ?? name) : name.replace(/\.(?:exe|com|cmd|bat)$/, "");
}
