import type { HookModuleSource } from "#src/domain/profile-hooks";

/** The sources of hook modules, a row each, by the SHA-256 of the source. */
export function openHookModuleRows(sql: SqlStorage) {
  sql.exec(`CREATE TABLE IF NOT EXISTS hook_modules (sha256 TEXT PRIMARY KEY, source TEXT NOT NULL, bytes INTEGER NOT NULL,
    at INTEGER NOT NULL) WITHOUT ROWID;`);
  return {
    list(): HookModuleSource[] {
      return sql
        .exec<{ sha256: string; bytes: number; addedAt: number }>(
          "SELECT sha256, bytes, at AS addedAt FROM hook_modules ORDER BY at, sha256",
        )
        .toArray();
    },
    read(sha256: string): string | undefined {
      const rows = sql.exec<{ source: string }>("SELECT source FROM hook_modules WHERE sha256 = ?", sha256);
      return rows.toArray()[0]?.source;
    },
    keep({ sha256, bytes, addedAt }: HookModuleSource, source: string): void {
      sql.exec("INSERT OR IGNORE INTO hook_modules VALUES (?, ?, ?, ?)", sha256, source, bytes, addedAt);
    },
    drop(sha256: string): void {
      sql.exec("DELETE FROM hook_modules WHERE sha256 = ?", sha256);
    },
  };
}
