import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { type MockInstance, afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  admit,
  complete,
  freshMinute,
  operate,
  postSlackBody,
  postTelegramBody,
  postWebhookBody,
  request,
} from "../support/doors";
import { anyJson, mutated, noise, toJson } from "../support/hostile-json";
import {
  CHAT_REQUESTS,
  SLACK_COMMAND,
  SLACK_EVENTS,
  SLACK_INTERACTIONS,
  TELEGRAM_UPDATES,
  WEBHOOK_PAYLOADS,
} from "../support/platform-bodies";
import { type World, openWorld, privateMessage } from "../support/world";
import { until } from "../support/until";

// bindings of the test run: texts, whatever the Worker's own types say
const { FUZZ_RUNS, FUZZ_SEED } = env as unknown as Readonly<Record<"FUZZ_RUNS" | "FUZZ_SEED", string>>;
const RUNS: fc.Parameters<unknown> = { numRuns: Number(FUZZ_RUNS), seed: Number(FUZZ_SEED) };
const TIMEOUT_MS = 30_000 + Number(FUZZ_RUNS) * 100;

let world: World;
let errors: MockInstance<typeof console.error>;
beforeEach(async () => {
  world = openWorld();
  errors = vi.spyOn(console, "error").mockImplementation(() => undefined);
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  await admit("telegram:9601", "slack:U9601");
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends what is made, each in a minute of its own: no limit of messages may hide what a message does. */
async function survives<T>(arbitrary: fc.Arbitrary<T>, send: (value: T) => Promise<Response>): Promise<void> {
  const property = fc.asyncProperty(arbitrary, async (value) => {
    freshMinute();
    const response = await send(value);
    const body = await response.text();
    expect(response.status, body).toBeLessThan(500);
  });
  // what fast-check says of a failure ends in the seed and the smallest body that fails
  await fc.assert(property, RUNS as fc.Parameters<[T]>);
  vi.useRealTimers();
  expect(failures()).toEqual([]);
}

/** What went wrong behind the doors, without what an operator has to hear of a delivery that nobody could take. */
function failures(): string[] {
  return errors.mock.calls.map((call) => call.map(String).join(" ")).filter((line) => !line.startsWith("delivery "));
}

/** A session still takes a plain message and answers it. */
async function answers(key: string, say: (words: string) => Promise<Response>): Promise<void> {
  const words = `plain words ${crypto.randomUUID()}`;
  expect((await say(words)).status).toBeLessThan(300);
  await until(async () => {
    const response = await operate("GET", `/api/sessions/${encodeURIComponent(key)}/messages?limit=1000`);
    const { messages } = await response.json<{ messages: { role: string; content: string }[] }>();
    const answer = messages.findLast(({ role }) => role === "assistant")?.content;
    expect(answer).toContain(words);
  });
}

function sayOnTelegram(words: string): Promise<Response> {
  const messageId = Math.floor(Math.random() * 1e9) + 1000;
  return postTelegramBody(JSON.stringify({ update_id: messageId, ...privateMessage(9601, messageId, words) }));
}

function sayOnSlack(words: string): Promise<Response> {
  const ts = `1790${Math.floor(Math.random() * 1e6)}.${Math.floor(Math.random() * 1e6)}`;
  const event = { type: "message", channel: "D9601", channel_type: "im", user: "U9601", ts, text: words };
  return postSlackBody(JSON.stringify({ type: "event_callback", event_id: ts, event }));
}

it(
  "never fails for what comes with Telegram's secret, and the session still answers",
  async () => {
    await survives(
      fc.oneof({ weight: 4, arbitrary: mutated(TELEGRAM_UPDATES) }, { weight: 1, arbitrary: anyJson }),
      (body) => postTelegramBody(toJson(body)),
    );
    await answers("main:telegram:dm:9601", sayOnTelegram);
  },
  TIMEOUT_MS,
);

it(
  "never fails for what Slack's signature covers, and the session still answers",
  async () => {
    await survives(
      fc.oneof({ weight: 4, arbitrary: mutated(SLACK_EVENTS) }, { weight: 1, arbitrary: anyJson }),
      (body) => postSlackBody(toJson(body)),
    );
    await answers("main:slack:dm:D9601", sayOnSlack);
  },
  TIMEOUT_MS,
);

it(
  "never fails for the forms that Slack's signature covers",
  async () => {
    const field = fc.oneof(
      fc.constantFrom(...Object.values(SLACK_COMMAND)),
      fc.string({ unit: "binary", maxLength: 50 }),
    );
    const command = fc
      .dictionary(fc.constantFrom(...Object.keys(SLACK_COMMAND)), field)
      .map((fields) => ({ ...SLACK_COMMAND, ...fields }));
    const interaction = mutated(SLACK_INTERACTIONS).map((payload) => ({ payload: toJson(payload) }));
    await survives(fc.oneof(command, interaction), (fields) =>
      postSlackBody(new URLSearchParams(Object.entries(fields)).toString(), "application/x-www-form-urlencoded"),
    );
    await answers("main:slack:dm:D9601", sayOnSlack);
  },
  TIMEOUT_MS,
);

it(
  "never fails for what a program posts, and the session still answers",
  async () => {
    await survives(fc.oneof(mutated(WEBHOOK_PAYLOADS), anyJson), (body) => postWebhookBody(toJson(body)));
    await answers("main:webhook:channel:generic", (words) => postWebhookBody(JSON.stringify({ type: "note", words })));
  },
  TIMEOUT_MS,
);

it(
  "never fails for noise that nobody signed, and takes none of it",
  async () => {
    const platform = fc.constantFrom("telegram", "slack", "webhook", "discord", "__proto__");
    const header = fc.constantFrom(
      "x-telegram-bot-api-secret-token",
      "x-slack-signature",
      "authorization",
      "x-hub-signature-256",
      "stripe-signature",
      "webhook-signature",
    );
    const address = fc.integer({ min: 0, max: 255 });
    await survives(
      fc.record({ platform, header, address, body: noise }),
      async ({ platform, header, address, body }) => {
        const headers = { [header]: "v1=00,t=1", "cf-connecting-ip": `198.51.100.${address}` };
        const response = await request(`/webhooks/${platform}`, { method: "POST", headers, body });
        expect([401, 404, 429]).toContain(response.status);
        return response;
      },
    );
  },
  TIMEOUT_MS,
);

it(
  "never fails for a chat completion that is none, and still answers one",
  async () => {
    await survives(
      fc.oneof(
        { weight: 4, arbitrary: mutated(CHAT_REQUESTS).map(toJson) },
        { weight: 1, arbitrary: anyJson.map(toJson) },
      ),
      (body) => complete(body),
    );
    const response = await complete(CHAT_REQUESTS[0]);
    expect(JSON.stringify(await response.json())).toContain("You said: hello");
  },
  TIMEOUT_MS,
);

it(
  "never fails for what the operator's token covers, and the session still answers",
  async () => {
    const key = "main:web:dm:fuzzed";
    const path = `/api/sessions/${encodeURIComponent(key)}/messages`;
    const segment = fc.oneof(
      fc.webSegment({ size: "small" }),
      fc.constantFrom("%", "%2F", "%00", "%ED%A0%80", "main%3Aweb%3Adm%3Afuzzed", "..", "__proto__", "%23"),
    );
    const query = fc.webQueryParameters();
    const ask = fc.oneof(
      mutated([{ text: "hello", id: "1" }]).map((body) => ["POST", path, toJson(body)] as const),
      mutated([{ platform: "webhook", code: "AAAA2222", owner: false }]).map(
        (body) => ["POST", "/api/pairing", toJson(body)] as const,
      ),
      // settings that are right would stay: only names that are none
      fc
        .dictionary(fc.string({ minLength: 1, maxLength: 8 }), fc.jsonValue({ maxDepth: 2 }), {
          minKeys: 1,
          maxKeys: 3,
        })
        .map((body) => ["PATCH", "/api/config", toJson(body)] as const),
      fc
        .tuple(segment, query)
        .map(([part, query]) => ["GET", `/api/sessions/${part}/messages?${query}`, undefined] as const),
      fc.tuple(segment, segment).map(([a, b]) => ["GET", `/api/media/${a}/${b}`, undefined] as const),
      segment.map((part) => ["POST", `/api/deliveries/${part}%231/replay`, undefined] as const),
      segment.map((part) => ["DELETE", `/api/pairing/${part}`, undefined] as const),
      fc
        .constantFrom("limit", "before", "after", "session")
        .chain((name) =>
          fc.webQueryParameters().map((value) => ["GET", `/api/sessions?${name}=${value}`, undefined] as const),
        ),
    );
    await survives(ask, ([method, path, body]) => operate(method, path, body));
    await answers(key, (words) => operate("POST", path, { text: words }));
  },
  TIMEOUT_MS,
);

it(
  "never fails for paths, methods and headers of any kind",
  async () => {
    const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS");
    const start = fc.constantFrom(
      "/",
      "/api/",
      "/v1/",
      "/ws/",
      "/ws/sessions/",
      "/webhooks/",
      "/health",
      "/v1/models/",
    );
    const rest = fc.oneof(
      fc.webPath({ size: "small" }),
      fc.constantFrom("%", "%%%", "//", "/../", "%00", "%2e%2e%2f", "?a=%", "#", "\\", "%ED%A0%80"),
    );
    const header = fc.dictionary(
      fc.constantFrom(
        "authorization",
        "upgrade",
        "origin",
        "sec-websocket-protocol",
        "content-length",
        "accept",
        "x-session-id",
      ),
      fc.string({ unit: "grapheme-ascii", maxLength: 30 }),
    );
    await survives(fc.record({ method, start, rest, header }), ({ method, start, rest, header }) =>
      request(`${start}${rest}`, { method, headers: { authorization: "Bearer world-admin-token", ...header } }),
    );
    expect((await request("/health")).status).toBe(200);
    expect(world.calls).toBeDefined();
  },
  TIMEOUT_MS,
);
