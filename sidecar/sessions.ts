import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { type Config, ConfigError } from "./config.ts";
import { holdName } from "./hold-name.ts";
import type { Host } from "./host.ts";
import { Problem } from "./problem.ts";

/** One conversation's corner of the machine. */
export interface Session {
  readonly key: string;
  /** From the key, by hash: the name of its folder. */
  readonly id: string;
  readonly folder: string;
  /** Its files: where commands start, and all that the file routes see. */
  readonly work: string;
  readonly home: string;
  readonly tmp: string;
  /** Its system user and group; absent where the sidecar is not root. */
  readonly uid: number | undefined;
}

/** The sessions there are. */
export interface Sessions {
  /**
   * The session of a key, made when it is new.
   *
   * @throws {@link Problem} session_missing, field_invalid, too_many
   */
  open(key: string): Session;
  list(): readonly Session[];
  /** Forgets a session and removes its files, whose processes have ended before. */
  remove(session: Session): void;
}

const UID_BLOCKS = 20;
const FIRST_UID = 40_000;
const MAX_KEY_CHARS = 512;

interface Saved {
  readonly key: string;
  readonly index: number;
}

/**
 * Opens the folder in which sessions are kept. Two sidecars never share a folder or a user number.
 *
 * @throws {@link ConfigError} when another sidecar has them, or the users of sessions could not reach the folder
 */
export async function openSessions(config: Config, host: Host): Promise<Sessions> {
  const state = join(config.root, "state", "sessions");
  mkdirSync(config.root, { recursive: true, mode: 0o711 });
  const root = realpathSync(config.root);
  mkdirSync(join(root, "state"), { recursive: true, mode: 0o700 });
  mkdirSync(state, { recursive: true, mode: 0o700 });
  mkdirSync(join(root, "sessions"), { recursive: true, mode: 0o711 });
  // a umask may have taken what the users of sessions need to get through
  if (host.hasUsers) for (const path of [root, join(root, "sessions")]) chmodSync(path, 0o711);
  if (host.hasUsers) checkReachable(root);
  if (!(await holdName(createHash("sha256").update(root).digest("hex"))))
    throw new ConfigError(`Another sidecar works in ${root}.`);
  const uidBase = host.hasUsers ? await takeUids(join(root, "state", "uid-base"), config.uidBase) : undefined;

  const sessions = new Map<string, Session & { readonly index: number }>();
  for (const name of readdirSync(state).filter((file) => file.endsWith(".json"))) {
    const { key, index } = JSON.parse(readFileSync(join(state, name), "utf8")) as Saved; // written below
    const session = describe(key, index);
    makeFolders(session);
    sessions.set(session.id, session);
  }

  function describe(key: string, index: number): Session & { readonly index: number } {
    const id = createHash("sha256").update(key).digest("hex").slice(0, 32);
    const folder = join(root, "sessions", id);
    const uid = uidBase === undefined ? undefined : uidBase + index;
    return {
      key,
      id,
      folder,
      work: join(folder, "work"),
      home: join(folder, "home"),
      tmp: join(folder, "tmp"),
      uid,
      index,
    };
  }

  function freeIndex(): number {
    const taken = new Set([...sessions.values()].map(({ index }) => index));
    for (let index = 0; index < config.limits.sessions; index++) if (!taken.has(index)) return index;
    throw new Problem("too_many", `There are ${config.limits.sessions} sessions already; delete one.`);
  }

  return {
    open(key) {
      if (key === "")
        throw new Problem("session_missing", "Name the session in x-session-key.", { field: "x-session-key" });
      if (key.length > MAX_KEY_CHARS || !/^[\x21-\x7e]+$/.test(key))
        throw new Problem("field_invalid", `A session key is at most ${MAX_KEY_CHARS} visible ASCII characters.`, {
          field: "x-session-key",
        });
      const known = sessions.get(describe(key, 0).id);
      if (known !== undefined) return known;
      const session = describe(key, freeIndex());
      rmSync(session.folder, { recursive: true, force: true });
      makeFolders(session);
      saveFile(join(state, `${session.id}.json`), JSON.stringify({ key, index: session.index } satisfies Saved));
      sessions.set(session.id, session);
      return session;
    },
    list: () => [...sessions.values()],
    remove({ id, folder }) {
      rmSync(folder, { recursive: true, force: true });
      rmSync(join(state, `${id}.json`), { force: true });
      sessions.delete(id);
    },
  };
}

/** Writes a small file so that it is whole or not there. */
export function saveFile(path: string, text: string): void {
  writeFileSync(`${path}.part`, text, { mode: 0o600 });
  renameSync(`${path}.part`, path);
}

/** Only what is inside belongs to the session's user, who so cannot put links in the place of these folders. */
function makeFolders({ folder, work, home, tmp, uid }: Session): void {
  for (const path of [folder, work, home, tmp]) mkdirSync(path, { recursive: true, mode: 0o700 });
  if (uid === undefined) return;
  chownSync(folder, 0, uid);
  chmodSync(folder, 0o710);
  chmodSync(tmp, 0o1777);
  for (const path of [work, home]) chownSync(path, uid, uid);
}

function checkReachable(root: string): void {
  for (let path = dirname(root); path !== dirname(path); path = dirname(path))
    if ((statSync(path).mode & 0o001) === 0)
      throw new ConfigError(`The users of sessions cannot get through ${path}; set SIDECAR_ROOT to another folder.`);
}

/** A block of user numbers is chosen once, so that files keep their owners. */
async function takeUids(path: string, wanted: number | undefined): Promise<number> {
  const saved = readNumber(path);
  const fixed = saved ?? wanted;
  const blocks = fixed === undefined ? Array.from({ length: UID_BLOCKS }, (_, i) => FIRST_UID + i * 1000) : [fixed];
  for (const base of blocks) {
    if (!(await holdName(`uids-${base}`))) continue;
    saveFile(path, String(base));
    return base;
  }
  throw new ConfigError(`Other sidecars have the user numbers from ${blocks[0]}; set SIDECAR_UID_BASE.`);
}

function readNumber(path: string): number | undefined {
  try {
    return Number(readFileSync(path, "utf8"));
  } catch {
    return undefined; // the first start
  }
}
