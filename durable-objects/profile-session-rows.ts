import type { DayUsage, SessionDigest } from "#src/domain/profile";
import { addDay } from "./session-digest";

/** A page of sessions. `before`: epoch milliseconds, for the next one. */
export interface SessionPage {
  readonly limit: number;
  readonly before?: number;
}

/** What a profile's sessions have told of themselves. */
export type SessionRows = ReturnType<typeof openSessionRows>;

export function openSessionRows(sql: SqlStorage) {
  sql.exec(`CREATE TABLE IF NOT EXISTS sessions (key TEXT PRIMARY KEY, platform TEXT NOT NULL, title TEXT, preview TEXT NOT NULL,
    updated_at INTEGER NOT NULL, messages INTEGER NOT NULL, usage TEXT NOT NULL, owes INTEGER NOT NULL) WITHOUT ROWID;`);

  /** Tokens of all sessions by day and model, newest day first. */
  function usage(): (DayUsage & { readonly platform: string })[] {
    const sums = new Map<string, DayUsage & { platform: string }>();
    for (const { platform, usage: days } of sql.exec<{ platform: string; usage: string }>(
      "SELECT platform, usage FROM sessions",
    )) {
      for (const day of JSON.parse(days) as DayUsage[]) {
        const id = `${day.day} ${day.model} ${platform}`;
        const none = { day: day.day, model: day.model, platform, calls: 0, inputTokens: 0, outputTokens: 0 };
        sums.set(id, addDay(sums.get(id) ?? none, day));
      }
    }
    return [...sums.values()].sort((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model));
  }

  return {
    record(digest: SessionDigest): void {
      sql.exec(
        "INSERT OR REPLACE INTO sessions (key, platform, title, preview, updated_at, messages, usage, owes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        digest.key,
        digest.platform,
        digest.title ?? null,
        digest.preview,
        digest.updatedAt,
        digest.messageCount,
        JSON.stringify(digest.usage),
        digest.owesDeliveries ? 1 : 0,
      );
    },

    /** Sessions by last activity, newest first. */
    list(page: SessionPage) {
      return sql
        .exec<{
          key: string;
          platform: string;
          title: string | null;
          preview: string;
          updated_at: number;
          messages: number;
        }>(
          "SELECT key, platform, title, preview, updated_at, messages FROM sessions WHERE updated_at < ? ORDER BY updated_at DESC LIMIT ?",
          page.before ?? Number.MAX_SAFE_INTEGER,
          page.limit,
        )
        .toArray();
    },

    /** Sessions that owe something to a platform, latest first. */
    owing(limit: number): string[] {
      const rows = sql.exec<{ key: string }>(
        "SELECT key FROM sessions WHERE owes = 1 ORDER BY updated_at DESC LIMIT ?",
        limit,
      );
      return rows.toArray().map(({ key }) => key);
    },

    /** Sessions with something newer than a moment, in epoch milliseconds. */
    activeSince(at: number): string[] {
      const rows = sql.exec<{ key: string }>("SELECT key FROM sessions WHERE updated_at > ?", at);
      return rows.toArray().map(({ key }) => key);
    },

    usage,

    usageByDay() {
      const empty = { inputTokens: 0, outputTokens: 0, calls: 0, costUsd: 0 };
      const days = new Map<string, typeof empty & { readonly day: string }>();
      for (const { day, inputTokens, outputTokens, calls, costUsd = 0 } of usage()) {
        const sum = days.get(day) ?? { day, ...empty };
        days.set(day, {
          day,
          inputTokens: sum.inputTokens + inputTokens,
          outputTokens: sum.outputTokens + outputTokens,
          calls: sum.calls + calls,
          costUsd: sum.costUsd + costUsd,
        });
      }
      return [...days.values()];
    },
  };
}
