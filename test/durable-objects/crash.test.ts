import { env } from "cloudflare:workers";
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { PlatformAdapter } from "#src/domain/platform";
import type { AnyTool } from "#src/domain/tool";
import { RECOVERED_MARK } from "#src/delivery/deliver";
import { platforms } from "#src/platforms/registry";
import { tools } from "#src/tools/registry";
import { environmentFor } from "../../durable-objects/environment";
import { type World, openWorld } from "../support/world";
import { until } from "../support/until";

// A conversation is run again and again; each time the object is aborted at the next point of its life: before and
// after every commit, every model call and every send. What a person sees in the end must keep the promise.

const MARK = RECOVERED_MARK.trim();
const FINAL = "This is the whole answer, long enough to be shown while it is being written.";

/** A platform that drops a second send with the same key, which none of the registered ones does. */
const idem: PlatformAdapter = {
  name: "idem",
  label: "Idem",
  settings: [],
  limits: { textLength: 4096, unit: "utf16", bodyBytes: 1024 },
  delivery: { idempotent: true, editIntervalMs: 1 },
  access: "signed",
  promptHint: "",
  receive: async () => ({ events: [] }),
  open: () => ({
    async send(target, message, { key }) {
      await fetch(`http://idem.test/send/${key}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ chat: target.chatId, text: message.markdown }),
      });
      return { messageId: key };
    },
    async edit(_target, messageId, message) {
      await fetch(`http://idem.test/edit/${messageId}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: message.markdown }),
      });
    },
  }),
};

