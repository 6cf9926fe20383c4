import { DatabaseSync } from "node:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Report } from "./main.ts";
import { load } from "./load.ts";
import { median, round, startSystem } from "./systems.ts";

const SHORT = { chat: 8010, messages: 10 };
const LONG = { chat: 8011, messages: 10_000 };
const TURNS = 60;
const ROUNDS = 5;

/** CPU per turn in a long conversation against a short one, in alternating rounds of one run. */
export async function growth(report: Report): Promise<void> {
  const first = await startSystem("wrangler.toml");
  for (const { chat } of [SHORT, LONG])
    await load(first.runtime, first.telegram, { sessions: [chat], turns: 1, inFlight: 1 });
  await first.close();
  for (const session of [SHORT, LONG]) fill(first.state, `main:telegram:dm:${session.chat}`, session.messages);
  const system = await startSystem("wrangler.toml", first.state);
  const ratios: number[] = [];
  const figures: { short: number; long: number }[] = [];
  try {
    for (const { chat } of [SHORT, LONG])
      await load(system.runtime, system.telegram, { sessions: [chat], turns: 30, inFlight: 1 });
    for (let i = 0; i < ROUNDS; i++) {
      const long = await load(system.runtime, system.telegram, { sessions: [LONG.chat], turns: TURNS, inFlight: 1 });
      // the short one is another chat each round, so that it stays short
      const short = await load(system.runtime, system.telegram, {
        sessions: Array.from({ length: TURNS / 5 }, (_, n) => 8100 + 100 * i + n),
        turns: TURNS,
        inFlight: 1,
      });
      figures.push({ short: short.cpuMsPerTurn, long: long.cpuMsPerTurn });
      ratios.push(long.cpuMsPerTurn / short.cpuMsPerTurn);
    }
  } finally {
    await system.close();
  }
  const ratio = round(median(ratios));
  report({
    name: "cpu_ms_per_turn_10000_messages",
    short: round(median(figures.map((figure) => figure.short))),
    long: round(median(figures.map((figure) => figure.long))),
    ratio,
    goal: "<= 1.2 x",
    reached: ratio <= 1.2,
  });
}

/** Writes messages into a stopped session's own database, as many turns would have. */
function fill(state: string, key: string, count: number): void {
  const path = find(state).find((file) => keyOf(file) === key);
  if (path === undefined) throw new Error(`no database of ${key} below ${state}`);
  const database = new DatabaseSync(path);
  const insert = database.prepare(
    "INSERT INTO messages (turn, epoch, role, kind, content, extra, at) VALUES (?, 1, ?, 'chat', ?, NULL, ?)",
  );
  database.exec("BEGIN");
  for (let i = 0; i < count; i += 2) {
    const { lastInsertRowid } = insert.run(
      null,
      "user",
      `Question ${i}: what did we say about the plan for the harbour and its boats?`,
      Date.now(),
    );
    insert.run(
      Number(lastInsertRowid),
      "assistant",
      `Answer ${i}: the plan is to repair the boats first and then paint the harbour walls.`,
      Date.now(),
    );
  }
  database.exec("COMMIT");
  database.close();
}

function find(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".sqlite") && name.includes("ChatSession"))
    .map((name) => join(folder, name));
}

function keyOf(path: string): string | undefined {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const row = database.prepare("SELECT value ->> '$.key' AS key FROM meta WHERE key = 'session'").get();
    return row === undefined ? undefined : String(row["key"]);
  } catch {
    return undefined; // the runtime's own bookkeeping database has no such table
  } finally {
    database.close();
  }
}
