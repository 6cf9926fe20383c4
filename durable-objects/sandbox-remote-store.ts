import type { FileChange } from "#src/workspace/base-files";
import type { NoticeRow, ProcessRow, RemoteStore, RunRow } from "#src/workspace/sidecar/remote-store";
import type { SyncState, SyncedFile } from "#src/workspace/sidecar/sync-store";
import { HOME, isWithin } from "#src/workspace/workspace-path";
import type { Commit, SandboxStore } from "./sandbox-store";

/** Ended processes that are remembered. */
const KEPT_PROCESSES = 50;

/** Milliseconds for which a lost run is remembered: nobody asks for one that is older. */
const RUN_KEPT_MS = 7 * 24 * 3600 * 1000;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS remote (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS synced (path TEXT PRIMARY KEY, file TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS dirty (path TEXT PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS runs (key TEXT PRIMARY KEY, at INTEGER NOT NULL, run TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS processes (id TEXT PRIMARY KEY, at INTEGER NOT NULL, process TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS notices (key TEXT PRIMARY KEY, notice TEXT NOT NULL) WITHOUT ROWID;
`;

/** The rows about a workspace's sidecar; their JSON is written here alone. They stand beside those of its files. */
export interface RemoteTables {
  /** Notes what a commit changed here, for as long as there is a sidecar to tell; its run has an outcome now. */
  readonly alsoCommit: (commit: Commit) => void;
  /** With the files that all of it is about. */
  over(files: SandboxStore): RemoteStore;
}

export function openRemoteTables(storage: DurableObjectStorage): RemoteTables {
  const { sql } = storage;
  sql.exec(SCHEMA);
  let known: { readonly state: SyncState | undefined } | undefined;

  function state(): SyncState | undefined {
    if (known !== undefined) return known.state;
    const [row] = sql.exec<{ state: string }>("SELECT state FROM remote");
    known = { state: row && (JSON.parse(row.state) as SyncState) };
    return known.state;
  }

  function setState(next: SyncState): void {
    sql.exec("INSERT OR REPLACE INTO remote (id, state) VALUES (1, ?)", JSON.stringify(next));
    known = undefined;
  }

  function transaction<T>(work: () => T): T {
    try {
      return storage.transactionSync(work);
    } catch (error) {
      known = undefined; // what it had set is undone
      throw error;
    }
  }

  function noteDirty(paths: readonly string[]): void {
    for (const path of paths)
      if (path !== HOME && isWithin(HOME, path)) sql.exec("INSERT OR IGNORE INTO dirty (path) VALUES (?)", path);
  }

  function setSynced(path: string, file: SyncedFile | undefined): void {
    if (file === undefined) sql.exec("DELETE FROM synced WHERE path = ?", path);
    else sql.exec("INSERT OR REPLACE INTO synced (path, file) VALUES (?, ?)", path, JSON.stringify(file));
  }

  function runOf(key: string): RunRow | undefined {
    const [row] = sql.exec<{ run: string }>("SELECT run FROM runs WHERE key = ?", key);
    return row && (JSON.parse(row.run) as RunRow);
  }

  function saveRun(run: RunRow): void {
    sql.exec("DELETE FROM runs WHERE at < ?", run.at - RUN_KEPT_MS);
    sql.exec("INSERT OR REPLACE INTO runs (key, at, run) VALUES (?, ?, ?)", run.key, run.at, JSON.stringify(run));
  }

  const dropRun = (key: string): void => void sql.exec("DELETE FROM runs WHERE key = ?", key);

  function beginSync(next: SyncState): void {
    sql.exec("DELETE FROM synced");
    sql.exec("DELETE FROM dirty");
    const below = "folder = ? OR (folder > ? AND folder < ?)";
    const path = "CASE folder WHEN '/' THEN '/' || name ELSE folder || '/' || name END";
    // "0" is the character after "/"
    sql.exec(`INSERT INTO dirty (path) SELECT ${path} FROM nodes WHERE ${below}`, HOME, `${HOME}/`, `${HOME}0`);
    setState(next);
  }

  function over(files: SandboxStore): RemoteStore {
    return {
      files,
      state,
      setState,
      transaction,
      synced(path) {
        const [row] = sql.exec<{ file: string }>("SELECT file FROM synced WHERE path = ?", path);
        return row && (JSON.parse(row.file) as SyncedFile);
      },
      allSynced() {
        const rows = sql.exec<{ path: string; file: string }>("SELECT path, file FROM synced").toArray();
        return new Map(rows.map(({ path, file }) => [path, JSON.parse(file) as SyncedFile]));
      },
      dirty: () =>
        sql
          .exec<{ path: string }>("SELECT path FROM dirty ORDER BY path")
          .toArray()
          .map(({ path }) => path),
      isDirty: (path) => sql.exec("SELECT 1 FROM dirty WHERE path = ?", path).toArray().length > 0,
      commitSync({ changes = [], synced = [], dirty = [], clean = [] }) {
        transaction(() => {
          files.applyChanges(changes);
          for (const [path, file] of synced) setSynced(path, file);
          for (const path of clean) sql.exec("DELETE FROM dirty WHERE path = ?", path);
          noteDirty(dirty);
        });
      },
      beginSync: (next) => transaction(() => beginSync(next)),
      run: runOf,
      saveRun,
      dropRun,
      ...processRows(sql),
      ...noticeRows(sql),
    };
  }

  return {
    over,
    alsoCommit: ({ key, changes }) => {
      if (state() === undefined) return;
      noteDirty(changes.map(({ path }: FileChange) => path));
      dropRun(key);
    },
  };
}

function processRows(sql: SqlStorage): Pick<RemoteStore, "process" | "processes" | "saveProcess" | "pruneProcesses"> {
  const parse = ({ process }: { readonly process: string }): ProcessRow => JSON.parse(process) as ProcessRow; // written below
  const all = (): readonly ProcessRow[] =>
    sql.exec<{ process: string }>("SELECT process FROM processes ORDER BY at, id").toArray().map(parse);
  return {
    process(id) {
      const [row] = sql.exec<{ process: string }>("SELECT process FROM processes WHERE id = ?", id);
      return row && parse(row);
    },
    processes: all,
    saveProcess(row) {
      const insert = "INSERT OR REPLACE INTO processes (id, at, process) VALUES (?, ?, ?)";
      sql.exec(insert, row.id, row.startedAt, JSON.stringify(row));
    },
    pruneProcesses() {
      const ended = all().filter(({ status }) => status !== "running");
      for (const { id } of ended.slice(0, -KEPT_PROCESSES)) sql.exec("DELETE FROM processes WHERE id = ?", id);
    },
  };
}

function noticeRows(sql: SqlStorage): Pick<RemoteStore, "notices" | "addNotice" | "dropNotice"> {
  return {
    notices: () =>
      sql
        .exec<{ notice: string }>("SELECT notice FROM notices ORDER BY key")
        .toArray()
        .map(({ notice }) => JSON.parse(notice) as NoticeRow), // written below
    addNotice: (notice) =>
      void sql.exec("INSERT OR IGNORE INTO notices (key, notice) VALUES (?, ?)", notice.key, JSON.stringify(notice)),
    dropNotice: (key) => void sql.exec("DELETE FROM notices WHERE key = ?", key),
  };
}
