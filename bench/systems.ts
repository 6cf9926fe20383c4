import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startFakeOpenai } from "../test/support/fake-openai.ts";
import { startFakeTelegram, type FakeTelegram } from "../test/support/fake-telegram.ts";
import { type Runtime, startRuntime } from "../test/support/runtime.ts";
import { BENCH_SECRET } from "./load.ts";

/** A system under load, with stand-ins of its own for the model and the platform. */
export interface System {
  readonly runtime: Runtime;
  readonly telegram: FakeTelegram;
  readonly state: string;
  close(): Promise<void>;
}

/** Starts a Worker that answers Telegram through a model, on a state folder that may exist already. */
export async function startSystem(
  config: string,
  state = mkdtempSync(join(tmpdir(), "talaria-bench-")),
  more: Readonly<Record<string, string>> = {},
): Promise<System> {
  const telegram = await startFakeTelegram();
  const model = await startFakeOpenai({ latencyMs: 0 });
  const runtime = await startRuntime({
    config,
    state,
    vars: {
      TALARIA_LOCAL: "1",
      ADMIN_TOKEN: "bench-admin",
      OPENAI_BASE_URL: `${model.url}/v1`,
      OPENAI_API_KEY: "x",
      MODEL: "bench",
      TELEGRAM_BOT_TOKEN: "7900000001:bench",
      TELEGRAM_WEBHOOK_SECRET: BENCH_SECRET,
      TELEGRAM_API_BASE: telegram.url,
      TELEGRAM_ALLOW_ALL_USERS: "true",
      SENDER_MESSAGES_PER_MINUTE: "0",
      ...more,
    },
  });
  return {
    runtime,
    telegram,
    state,
    async close() {
      await runtime.kill();
      await telegram.close();
      await model.close();
    },
  };
}

/** The middle of some figures. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function round(value: number): number {
  return Math.round(value * 100) / 100;
}
