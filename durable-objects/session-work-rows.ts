import type { DeliveryRecord, TurnRecord } from "#src/domain/turn";
import type { Arrival } from "./session-accept";
import type { ObserverRecord } from "./session-observers";
import type { Suspicion } from "./session-suspects";

/** Bytes of one media row: under the 2 MB that a row may have. Source: developers.cloudflare.com, Durable Objects limits. */
const MEDIA_CHUNK_BYTES = 1024 * 1024;

/** The rows of what is under way or owed: they are gone once it is done. Media bytes stand here too. */
export function openWorkRows(sql: SqlStorage) {
  return {
    turns(): TurnRecord[] {
      return sql
        .exec<{ data: string }>("SELECT data FROM turns ORDER BY id")
        .toArray()
        .map((row) => JSON.parse(row.data) as TurnRecord);
    },
    saveTurn(turn: TurnRecord): void {
      sql.exec("INSERT OR REPLACE INTO turns (id, data) VALUES (?, ?)", turn.id, JSON.stringify(turn));
    },
    removeTurn(id: number): void {
      sql.exec("DELETE FROM turns WHERE id = ?", id);
    },

    deliveries(): DeliveryRecord[] {
      return sql
        .exec<{ id: number; data: string }>("SELECT id, data FROM outbox ORDER BY id")
        .toArray()
        .map((row) => ({ ...(JSON.parse(row.data) as DeliveryRecord), id: row.id }));
    },
    /** Writes a delivery; one with id 0 is new and gets its id here. */
    saveDelivery(record: DeliveryRecord): DeliveryRecord {
      if (record.id !== 0) {
        sql.exec("INSERT OR REPLACE INTO outbox (id, data) VALUES (?, ?)", record.id, JSON.stringify(record));
        return record;
      }
      const { id } = sql
        .exec<{ id: number }>("INSERT INTO outbox (data) VALUES (?) RETURNING id", JSON.stringify(record))
        .one();
      return { ...record, id };
    },
    removeDelivery(id: number): void {
      sql.exec("DELETE FROM outbox WHERE id = ?", id);
    },

    /** Events that hooks have yet to see, oldest first. */
    arrivals(): { readonly id: number; readonly arrival: Arrival }[] {
      return sql
        .exec<{ id: number; data: string }>("SELECT id, data FROM arrivals ORDER BY id")
        .toArray()
        .map((row) => ({ id: row.id, arrival: JSON.parse(row.data) as Arrival }));
    },
    saveArrival(arrival: Arrival): number {
      return sql
        .exec<{ id: number }>("INSERT INTO arrivals (data) VALUES (?) RETURNING id", JSON.stringify(arrival))
        .one().id;
    },
    removeArrival(id: number): void {
      sql.exec("DELETE FROM arrivals WHERE id = ?", id);
    },

    /** What is owed to those who watch, oldest first. */
    observers(): ObserverRecord[] {
      return sql
        .exec<{ id: number; data: string }>("SELECT id, data FROM observers ORDER BY id")
        .toArray()
        .map((row) => ({ ...(JSON.parse(row.data) as ObserverRecord), id: row.id }));
    },
    /** Writes a call that is owed; one with id 0 is new and gets its id here. */
    saveObserver(record: ObserverRecord): ObserverRecord {
      const id = record.id === 0 ? null : record.id;
      const saved = sql
        .exec<{ id: number }>(
          "INSERT OR REPLACE INTO observers (id, data) VALUES (?, ?) RETURNING id",
          id,
          JSON.stringify(record),
        )
        .one();
      return { ...record, id: saved.id };
    },
    removeObserver(id: number): void {
      sql.exec("DELETE FROM observers WHERE id = ?", id);
    },

    /** Which module may have ended the process here; undefined when nothing is suspected. */
    suspicion(): Suspicion | undefined {
      const [row] = sql.exec<{ value: string }>("SELECT value FROM meta WHERE key = 'suspicion'").toArray();
      return row === undefined ? undefined : (JSON.parse(row.value) as Suspicion);
    },
    setSuspicion(suspicion: Suspicion): void {
      sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES ('suspicion', ?)", JSON.stringify(suspicion));
    },
    removeSuspicion(): void {
      sql.exec("DELETE FROM meta WHERE key = 'suspicion'");
    },

    saveMedia(key: string, bytes: Uint8Array): void {
      for (let at = 0, chunk = 0; at < bytes.length || chunk === 0; at += MEDIA_CHUNK_BYTES, chunk++) {
        sql.exec(
          "INSERT OR REPLACE INTO media (key, chunk, bytes) VALUES (?, ?, ?)",
          key,
          chunk,
          bytes.slice(at, at + MEDIA_CHUNK_BYTES),
        );
      }
    },
    media(key: string): Uint8Array | undefined {
      const chunks = sql
        .exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM media WHERE key = ? ORDER BY chunk", key)
        .toArray();
      if (chunks.length === 0) return undefined;
      const whole = new Uint8Array(chunks.reduce((sum, chunk) => sum + chunk.bytes.byteLength, 0));
      let at = 0;
      for (const chunk of chunks) {
        whole.set(new Uint8Array(chunk.bytes), at);
        at += chunk.bytes.byteLength;
      }
      return whole;
    },
  };
}
