import { performance } from "node:perf_hooks";
import { type FakeTelegram, telegramText } from "../test/support/fake-telegram.ts";
import type { Runtime } from "../test/support/runtime.ts";

export const BENCH_SECRET = "bench-secret";

export interface LoadResult {
  readonly turns: number;
  readonly seconds: number;
  readonly turnsPerSecond: number;
  /** Processor milliseconds of all workerd processes. */
  readonly cpuMsPerTurn: number;
  /** Milliseconds until the webhook was acknowledged. */
  readonly ackP50Ms: number;
  readonly ackP95Ms: number;
}

let messageId = 1;

/**
 * Drives turns through a running system as Telegram would: each session says something, waits until its answer stands
 * on the platform, and says the next thing. `inFlight` sessions are busy at any time.
 */
export async function load(
  runtime: Runtime,
  telegram: FakeTelegram,
  options: { readonly sessions: readonly number[]; readonly turns: number; readonly inFlight: number },
): Promise<LoadResult> {
  const acks: number[] = [];
  const free = [...options.sessions];
  let begun = 0;
  const waiting = new Map<string, () => void>();
  const stopWatching = watchAnswers(telegram, waiting);
  const cpuBefore = runtime.cpuSeconds();
  const startedAt = performance.now();

  async function worker(): Promise<void> {
    while (begun < options.turns) {
      begun += 1;
      const chat = free.shift();
      if (chat === undefined) throw new Error("more in flight than sessions");
      const id = messageId++;
      const word = `n${id}.`;
      const answered = new Promise<void>((resolve) => waiting.set(`${chat} ${word}`, resolve));
      const sentAt = performance.now();
      const response = await fetch(`${runtime.url}/webhooks/telegram`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": BENCH_SECRET },
        body: JSON.stringify(telegramText(chat, id, `Tell me something about ${word}`)),
      });
      await response.arrayBuffer();
      acks.push(performance.now() - sentAt);
      if (response.status !== 200) throw new Error(`webhook answered ${response.status}`);
      await answered;
      free.push(chat);
    }
  }

  await Promise.all(Array.from({ length: options.inFlight }, worker));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpuMs = (runtime.cpuSeconds() - cpuBefore) * 1000;
  stopWatching();
  acks.sort((a, b) => a - b);
  return {
    turns: options.turns,
    seconds,
    turnsPerSecond: options.turns / seconds,
    cpuMsPerTurn: cpuMs / options.turns,
    ackP50Ms: acks[Math.floor(acks.length / 2)] ?? 0,
    ackP95Ms: acks[Math.floor(acks.length * 0.95)] ?? 0,
  };
}

/** Wakes whoever waits for an answer that names their word in their chat. */
function watchAnswers(telegram: FakeTelegram, waiting: Map<string, () => void>): () => void {
  let seen = telegram.calls.length;
  return telegram.onCall(() => {
    for (; seen < telegram.calls.length; seen++) {
      const body = telegram.calls[seen]?.body;
      const word = /n\d+\\?\./.exec(textOf(body))?.[0].replace("\\", "");
      const key = `${String(body?.["chat_id"])} ${word ?? ""}`;
      waiting.get(key)?.();
      waiting.delete(key);
    }
  });
}

function textOf(body: Readonly<Record<string, unknown>> | undefined): string {
  const text = body?.["text"];
  return typeof text === "string" ? text : "";
}
