import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, readdirSync, realpathSync, renameSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "./config.ts";
import { Problem } from "./problem.ts";

/** A script that a command runs, by what is in it. */
export interface ScriptWanted {
  /** As the command names it; below the folder of scripts unless only the hash is given. */
  readonly path: string | undefined;
  readonly sha256: string;
}

/** A script that was found, and whether it is the wanted one. */
export interface ScriptFound {
  /** A copy that no session can change. */
  readonly copy: string;
  readonly sha256: string;
  readonly isWanted: boolean;
}

/** The scripts of hooks, kept by their hashes. */
export interface Scripts {
  /** @throws {@link Problem} script_not_found, path_outside */
  find(wanted: ScriptWanted): ScriptFound;
  /** @throws {@link Problem} hash_mismatch, too_many */
  keep(sha256: string, content: Buffer): void;
}

const MAX_SCRIPTS = 4096;

/** Largest script that is taken. */
export const MAX_SCRIPT_BYTES = 1024 ** 2;

/** Opens the store of scripts below the sidecar's root. */
export function openScripts(config: Pick<Config, "root" | "scripts">): Scripts {
  const store = join(config.root, "scripts");
  mkdirSync(store, { recursive: true, mode: 0o755 });
  chmodSync(store, 0o755);

  function keep(sha256: string, content: Buffer): string {
    const copy = join(store, sha256);
    if (readOrUndefined(copy)?.equals(content) === true) return copy;
    if (readdirSync(store).length >= MAX_SCRIPTS) throw new Problem("too_many", `There are ${MAX_SCRIPTS} scripts.`);
    writeFileSync(`${copy}.part`, content, { mode: 0o555 });
    chmodSync(`${copy}.part`, 0o555);
    renameSync(`${copy}.part`, copy);
    return copy;
  }

  return {
    find({ path, sha256 }) {
      const content = path === undefined ? readOrUndefined(join(store, sha256)) : readScript(config.scripts, path);
      if (content === undefined) throw new Problem("script_not_found", "There is no such script.", { field: "script" });
      // read once and run from a copy: what is hashed is what runs
      const actual = hashOf(content);
      return { copy: keep(actual, content), sha256: actual, isWanted: actual === sha256 };
    },
    keep(sha256, content) {
      if (hashOf(content) !== sha256)
        throw new Problem("hash_mismatch", "The content has another hash than the path says.", { field: "sha256" });
      keep(sha256, content);
    },
  };
}

function readScript(folder: string | undefined, path: string): Buffer | undefined {
  if (folder === undefined)
    throw new Problem("script_not_found", "No folder of scripts is set (SIDECAR_SCRIPTS).", { field: "script.path" });
  const real = realpathOrUndefined(join(folder, path.startsWith(`${folder}/`) ? relative(folder, path) : path));
  if (real === undefined) return undefined;
  if (!real.startsWith(`${realpathSync(folder)}/`))
    throw new Problem("path_outside", "The script is outside of the folder of scripts.", { field: "script.path" });
  const content = readOrUndefined(real);
  return content !== undefined && content.length <= MAX_SCRIPT_BYTES ? content : undefined;
}

function realpathOrUndefined(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // no such script
  }
}

function readOrUndefined(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // no such script
  }
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
