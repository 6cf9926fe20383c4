import type { CompactionState } from "#src/agent/compaction/compaction-state";
import type { ChildTask } from "#src/domain/delegation";
import type { Message, MessageKind, ToolResult } from "#src/domain/message";
import type { DayUsage } from "#src/domain/profile";
import type { TodoItem } from "#src/domain/tool";
import type { HookTrace, NewMessage, StepUsage, TurnOrigin } from "#src/domain/turn";
import type { ChildCosts, StoredChild } from "./session-children";
import { openWorkRows } from "./session-work-rows";

/** What stands about the session as a whole, in one row. */
export interface SessionFacts {
  readonly key: string;
  readonly title?: string;
  /** Counts the conversations: `/new` adds one. */
  readonly epoch: number;
  /** Epoch milliseconds at which the conversation began. */
  readonly epochStartedAt: number;
  /** The person's choice by `/model`; the profile's model when absent. */
  readonly model?: string;
  /** The owner has switched approvals off for this conversation. */
  readonly isYolo?: boolean;
  /** Kinds of danger that a person allowed for this conversation. */
  readonly granted?: readonly string[];
  /** It is a subagent's: who it works for. */
  readonly parent?: ParentFacts;
  /** First row that the model is shown; absent until the conversation outgrows its budget. */
  readonly windowFrom?: number;
  /** The newest message that the profile has been told of. */
  readonly digestedTo: number;
  /** Sums over everything up to `digestedTo`, so that nobody has to read the whole conversation for them. */
  readonly messageCount: number;
  readonly usage: readonly DayUsage[];
}

/** What a subagent's session knows of where it came from. */
export interface ParentFacts {
  readonly key: string;
  readonly role: ChildTask["role"];
  /** How many generations may still come after this one. */
  readonly depthLeft: number;
  /** US dollars that the parent had left for it; absent where nothing is limited. */
  readonly budgetUsd?: number;
  /** The parent's conversation, which gets the answer of one that works in the background. */
  readonly reportTo?: TurnOrigin;
  /** What a hook had to do with the parent's turn. */
  readonly hook?: HookTrace;
}

/** Days for which dedupe keys are kept: longer than any platform redelivers. */
const SEEN_DAYS = 30;
/** Bytes of message text read for one model request at the most, whatever the token budget says. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;

interface MessageRow extends Record<string, SqlStorageValue> {
  id: number;
  turn: number | null;
  role: string;
  kind: string;
  content: string;
  extra: string | null;
  at: number;
}

/** The fields of a message that most rows do not have, in one JSON column. */
type Extra = Omit<Partial<Message>, "id" | "turnId" | "role" | "kind" | "content" | "createdAt"> & {
  readonly usage?: StepUsage;
};

/**
 * The session's SQLite: every method that writes is to be called inside the caller's transaction. Rows are money, so
 * keys are integers, there is no secondary index, and a message row is also its inbox row.
 */
export type SessionStore = ReturnType<typeof openSessionStore>;

