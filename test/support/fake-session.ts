// One conversation of the stand-in gateway: it keeps rows, tells its watchers and answers by script, as the demo model
// does, with pauses in place of work.
import { setTimeout as pause } from "node:timers/promises";
import type { LiveCommand, LiveEvent, LiveQuestion, LiveToolCall, TranscriptMessage } from "#src/domain/live";

/** Milliseconds between two words of a slow answer, and that a tool takes. */
const WORD_MS = 40;
const TOOL_MS = 150;

export interface FakeSession {
  readonly key: string;
  readonly rows: TranscriptMessage[];
  readonly watchers: Set<(event: LiveEvent) => void>;
  hello(after: string | null): LiveEvent;
  take(command: LiveCommand): void;
  tell(event: LiveEvent): void;
}

export function openFakeSession(key: string, rows: TranscriptMessage[] = []): FakeSession {
  const watchers = new Set<(event: LiveEvent) => void>();
  const seen = new Set<string>();
  let nextId = rows.length + 1;
  let live: { turn_id: string; text: string; tools: LiveToolCall[] } | undefined;
  let question: LiveQuestion | undefined;
  let stop = new AbortController();
  let answered: ((choice: string) => void) | undefined;

  function tell(event: LiveEvent): void {
    for (const watch of watchers) watch(event);
  }

  function append(row: Omit<TranscriptMessage, "id" | "created_at">, part = ""): void {
    const message = { ...row, id: `${nextId}${part}`, created_at: new Date().toISOString() };
    nextId += 1;
    rows.push(message);
    tell({ type: "message", message });
  }

  function say(turn_id: string, content: string, kind: TranscriptMessage["kind"] = "chat"): void {
    append({ role: "assistant", kind, content, turn_id });
  }

  async function stream(turn_id: string, words: readonly string[]): Promise<void> {
    live = { turn_id, text: "", tools: live?.tools ?? [] };
    for (const word of words) {
      tell({ type: "delta", turn_id, offset: live.text.length, text: word });
      live.text += word;
      await pause(WORD_MS, undefined, { signal: stop.signal });
    }
  }

  async function runTool(turn_id: string, command: string): Promise<void> {
    const call = { id: `call_${turn_id}`, name: "terminal", arguments: JSON.stringify({ command }) };
    append({ role: "assistant", kind: "chat", content: "", tool_calls: [call], turn_id });
    live = { turn_id, text: "", tools: [{ ...call, state: "running" }] };
    tell({ type: "tool", turn_id, call: { ...call, state: "running" } });
    await pause(TOOL_MS, undefined, { signal: stop.signal });
    const content = command.startsWith("false") ? "exit code 1" : `notes.md\ntodo.md\n(exit code 0 of ${command})`;
    const isError = command.startsWith("false");
    tell({ type: "tool", turn_id, call: { ...call, state: isError ? "failed" : "done" } });
    const result = {
      role: "tool",
      kind: "chat",
      content,
      tool_call_id: call.id,
      tool_name: call.name,
      turn_id,
    } as const;
    append(isError ? { ...result, is_error: true } : result, ".0");
    say(
      turn_id,
      `\`terminal\` gave:\n\n\`\`\`\n${content}\n\`\`\`\n\n(I am the demo model: I only pass on what the tools said.)`,
    );
  }

  async function ask(turn_id: string, text: string): Promise<void> {
    const [wording = "", list = ""] = text.split(/:\s+/);
    const labels = list.split(/,\s*|\s+or\s+/).filter((label) => label !== "");
    question = {
      id: `q${turn_id}`,
      text: `${wording}?`,
      choices: labels.map((label) => ({ label, value: `${turn_id}:${label}` })),
    };
    tell({ type: "question", turn_id, question });
    const choice = await new Promise<string>((resolve) => (answered = resolve));
    question = undefined;
    answered = undefined;
    append({ role: "user", kind: "answer", content: choice, turn_id });
    tell({ type: "question_closed", turn_id, id: `q${turn_id}` });
    say(turn_id, `\`clarify\` gave:\n\n${choice}`);
  }

  async function answer(turn_id: string, text: string): Promise<void> {
    const [, to] = /^count slowly to (\d+)/.exec(text) ?? [];
    const [, command] = /^run: (.+)/.exec(text) ?? [];
    const [, asked] = /^ask me:? (.+)/.exec(text) ?? [];
    if (command !== undefined) return runTool(turn_id, command);
    if (asked !== undefined) return ask(turn_id, asked);
    if (to === undefined)
      return say(turn_id, `You said: "${text}". I am Talaria's built-in demo model: I work offline.`);
    const words = Array.from({ length: Number(to) }, (_, i) => (i === 0 ? "1" : ` ${i + 1}`));
    await stream(turn_id, words);
    return say(turn_id, words.join(""));
  }

  async function runTurn(text: string): Promise<void> {
    const turn_id = String(nextId);
    const isCommand = text.startsWith("/");
    append({ role: "user", kind: isCommand ? "command" : "chat", content: text, turn_id });
    if (text === "/new") {
      rows.length = 0;
      tell({ type: "reload" });
    }
    if (isCommand)
      return say(turn_id, text === "/new" ? "✨ A new conversation begins." : "Commands: `/new`, `/help`", "command");
    stop = new AbortController();
    tell({ type: "turn", turn_id, state: "started" });
    await answer(turn_id, text).catch(() => say(turn_id, `${live?.text ?? ""}\n\n(Stopped.)`, "notice"));
    live = undefined;
    tell({ type: "turn", turn_id, state: "ended" });
  }

  return {
    key,
    rows,
    watchers,
    tell,
    hello: (after) => ({
      type: "hello",
      session: { key, model: "demo/demo" },
      messages: after === null ? rows : rows.filter((row) => Number.parseInt(row.id, 10) > Number.parseInt(after, 10)),
      ...(live === undefined ? {} : { live }),
      ...(question === undefined ? {} : { question }),
    }),
    take(command) {
      if (command.type === "stop") return stop.abort();
      if (seen.has(command.id)) return;
      seen.add(command.id);
      if (command.type === "action") return answered?.(command.value.split(":")[1] ?? "");
      if (answered !== undefined) return answered(command.text);
      void runTurn(command.text);
    },
  };
}
