/** Runs of hooks that are kept for `/hooks log`. */
const KEPT_RUNS = 500;

/** Who did what to hooks, and what hooks did: a row of JSON each. */
export function openHookLogRows(sql: SqlStorage) {
  sql.exec(`
    CREATE TABLE IF NOT EXISTS hook_audit (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS hook_runs (id INTEGER PRIMARY KEY, data TEXT NOT NULL);`);

  function add(table: "hook_audit" | "hook_runs", entry: object): void {
    sql.exec(`INSERT INTO ${table} (data) VALUES (?)`, JSON.stringify(entry));
  }

  function latest(table: "hook_audit" | "hook_runs", limit: number): object[] {
    return sql
      .exec<{ data: string }>(`SELECT data FROM ${table} ORDER BY id DESC LIMIT ?`, limit)
      .toArray()
      .map((row) => JSON.parse(row.data) as object);
  }

  return {
    audit: (entry: object) => add("hook_audit", entry),
    /** Only what was never noted before, whenever it was. */
    auditOnce(entries: readonly object[]): void {
      const known = sql.exec<{ data: string }>("SELECT json_remove(data, '$.at') AS data FROM hook_audit").toArray();
      for (const entry of entries) {
        const { at: _at, ...rest } = entry as Record<string, unknown>;
        if (!known.some(({ data }) => data === JSON.stringify(rest))) add("hook_audit", entry);
      }
    },
    /** Inside a transaction: the latest runs are kept. */
    record(runs: readonly object[]): void {
      for (const run of runs) add("hook_runs", run);
      sql.exec("DELETE FROM hook_runs WHERE id <= (SELECT max(id) FROM hook_runs) - ?", KEPT_RUNS);
    },
    /** Newest first. */
    audits: (limit: number) => latest("hook_audit", limit),
    runs: (limit: number) => latest("hook_runs", limit),
  };
}
