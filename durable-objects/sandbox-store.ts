import { decodeUtf8, utf8 } from "#src/lib/encoding";
import type { BaseFiles, FileChange, StoredNode } from "#src/workspace/base-files";
import { FRESH_STATE, type ShellState } from "#src/workspace/shell-state";
import { nameOf, parentOf } from "#src/workspace/workspace-path";
import type { ProcessRecord } from "#src/domain/process";
import type { ExecResult } from "#src/domain/tool";

/** Below the 2 MB that a row may have. A file's first chunk is in its node's row: most files are one row. */
const CHUNK_BYTES = 1024 * 1024;

/** How long and how many results are kept at least, as long as they are not too much altogether. */
const KEPT_MS = 24 * 3600 * 1000;
const KEPT_COUNT = 200;
const KEPT_BYTES = 32 * 1024 * 1024;

/** Mutations between two looks for results that are too old. */
const PRUNE_EVERY = 50;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS nodes (
    folder TEXT NOT NULL, name TEXT NOT NULL, kind TEXT NOT NULL, mode INTEGER NOT NULL, size INTEGER NOT NULL,
    modified_at INTEGER NOT NULL, target TEXT, content BLOB, PRIMARY KEY (folder, name)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS chunks (
    folder TEXT NOT NULL, name TEXT NOT NULL, number INTEGER NOT NULL, content BLOB NOT NULL,
    PRIMARY KEY (folder, name, number)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS results (
    key TEXT PRIMARY KEY, operation TEXT NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, value TEXT NOT NULL,
    stdout BLOB, stderr BLOB
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS shell (id INTEGER PRIMARY KEY CHECK (id = 1), state TEXT NOT NULL);
`;

/** What a keyed mutation gave back. */
export type Recorded =
  | { readonly operation: "write"; readonly value: null }
  | { readonly operation: "remove"; readonly value: boolean }
  | { readonly operation: "exec"; readonly value: ExecResult }
  | { readonly operation: "start"; readonly value: ProcessRecord }
  | { readonly operation: "input"; readonly value: null };

/** What one mutation leaves, all in one transaction. */
export interface Commit {
  readonly key: string;
  readonly recorded: Recorded;
  readonly changes: readonly FileChange[];
  readonly state?: ShellState;
}

/** The rows of one workspace. */
export interface SandboxStore extends BaseFiles {
  shell(): ShellState;
  recorded(key: string): Recorded | undefined;
  /**
   * One transaction. Rows written: 1 for the result, 1 for each node changed or removed, 1 for each further MB of its
   * content, 1 for the shell's state when it changed; in the long run 1 more for the old result that this one replaces.
   */
  commit(commit: Commit): void;
  /** Changes files inside a transaction of the caller's. */
  applyChanges(changes: readonly FileChange[]): void;
}

interface NodeRow extends Record<string, SqlStorageValue> {
  readonly name: string;
  readonly kind: string;
  readonly mode: number;
  readonly size: number;
  readonly modified_at: number;
  readonly target: string | null;
}

/** @param alsoCommit does more inside the transaction of each commit. */
export function createSandboxStore(
  storage: DurableObjectStorage,
  now: () => number,
  alsoCommit: (commit: Commit) => void,
): SandboxStore {
  const { sql } = storage;
  sql.exec(SCHEMA);
  let totals: { nodes: number; bytes: number } | undefined;
  let sincePruned = PRUNE_EVERY;

  function find(path: string): StoredNode | undefined {
    const query = "SELECT name, kind, mode, size, modified_at, target FROM nodes WHERE folder = ? AND name = ?";
    const [row] = sql.exec<NodeRow>(query, parentOf(path), nameOf(path));
    return row && nodeOf(row);
  }

  function children(folder: string): ReadonlyMap<string, StoredNode> {
    const query = "SELECT name, kind, mode, size, modified_at, target FROM nodes WHERE folder = ?";
    return new Map(
      sql
        .exec<NodeRow>(query, folder)
        .toArray()
        .map((row) => [row.name, nodeOf(row)]),
    );
  }

  function read(path: string): Uint8Array {
    const where = "WHERE folder = ? AND name = ?";
    const key = [parentOf(path), nameOf(path)];
    const head = sql.exec<{ content: ArrayBuffer | null }>(`SELECT content FROM nodes ${where}`, ...key).one().content;
    const rest = sql.exec<{ content: ArrayBuffer }>(`SELECT content FROM chunks ${where} ORDER BY number`, ...key);
    return joined([...(head === null ? [] : [head]), ...rest.toArray().map(({ content }) => content)]);
  }

  function countAll(): { nodes: number; bytes: number } {
    return sql
      .exec<{ nodes: number; bytes: number }>("SELECT count(*) AS nodes, coalesce(sum(size), 0) AS bytes FROM nodes")
      .one();
  }

  function shell(): ShellState {
    const [row] = sql.exec<{ state: string }>("SELECT state FROM shell");
    return row === undefined ? FRESH_STATE : (JSON.parse(row.state) as ShellState); // written by commit alone
  }

  function recorded(key: string): Recorded | undefined {
    const [row] = sql.exec<{
      operation: string;
      value: string;
      stdout: ArrayBuffer | null;
      stderr: ArrayBuffer | null;
    }>("SELECT operation, value, stdout, stderr FROM results WHERE key = ?", key);
    if (row === undefined) return undefined;
    const value = JSON.parse(row.value) as Recorded["value"]; // written by commit alone
    const output = (bytes: ArrayBuffer | null): string => (bytes === null ? "" : decodeUtf8(new Uint8Array(bytes)));
    if (row.operation !== "exec") return { operation: row.operation, value } as Recorded;
    const result = value as ExecResult;
    return { operation: "exec", value: { ...result, stdout: output(row.stdout), stderr: output(row.stderr) } };
  }

  function applyChange({ path, node, content }: FileChange): void {
    const key = [parentOf(path), nameOf(path)];
    if (node?.kind === "file" && content === undefined) {
      const update = "UPDATE nodes SET mode = ?, modified_at = ? WHERE folder = ? AND name = ?";
      sql.exec(update, node.mode, node.modifiedAt, ...key);
      return;
    }
    sql.exec("DELETE FROM chunks WHERE folder = ? AND name = ?", ...key);
    if (node === undefined) sql.exec("DELETE FROM nodes WHERE folder = ? AND name = ?", ...key);
    else insertNode(key, node, content);
  }

  function insertNode(key: readonly string[], node: StoredNode, content: Uint8Array = new Uint8Array()): void {
    const { kind, mode, size, modifiedAt, target = null } = node;
    const chunks = chunksOf(content);
    const columns = "folder, name, kind, mode, size, modified_at, target, content";
    const insert = `INSERT OR REPLACE INTO nodes (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;
    sql.exec(insert, ...key, kind, mode, size, modifiedAt, target, chunks[0] ?? null);
    for (const [number, chunk] of chunks.entries())
      if (number > 0)
        sql.exec("INSERT INTO chunks (folder, name, number, content) VALUES (?, ?, ?, ?)", ...key, number, chunk);
  }

  function record(key: string, { operation, value }: Recorded): void {
    const { stdout, stderr, ...rest } = operation === "exec" ? value : { stdout: "", stderr: "" };
    // bytes, because a text with NUL or a lone surrogate does not come back as it went
    const [out = null] = chunksOf(utf8(stdout));
    const [err = null] = chunksOf(utf8(stderr));
    const bytes = (out?.byteLength ?? 0) + (err?.byteLength ?? 0);
    const json = JSON.stringify(operation === "exec" ? rest : value);
    const insert = `INSERT INTO results (key, operation, at, bytes, value, stdout, stderr) VALUES (?, ?, ?, ?, ?, ?, ?)`;
    sql.exec(insert, key, operation, now(), bytes, json, out, err);
  }

  function prune(): void {
    const rows = sql.exec<{ key: string; at: number; bytes: number }>(
      "SELECT key, at, bytes FROM results ORDER BY at DESC, key",
    );
    let [count, bytes] = [0, 0];
    for (const row of rows.toArray()) {
      count++;
      bytes += row.bytes;
      const isOld = count > KEPT_COUNT && row.at < now() - KEPT_MS;
      if (isOld || bytes > KEPT_BYTES) sql.exec("DELETE FROM results WHERE key = ?", row.key);
    }
  }

  function commit(commitment: Commit): void {
    const { key, recorded: result, changes, state } = commitment;
    const isNewState = state !== undefined && JSON.stringify(state) !== JSON.stringify(shell());
    totals = undefined;
    storage.transactionSync(() => {
      for (const change of changes) applyChange(change);
      alsoCommit(commitment);
      if (isNewState) sql.exec("INSERT OR REPLACE INTO shell (id, state) VALUES (1, ?)", JSON.stringify(state));
      record(key, result);
      if (++sincePruned < PRUNE_EVERY) return;
      sincePruned = 0;
      prune();
    });
  }

  return {
    find,
    children,
    read,
    shell,
    recorded,
    commit,
    applyChanges(changes) {
      totals = undefined;
      for (const change of changes) applyChange(change);
    },
    get totals() {
      return (totals ??= countAll());
    },
  };
}

function nodeOf({ kind, mode, size, modified_at, target }: NodeRow): StoredNode {
  // the column is written from this type alone
  const node = { kind: kind as StoredNode["kind"], mode, size, modifiedAt: modified_at };
  return target === null ? node : { ...node, target };
}

function chunksOf(bytes: Uint8Array): readonly ArrayBuffer[] {
  const count = Math.ceil(bytes.length / CHUNK_BYTES);
  // a copy, so that a chunk is a buffer of its own size
  return Array.from({ length: count }, (_, i) => bytes.slice(i * CHUNK_BYTES, (i + 1) * CHUNK_BYTES).buffer);
}

function joined(parts: readonly ArrayBuffer[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { byteLength }) => size + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(new Uint8Array(part), at);
    at += part.byteLength;
  }
  return bytes;
}