export function openSessionStore(storage: DurableObjectStorage) {
  const { sql } = storage;
  let ready = false;
  /** The prompt row as last read or written: the same for a whole conversation. */
  let prompt: { readonly epoch: number; readonly model: string; readonly text: string } | undefined;

  let compaction: { readonly epoch: number; readonly state: CompactionState } | undefined;

  /** Creates the tables at the first write: an object that only looks leaves nothing behind. */
  function create(): void {
    if (exists()) return;
    sql.exec(`
      CREATE TABLE IF NOT EXISTS messages (
        id INTEGER PRIMARY KEY, turn INTEGER, epoch INTEGER NOT NULL, role TEXT NOT NULL, kind TEXT NOT NULL,
        content TEXT NOT NULL, extra TEXT, at INTEGER NOT NULL);
      CREATE TABLE IF NOT EXISTS seen (key TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS turns (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS outbox (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS arrivals (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS observers (id INTEGER PRIMARY KEY, data TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS media (key TEXT, chunk INTEGER, bytes BLOB NOT NULL, PRIMARY KEY (key, chunk)) WITHOUT ROWID;`);
    ready = true;
  }

  /** Whether this session has ever stored anything. */
  function exists(): boolean {
    ready ||= sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'observers'").toArray().length > 0;
    return ready;
  }

  function meta(key: string): unknown {
    const row = sql.exec<{ value: string }>("SELECT value FROM meta WHERE key = ?", key).toArray()[0];
    return row === undefined ? undefined : JSON.parse(row.value);
  }

  function setMeta(key: string, value: unknown): void {
    sql.exec("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", key, JSON.stringify(value));
  }

  function insertMessage(
    message: NewMessage,
    at: {
      readonly turnId?: number;
      readonly epoch: number;
      readonly now: number;
      readonly usage?: StepUsage | undefined;
    },
  ): Message {
    const { role, kind, content, ...rest } = message;
    const extra: Extra = at.usage === undefined ? rest : { ...rest, usage: at.usage };
    const { id } = sql
      .exec<{ id: number }>(
        "INSERT INTO messages (turn, epoch, role, kind, content, extra, at) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
        at.turnId ?? null,
        at.epoch,
        role,
        kind,
        content,
        Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
        at.now,
      )
      .one();
    return { ...message, id, turnId: at.turnId ?? id, createdAt: at.now };
  }

  return {
    ...openWorkRows(sql),
    create,
    exists,
    /** Runs `work` as one transaction. */
    transaction: <T>(work: () => T): T => storage.transactionSync(work),

    // only this store writes the table, under one type a key
    facts: () => meta("session") as SessionFacts | undefined,
    setFacts: (facts: SessionFacts) => setMeta("session", facts),
    /** The system prompt of the conversation `epoch` with a model, if it was built already. */
    prompt(epoch: number, model: string): string | undefined {
      prompt ??= meta("prompt") as typeof prompt;
      return prompt?.epoch === epoch && prompt.model === model ? prompt.text : undefined;
    },
    setPrompt(epoch: number, model: string, text: string): void {
      setMeta("prompt", { epoch, model, text });
      prompt = { epoch, model, text };
    },
    /** What is known of the summaries of the conversation `epoch`. */
    compaction(epoch: number): CompactionState | undefined {
      compaction ??= meta("compaction") as typeof compaction;
      return compaction?.epoch === epoch ? compaction.state : undefined;
    },
    setCompaction(epoch: number, state: CompactionState): void {
      setMeta("compaction", { epoch, state });
      compaction = { epoch, state };
    },
    children: () => (meta("children") ?? []) as readonly StoredChild[],
    setChildren: (children: readonly StoredChild[]) => setMeta("children", children),
    childCosts: () => meta("childCosts") as ChildCosts | undefined,
    setChildCosts: (costs: ChildCosts) => setMeta("childCosts", costs),
    todos: () => (meta("todos") ?? []) as readonly TodoItem[],
    setTodos: (items: readonly TodoItem[]) => setMeta("todos", items),

    /** Notes dedupe keys; false when one of them was here before. */
    markSeen(keys: readonly string[], now: number): boolean {
      // a key that was noted beside an old one means the same message: it may stay
      let isNew = true;
      for (const key of keys) {
        const { rowsWritten } = sql.exec("INSERT OR IGNORE INTO seen (key, at) VALUES (?, ?)", key, now);
        if (rowsWritten === 0) isNew = false;
      }
      return isNew;
    },
    forgetSeen(now: number): void {
      sql.exec("DELETE FROM seen WHERE at < ?", now - SEEN_DAYS * 86_400_000);
    },

    insertMessage,
    /** Rows that came in while the model was busy move behind what it had begun: it reads them after that. */
    moveToEnd(id: number): number {
      return sql
        .exec<{ id: number }>(
          "UPDATE messages SET id = (SELECT max(id) + 1 FROM messages), turn = coalesce(turn, id) WHERE id = ? RETURNING id",
          id,
        )
        .one().id;
    },
    updateContent(id: number, content: string): void {
      sql.exec("UPDATE messages SET content = ? WHERE id = ?", content, id);
    },
    updateExtra(message: Message): void {
      const { id, turnId: _turn, role: _role, kind: _kind, content: _content, createdAt: _at, ...extra } = message;
      sql.exec("UPDATE messages SET extra = ? WHERE id = ?", JSON.stringify(extra), id);
    },
    updateWords(message: Message): void {
      this.updateContent(message.id, message.content);
      this.updateExtra(message);
    },
    setKind(id: number, kind: MessageKind): void {
      sql.exec("UPDATE messages SET kind = ? WHERE id = ?", kind, id);
    },
    /** Hides everything from a row on: the model and the transcript no longer show it. */
    hideFrom(id: number): void {
      sql.exec("UPDATE messages SET epoch = -epoch WHERE id >= ? AND epoch > 0 AND kind <> 'command'", id);
    },

    /** The newest rows of a conversation within the budget, oldest first. Read from the end: length does not matter. */
    newestRows(epoch: number, from: number, maxTokens: number): Message[] {
      const rows: Message[] = [];
      let bytes = 0;
      for (const row of sql.exec<MessageRow>(
        "SELECT * FROM messages WHERE epoch = ? AND id >= ? ORDER BY id DESC",
        epoch,
        from,
      )) {
        bytes += row.content.length + (row.extra?.length ?? 0) + 16;
        // at least the latest row is read, however long
        if (rows.length > 0 && bytes > Math.min(maxTokens * 4, MAX_WINDOW_BYTES)) break;
        rows.push(toMessage(row));
      }
      return rows.reverse();
    },
    /** Rows that are shown beside a summary: those before it, the ones it names, and the running turn's own. */
    keptRows(
      epoch: number,
      summary: { readonly fromId: number; readonly shownIds: readonly number[] },
      turnId: number | undefined,
    ): Message[] {
      return sql
        .exec<MessageRow>(
          `SELECT * FROM messages WHERE epoch = ?1 AND
             (id < ?2 OR id IN (SELECT value FROM json_each(?3)) OR coalesce(turn, id) = ?4) ORDER BY id`,
          epoch,
          summary.fromId,
          JSON.stringify(summary.shownIds),
          turnId ?? null,
        )
        .toArray()
        .map(toMessage);
    },
    /** A page of the transcript, oldest first. */
    transcript(page: {
      readonly after?: number;
      readonly before?: number;
      readonly limit: number;
      readonly epoch?: number;
    }): Message[] {
      const epoch = page.epoch ?? null;
      if (page.after !== undefined) {
        return sql
          .exec<MessageRow>(
            "SELECT * FROM messages WHERE id > ? AND epoch > 0 AND (?2 IS NULL OR epoch = ?2) ORDER BY id LIMIT ?3",
            page.after,
            epoch,
            page.limit,
          )
          .toArray()
          .map(toMessage);
      }
      return sql
        .exec<MessageRow>(
          "SELECT * FROM messages WHERE id < ? AND epoch > 0 AND (?2 IS NULL OR epoch = ?2) ORDER BY id DESC LIMIT ?3",
          page.before ?? Number.MAX_SAFE_INTEGER,
          epoch,
          page.limit,
        )
        .toArray()
        .map(toMessage)
        .reverse();
    },
    message(id: number): Message | undefined {
      return sql.exec<MessageRow>("SELECT * FROM messages WHERE id = ?", id).toArray().map(toMessage)[0];
    },
    /** Rows where a person began a turn, newest first: one that waited stands where it was answered. */
    turnStarts(epoch: number, count: number): Message[] {
      return sql
        .exec<MessageRow>(
          `SELECT * FROM messages WHERE id IN (
             SELECT min(id) FROM messages WHERE epoch = ?1 AND role = 'user' AND kind = 'chat' GROUP BY coalesce(turn, id)
           ) ORDER BY id DESC LIMIT ?2`,
          epoch,
          count,
        )
        .toArray()
        .map(toMessage);
    },
    /** The row of a message by the id that its platform, or its client, gave it. */
    platformMessage(platformMessageId: string): Message | undefined {
      return sql
        .exec<MessageRow>(
          "SELECT * FROM messages WHERE role = 'user' AND extra ->> '$.platformMessageId' = ? ORDER BY id DESC LIMIT 1",
          platformMessageId,
        )
        .toArray()
        .map(toMessage)[0];
    },
    /** Rows after one, and the newest of them all. */
    since(id: number): {
      readonly messages: number;
      readonly lastId: number;
      readonly lastAt: number;
      readonly preview: string;
    } {
      const row = sql
        .exec<{ n: number; id: number | null; at: number | null }>(
          "SELECT count(*) AS n, max(id) AS id, max(at) AS at FROM messages WHERE id > ?",
          id,
        )
        .one();
      const last =
        row.id === null
          ? undefined
          : sql
              .exec<{ content: string }>("SELECT substr(content, 1, 120) AS content FROM messages WHERE id = ?", row.id)
              .one();
      return { messages: row.n, lastId: row.id ?? id, lastAt: row.at ?? 0, preview: last?.content ?? "" };
    },
    /** Chat rows of a conversation; counted for a person who asks. */
    countChat(epoch: number): number {
      return sql
        .exec<{ n: number }>("SELECT count(*) AS n FROM messages WHERE epoch = ? AND kind <> 'command'", epoch)
        .one().n;
    },
    /** Tokens by day and model, of the rows after one; of one conversation alone when it is given. */
    usageSince(id: number, epoch?: number): DayUsage[] {
      return sql
        .exec<Required<Omit<DayUsage, "reasoningTokens">>>(
          `SELECT strftime('%Y-%m-%d', at / 1000, 'unixepoch') AS day, extra ->> '$.usage.model' AS model,
             coalesce(sum(extra ->> '$.usage.usage.inputTokens'), 0) AS inputTokens,
             coalesce(sum(extra ->> '$.usage.usage.outputTokens'), 0) AS outputTokens,
             coalesce(sum(extra ->> '$.usage.usage.cachedInputTokens'), 0) AS cachedInputTokens,
             coalesce(sum(extra ->> '$.usage.usage.cacheWriteTokens'), 0) AS cacheWriteTokens,
             coalesce(sum(extra ->> '$.usage.costUsd'), 0) AS costUsd, count(*) AS calls
           FROM messages WHERE id > ?1 AND role = 'assistant' AND extra IS NOT NULL AND extra ->> '$.usage.model' IS NOT NULL
             AND (?2 IS NULL OR abs(epoch) = ?2) GROUP BY day, model`,
          id,
          epoch ?? null,
        )
        .toArray();
    },
    /** US dollars of one turn. */
    turnCost(turnId: number): number {
      return sql
        .exec<{ usd: number }>(
          "SELECT coalesce(sum(extra ->> '$.usage.costUsd'), 0) AS usd FROM messages WHERE id >= ?1 AND turn = ?1",
          turnId,
        )
        .one().usd;
    },
    /** Tokens of one turn. */
    turnUsage(turnId: number): { readonly inputTokens: number; readonly outputTokens: number } {
      return sql
        .exec<{ inputTokens: number; outputTokens: number }>(
          `SELECT coalesce(sum(extra ->> '$.usage.usage.inputTokens'), 0) AS inputTokens,
             coalesce(sum(extra ->> '$.usage.usage.outputTokens'), 0) AS outputTokens
           FROM messages WHERE id >= ?1 AND turn = ?1`,
          turnId,
        )
        .one();
    },
  };
}

function toMessage(row: MessageRow): Message {
  // only this store writes the table: roles, kinds and extras are what `insertMessage` was given
  const extra = row.extra === null ? {} : (JSON.parse(row.extra) as Extra);
  const { usage: _usage, ...fields } = extra;
  return {
    id: row.id,
    turnId: row.turn ?? row.id,
    role: row.role as Message["role"],
    kind: row.kind as MessageKind,
    content: row.content,
    createdAt: row.at,
    ...fields,
  };
}

/** A row of results for one segment. */
export function resultsMessage(results: readonly ToolResult[]): NewMessage {
  return { role: "tool", kind: "chat", content: "", toolResults: results };
}
