// One conversation of the stand-in gateway: it keeps rows, tells its watchers, and answers by repeating what was said.
import type { LiveCommand, LiveEvent, TranscriptMessage } from "#src/domain/live";

export interface FakeSession {
  readonly key: string;
  readonly rows: TranscriptMessage[];
  readonly watchers: Set<(event: LiveEvent) => void>;
  /** What a client that has seen `after` is told first. */
  hello(after: string | null): LiveEvent;
  /** Takes a message in, once for each id, and answers it. */
  take(command: LiveCommand): void;
  tell(event: LiveEvent): void;
}

export function openFakeSession(key: string, rows: TranscriptMessage[] = []): FakeSession {
  const watchers = new Set<(event: LiveEvent) => void>();
  const seen = new Set<string>();
  let nextId = rows.length + 1;

  function tell(event: LiveEvent): void {
    for (const watch of watchers) watch(event);
  }

  function append(role: "user" | "assistant", content: string, turn_id: string): void {
    const message = {
      id: String(nextId),
      role,
      kind: "chat",
      content,
      turn_id,
      created_at: new Date().toISOString(),
    } as const;
    nextId += 1;
    rows.push(message);
    tell({ type: "message", message });
  }

  function runTurn(text: string): void {
    const turn_id = String(nextId);
    append("user", text, turn_id);
    tell({ type: "turn", turn_id, state: "started" });
    append("assistant", `You said: "${text}".`, turn_id);
    tell({ type: "turn", turn_id, state: "ended" });
  }

  return {
    key,
    rows,
    watchers,
    tell,
    hello: (after) => ({
      type: "hello",
      session: { key, epoch: 1, model: "demo/demo" },
      messages: after === null ? rows : rows.filter((row) => Number(row.id) > Number(after)),
    }),
    take(command) {
      if (command.type !== "send" || seen.has(command.id)) return;
      seen.add(command.id);
      runTurn(command.text);
    },
  };
}
