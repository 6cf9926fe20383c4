import { DurableObject } from "cloudflare:workers";

interface FloorEnv {
  readonly FLOORS: DurableObjectNamespace<Floor>;
  readonly OPENAI_BASE_URL: string;
  readonly TELEGRAM_API_BASE: string;
  readonly TELEGRAM_BOT_TOKEN: string;
  readonly TELEGRAM_WEBHOOK_SECRET: string;
}

interface Update {
  readonly message: { readonly message_id: number; readonly text: string; readonly chat: { readonly id: number } };
}

/**
 * The least that does the main job: stores the message unless it was here before, reads the last 20, asks the model
 * once, stores the answer and sends it. No recovery, no tools, no streaming: what everything else is measured against.
 */
export class Floor extends DurableObject<FloorEnv> {
  constructor(ctx: DurableObjectState, env: FloorEnv) {
    super(ctx, env);
    ctx.storage.sql.exec(
      "CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, key TEXT UNIQUE, role TEXT, content TEXT)",
    );
  }

  receive(update: Update): void {
    const { message_id: id, text, chat } = update.message;
    const inserted = this.ctx.storage.sql.exec(
      "INSERT OR IGNORE INTO messages (key, role, content) VALUES (?, 'user', ?)",
      String(id),
      text,
    );
    if (inserted.rowsWritten > 0) this.ctx.waitUntil(this.#answer(chat.id));
  }

  async #answer(chatId: number): Promise<void> {
    const { sql } = this.ctx.storage;
    const messages = sql.exec("SELECT role, content FROM messages ORDER BY id DESC LIMIT 20").toArray().reverse();
    const response = await fetch(`${this.env.OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer x" },
      body: JSON.stringify({ model: "bench", messages }),
    });
    const completion = await response.json<{ choices: { message: { content: string } }[] }>();
    const answer = completion.choices[0]?.message.content ?? "";
    sql.exec("INSERT INTO messages (role, content) VALUES ('assistant', ?)", answer);
    const sent = await fetch(`${this.env.TELEGRAM_API_BASE}/bot${this.env.TELEGRAM_BOT_TOKEN}/sendMessage`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ chat_id: chatId, text: answer }),
    });
    await sent.body?.cancel();
  }
}

export default {
  async fetch(request: Request, env: FloorEnv): Promise<Response> {
    if (new URL(request.url).pathname === "/health") return new Response("ok");
    if (request.headers.get("x-telegram-bot-api-secret-token") !== env.TELEGRAM_WEBHOOK_SECRET)
      return new Response("", { status: 401 });
    const update = await request.json<Update>();
    await env.FLOORS.getByName(String(update.message.chat.id)).receive(update);
    return new Response("");
  },
} satisfies ExportedHandler<FloorEnv>;
