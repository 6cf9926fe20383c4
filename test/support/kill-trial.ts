// Kills the real process at random points under load, starts it again on the same state, and looks at what people
// see in the end. Shared by the end-to-end test (few kills) and the benchmark (many).
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type FakeTelegram, startFakeTelegram, telegramText } from "./fake-telegram.ts";
import { startFakeOpenai } from "./fake-openai.ts";
import { type Runtime, startLocalRuntime } from "./runtime.ts";

const SECRET = "kill-secret";

export interface KillTrial {
  readonly kills: number;
  readonly accepted: number;
  /** Accepted messages without an answer. */
  readonly lost: readonly string[];
  /** Messages with more than one unmarked answer. */
  readonly doubled: readonly string[];
  /** Messages with a marked second copy: allowed where a send was cut off. */
  readonly marked: number;
  /** Messages that were answered by a sentence about a failure: a turn that was cut off too often. */
  readonly excused: number;
  /** Tool calls that ran more than once, by message. */
  readonly toolDoubles: readonly string[];
  readonly toolRuns: number;
}

/** Runs messages through the system while killing it `kills` times, `seed` deciding when. */
export async function runKillTrial(options: {
  readonly kills: number;
  readonly seed: number;
  readonly onKill?: (done: number) => void;
}): Promise<KillTrial> {
  const random = mulberry32(options.seed);
  const telegram = await startFakeTelegram();
  const model = await startFakeOpenai({ latencyMs: 30 });
  const state = mkdtempSync(join(tmpdir(), "talaria-kill-"));
  const vars = {
    TALARIA_LOCAL: "1",
    ADMIN_TOKEN: "kill-admin",
    OPENAI_BASE_URL: `${model.url}/v1`,
    OPENAI_API_KEY: "x",
    MODEL: "scripted",
    TELEGRAM_BOT_TOKEN: "7900000001:kill",
    TELEGRAM_WEBHOOK_SECRET: SECRET,
    TELEGRAM_API_BASE: telegram.url,
    TELEGRAM_ALLOW_ALL_USERS: "true",
    SENDER_MESSAGES_PER_MINUTE: "0",
  };
  const start = (): Promise<Runtime> => startLocalRuntime({ state, vars });
  let runtime = await start();
  const accepted = new Map<string, number>();
  let next = 0;
  try {
    for (let kill = 0; kill <= options.kills; kill++) {
      const isLast = kill === options.kills;
      // a few messages, each to a chat of its own: half of them make the agent run a tool whose runs are counted
      const batch = Array.from({ length: 4 }, () => `m${next++}`);
      const posts = batch.map(async (id) => {
        const text = Number(id.slice(1)) % 2 === 0 ? `say ${id}` : toolText(id);
        const chat = 1000 + Number(id.slice(1));
        if (await post(runtime, telegramText(chat, 1, text))) accepted.set(id, chat);
      });
      if (!isLast) {
        await new Promise((resolve) => setTimeout(resolve, Math.floor(random() * 400)));
        await runtime.kill();
        await Promise.allSettled(posts);
        options.onKill?.(kill + 1);
        runtime = await start();
      } else {
        await Promise.all(posts);
      }
    }
    await telegram
      .until(() => [...accepted].every(([id, chat]) => answers(telegram, chat, id).length > 0), 60_000)
      .catch(() => undefined);
    const { toolDoubles, toolRuns } = await countToolRuns(runtime, telegram);
    return { kills: options.kills, accepted: accepted.size, ...judge(telegram, accepted), toolDoubles, toolRuns };
  } finally {
    await runtime.kill();
    await telegram.close();
    await model.close();
  }
}

function toolText(id: string): string {
  return `TOOL terminal ${JSON.stringify({ command: `echo ${id} >> /workspace/ledger; echo ran ${id}` })}`;
}

async function post(runtime: Runtime, update: unknown): Promise<boolean> {
  const response = await fetch(`${runtime.url}/webhooks/telegram`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": SECRET },
    body: JSON.stringify(update),
  }).catch(() => undefined);
  await response?.arrayBuffer().catch(() => undefined);
  return response?.status === 200;
}

const MARK = "you may see this twice";

function answers(telegram: FakeTelegram, chat: number, id: string): string[] {
  return telegram.texts(chat).filter((text) => text.includes(id));
}

function judge(
  telegram: FakeTelegram,
  accepted: ReadonlyMap<string, number>,
): Pick<KillTrial, "lost" | "doubled" | "marked" | "excused"> {
  const lost: string[] = [];
  const doubled: string[] = [];
  let marked = 0;
  let excused = 0;
  for (const [id, chat] of accepted) {
    const seen = telegram.texts(chat);
    const plain = seen.filter((text) => !text.includes(MARK));
    if (seen.length === 0) lost.push(id);
    // told that it could not be done, which is an answer, though not the one that was asked for
    else if (answers(telegram, chat, id).length === 0) excused += 1;
    if (plain.length > 1) doubled.push(`${id}: ${JSON.stringify(seen)}`);
    marked += seen.length - plain.length;
  }
  return { lost, doubled, marked, excused };
}

/** Reads the ledger that the tools wrote, as a person would: by asking for it. */
async function countToolRuns(
  runtime: Runtime,
  telegram: FakeTelegram,
): Promise<Pick<KillTrial, "toolDoubles" | "toolRuns">> {
  const chat = 999;
  await post(
    runtime,
    telegramText(
      chat,
      1,
      `TOOL terminal ${JSON.stringify({ command: "sort /workspace/ledger | uniq -c; echo the-end" })}`,
    ),
  );
  await telegram.until(() => telegram.texts(chat).some((text) => text.includes("the-end")), 30_000);
  const text = telegram.texts(chat).join("\n").replaceAll("\\n", "\n");
  const lines = [...text.matchAll(/(\d+)\s+(m\d+)/g)];
  return { toolRuns: lines.length, toolDoubles: lines.filter(([, count]) => count !== "1").map(([line]) => line) };
}

/** A small seeded generator: the same seed gives the same moments. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
