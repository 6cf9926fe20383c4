import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { telegramText } from "../test/support/fake-telegram.ts";
import { BENCH_SECRET } from "./load.ts";
import type { Report } from "./main.ts";
import { type System, round, startSystem } from "./systems.ts";

const TURNS = 20;
const ROOT = join(import.meta.dirname, "..");

/** Rows written for a turn: without tools, and what one tool segment adds. Counted over whole conversations. */
export async function rows(report: Report): Promise<void> {
  // the system's own configuration with another entry point
  const config = join(ROOT, "wrangler.rows.toml");
  const own = readFileSync(join(ROOT, "wrangler.toml"), "utf8");
  writeFileSync(config, own.replace(/^main = .*$/m, 'main = "bench/rows/worker.ts"'));
  const system = await startSystem(config);
  try {
    const plain = await rowsPerTurn(system, 9001, (n) => `Tell me something about ${n}, please`);
    const tool = await rowsPerTurn(
      system,
      9002,
      (n) => `TOOL todo ${JSON.stringify({ todos: [{ id: "1", content: `step ${n}`, status: "pending" }] })}`,
    );
    report({ name: "rows_per_turn", value: plain, goal: "<= 12", reached: plain <= 12 });
    // the todo list is a row of its own
    report({
      name: "rows_per_tool_segment",
      value: round(tool - plain - 1),
      goal: "<= 2",
      reached: tool - plain - 1 <= 2,
    });
  } finally {
    await system.close();
  }
}

async function rowsPerTurn(system: System, chat: number, text: (n: number) => string): Promise<number> {
  await turn(system, chat, 1, text(0)); // the first turn also writes what is written once a conversation
  const before = await written(system);
  for (let n = 1; n <= TURNS; n++) await turn(system, chat, n + 1, text(n));
  return round(((await written(system)) - before) / TURNS);
}

async function turn(system: System, chat: number, id: number, text: string): Promise<void> {
  const response = await fetch(`${system.runtime.url}/webhooks/telegram`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": BENCH_SECRET },
    body: JSON.stringify(telegramText(chat, id, text)),
  });
  await response.arrayBuffer();
  await system.telegram.until(() => system.telegram.texts(chat).length >= id);
  // the end of a turn is written after the platform's answer: the session says when
  for (;;) {
    const summary = await fetch(`${system.runtime.url}/api/sessions/main:telegram:dm:${chat}`, {
      headers: { authorization: "Bearer bench-admin" },
    });
    const { running } = (await summary.json()) as { running: boolean };
    if (!running) return;
  }
}

async function written(system: System): Promise<number> {
  const response = await fetch(`${system.runtime.url}/rows`);
  return ((await response.json()) as { written: number }).written;
}