let runs = 0;
/** A tool whose runs are counted: what it did stands outside, and a second run would be a second deed. */
const deed: AnyTool = {
  name: "deed",
  toolset: "todo",
  description: "Does something once.",
  parameters: { type: "object", properties: {} },
  parse: (input) => input,
  effect: "unsafe",
  parallel: "never",
  async execute() {
    runs += 1;
    await fetch("http://idem.test/deed/x", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    return { content: "done" };
  },
};

let world: World;
/** Messages of the idempotent platform by key, as they stand now. */
const idemShown = new Map<string, { chat: string; text: string }>();

beforeEach(() => {
  // the registries are lists of one isolate, which the Worker under test shares
  (platforms as PlatformAdapter[]).push(idem);
  (tools as AnyTool[]).push(deed);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
  world = openWorld();
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool" ? { text: FINAL } : { calls: [{ name: "deed", arguments: {} }] };
  const inner = vi.mocked(globalThis.fetch).getMockImplementation();
  vi.mocked(globalThis.fetch).mockImplementation(async (input, init) => {
    const url = new URL(typeof input === "string" ? input : (input as Request).url);
    if (url.host !== "idem.test") return (await inner?.(input, init)) ?? new Response();
    const [, what = "", key = ""] = url.pathname.split("/");
    await world.before(`idem ${what}`);
    const body = JSON.parse(init?.body as string) as { chat?: string; text?: string };
    if (what === "send" && !idemShown.has(key)) idemShown.set(key, { chat: body.chat ?? "", text: body.text ?? "" });
    const shown = idemShown.get(key);
    if (what === "edit" && shown !== undefined) shown.text = body.text ?? "";
    await world.after(`idem ${what}`);
    return new Response("{}");
  });
});
afterEach(() => {
  (platforms as PlatformAdapter[]).pop();
  (tools as AnyTool[]).pop();
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
  vi.restoreAllMocks();
});

interface Outcome {
  /** Points that were passed in the first life. */
  readonly points: number;
  readonly crashedAt: string | undefined;
  readonly texts: string[];
  readonly deeds: number;
}

/** Runs one conversation and aborts the object at its `crashAt`-th point; then wakes it as the alarm would. */
async function live(platform: "telegram" | "idem", chat: string, crashAt: number): Promise<Outcome> {
  const key = `main:${platform}:dm:${chat}`;
  let points = 0;
  let crashedAt: string | undefined;
  let abort: () => void = () => undefined;
  const deedsBefore = runs;
  /** One point of the object's life: the chosen one is its last. */
  const point = (name: string): void => {
    if (crashedAt !== undefined) return;
    points += 1;
    if (points !== crashAt) return;
    crashedAt = name;
    abort();
  };
  let flush: () => Promise<void> = async () => undefined;
  world.before = async (call) => {
    // the real runtime holds a request back until what was written before it is on disk; a mocked fetch has to say so
    await flush();
    point(`before ${call}`);
  };
  world.after = (call) => point(`after ${call}`);

  const stub = env.SESSIONS.getByName(key);
  await runInDurableObject(stub, (_instance, state) => {
    flush = async () => {
      if (crashedAt === undefined) await state.storage.sync();
    };
    abort = () => {
      state.abort("crash");
      throw new Error("crash");
    };
    const transaction = state.storage.transactionSync.bind(state.storage);
    Object.defineProperty(state.storage, "transactionSync", {
      value: <T>(work: () => T): T => {
        point("before commit");
        const result = transaction(work);
        point("after commit");
        return result;
      },
    });
  });
  const accepted = await ingest(key, platform, chat).catch(() => false);
  await until(() => {
    if (crashedAt === undefined) expect(shownOn(platform, chat)).toContainEqual(FINAL);
  });
  // the platform sends again what was not acknowledged; the alarm wakes what was
  if (!accepted) await ingest(key, platform, chat);
  await until(async () => {
    const again = env.SESSIONS.getByName(key);
    await runDurableObjectAlarm(again).catch(() => false);
    const left = await runInDurableObject(again, (_instance, state) =>
      Number(
        state.storage.sql.exec("SELECT (SELECT count(*) FROM turns) + (SELECT count(*) FROM outbox) AS n").one()["n"],
      ),
    );
    expect(left).toBe(0);
  });
  return { points, crashedAt, texts: shownOn(platform, chat), deeds: runs - deedsBefore };
}

async function ingest(key: string, platform: string, chat: string): Promise<boolean> {
  const event = {
    kind: "message",
    eventId: "1",
    dedupeKeys: ["1"],
    chatId: chat,
    chatType: "dm",
    userId: "7001",
    text: "do it",
    rawText: "do it",
    messageId: "1",
    mentionsBot: false,
    replyToBot: false,
    addressed: true,
    attachments: [],
    isFromBot: false,
    target: { chatId: chat },
    at: 0,
  } as const;
  const result = await env.SESSIONS.getByName(key).ingest({ event, platform });
  return result.status === "accepted";
}

function shownOn(platform: "telegram" | "idem", chat: string): string[] {
  return platform === "telegram"
    ? world.textsOf(Number(chat))
    : [...idemShown.values()].filter((shown) => shown.chat === chat).map((shown) => shown.text);
}

it.each(["telegram", "idem"] as const)(
  "answers once after a crash at any point, on %s",
  async (platform) => {
    const whole = await live(platform, "100000", 0);
    expect(whole).toMatchObject({ texts: [FINAL], deeds: 1 });
    expect(whole.points).toBeGreaterThan(15);
    const wrong: unknown[] = [];
    let marked = 0;
    for (let at = 1; at <= whole.points; at++) {
      const outcome = await live(platform, String(100_000 + at), at);
      const plain = outcome.texts.filter((text) => !text.includes(MARK));
      marked += outcome.texts.length - plain.length;
      const isAnswered = outcome.texts.at(-1)?.endsWith(FINAL) === true;
      if (!isAnswered || plain.length > 1 || outcome.deeds > 1) wrong.push({ at, ...outcome });
    }
    expect(wrong).toEqual([]);
    // where the platform drops doubles no second copy is ever needed; elsewhere only an unconfirmed send makes one
    if (platform === "idem") expect(marked).toBe(0);
    else expect(marked).toBeGreaterThan(0);
  },
  120_000,
);
