import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { utf8 } from "#src/lib/encoding";
import {
  type Problem,
  admit,
  freshMinute,
  isKnown,
  nested,
  postSlackBody,
  postTelegramBody,
  postWebhookBody,
  request,
  streamOf,
  wordsIn,
} from "../../support/doors";
import { type World, openWorld, operator, postTelegram, privateMessage } from "../../support/world";
import { until } from "../../support/until";
import { configure } from "../../durable-objects/session-driver";

let world: World;
beforeEach(() => {
  world = openWorld();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** An update in a group that calls the bot. */
function groupMessage(chat: number, user: number, messageId: number): string {
  const from = { id: user, is_bot: false, first_name: "Ada" };
  const group = { id: chat, type: "supergroup", title: "Ops" };
  const message = { message_id: messageId, from, chat: group, date: 1_790_000_000, text: "/status" };
  return JSON.stringify({ update_id: messageId, message });
}

function update(chat: number, messageId: number, text: string): string {
  return JSON.stringify({ update_id: messageId, ...privateMessage(chat, messageId, text) });
}

it.each(["wrong", "", "world-secre", "world-secret1", "World-Secret"])(
  "answers 401 to a Telegram update with the secret %j, and stores nothing",
  async (secret) => {
    const response = await postTelegram(privateMessage(9301, 1, "hi"), secret);
    expect(response.status).toBe(401);
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(await response.json<Problem>()).toMatchObject({ status: 401, code: "signature_invalid" });
    expect(await isKnown("main:telegram:dm:9301")).toBe(false);
  },
);

it.each(["telegram", "slack", "webhook"])("answers 401 to a request to %s that nobody signed", async (platform) => {
  const response = await request(`/webhooks/${platform}`, { method: "POST", body: "{}" });
  expect(response.status).toBe(401);
});

it("answers 401 to a webhook whose signature is of another body", async () => {
  const headers = { "x-slack-request-timestamp": String(Math.floor(Date.now() / 1000)), "x-slack-signature": "v0=00" };
  const slack = await request("/webhooks/slack", { method: "POST", headers, body: "{}" });
  expect(slack.status).toBe(401);
  const generic = await postWebhookBody("{}", { "x-webhook-signature-v2": "t=1,v1=00" });
  expect(generic.status).toBe(401);
});

it.each([
  "discord",
  "nonsense",
  "__proto__",
  "constructor",
  "toString",
  "%E0%A4%A",
  "telegram%2F",
  "telegram/support",
  "telegram/__proto__",
  "telegram/%2e%2e",
  "telegram/a/b",
  "Telegram",
  "",
])("answers 404 to a webhook of %j, which is not on here", async (path) => {
  const response = await request(`/webhooks/${path}`, { method: "POST", body: "{}" });
  expect(response.status).toBe(404);
  expect(await response.json<Problem>()).toMatchObject({ type: "about:blank", status: 404, code: "not_found" });
});

const NOT_AN_UPDATE = [
  "",
  "null",
  "[]",
  "1",
  '"text"',
  "{",
  "{}",
  '{"update_id":"x"}',
  '{"update_id":null}',
  nested(5),
];

it.each(NOT_AN_UPDATE)("answers 400 to Telegram for the body %j", async (body) => {
  const response = await postTelegramBody(body);
  expect(response.status).toBe(400);
  expect((await response.json<Problem>()).detail).not.toBe("");
});

it.each(["", "null", "[]", "1", '"text"', "{", '{"type":"event_callback"}'])(
  "answers 400 to Slack for the body %j",
  async (body) => {
    expect((await postSlackBody(body)).status).toBe(400);
  },
);

it.each(["", "null", "1", '"text"', "{"])("answers 400 to a program for the body %j", async (body) => {
  expect((await postWebhookBody(body)).status).toBe(400);
});

it("answers 400 to a body that is not UTF-8", async () => {
  const broken = Uint8Array.of(0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d);
  expect((await postTelegramBody(broken)).status).toBe(400);
  expect((await postWebhookBody(broken)).status).toBe(400);
});

it.each([65, 1_000, 100_000])("never fails for JSON that is nested %i levels deep", async (depth) => {
  const deep = nested(depth);
  expect((await postTelegramBody(`{"update_id":1,"message":${deep}}`)).status).toBe(400);
  expect((await postTelegramBody(`{"update_id":12345678901234567890,"message":${deep}}`)).status).toBe(400);
  expect((await postSlackBody(deep)).status).toBe(400);
  expect(
    (await postSlackBody(`payload=${encodeURIComponent(deep)}`, "application/x-www-form-urlencoded")).status,
  ).toBeLessThan(500);
  expect((await postWebhookBody(deep)).status).toBe(400);
});

it.each(["C\ud800", "C".repeat(2000)])("answers 400 to a chat whose id cannot name a session", async (channel) => {
  const event = { type: "app_mention", channel, user: "U9310", ts: "1790000000.000100", text: "hi" };
  const response = await postSlackBody(JSON.stringify({ type: "event_callback", event_id: "Ev1", event }));
  expect(response.status).toBe(400);
});

it("answers 413 to a body over the platform's limit, whether its length was told or not", async () => {
  const large = utf8(update(9302, 1, "x".repeat(1_100_000)));
  expect((await postTelegramBody(large)).status).toBe(413);
  expect((await postTelegramBody(streamOf(large))).status).toBe(413);
  expect((await postWebhookBody(large)).status).toBe(413);
  expect(await isKnown("main:telegram:dm:9302")).toBe(false);
});

it("takes a body that comes in pieces without a length", async () => {
  const bytes = utf8(update(7006, 930_301, "in pieces"));
  expect((await postTelegramBody(streamOf(bytes, 7))).status).toBe(200);
  expect(await wordsIn("main:telegram:dm:7006")).toContain("in pieces");
});

it("acknowledges a duplicate like the first, and stores it once", async () => {
  await admit("telegram:9304");
  const body = update(9304, 1, "twice");
  const statuses = [await postTelegramBody(body), await postTelegramBody(body)].map(({ status }) => status);
  expect(statuses).toEqual([200, 200]);
  expect(await wordsIn("main:telegram:dm:9304")).toEqual(["twice"]);
});

it("acknowledges what it has no use for", async () => {
  expect((await postTelegramBody('{"update_id":5,"poll":{"id":"1"}}')).status).toBe(200);
  expect((await postTelegramBody('{"update_id":6,"something_new":{}}')).status).toBe(200);
});

it("answers a webhook in the way that its platform demands", async () => {
  const challenge = await postSlackBody('{"type":"url_verification","challenge":"c-1"}');
  expect([challenge.status, await challenge.text()]).toEqual([200, "c-1"]);
  const program = await postWebhookBody('{"type":"deploy"}');
  expect([program.status, await program.json()]).toEqual([202, { status: "accepted" }]);
});

it("answers a request that is not a POST as what it is: unsigned, or no update", async () => {
  const headers = { "x-telegram-bot-api-secret-token": "world-secret" };
  expect((await request("/webhooks/telegram")).status).toBe(401);
  expect((await request("/webhooks/telegram", { headers })).status).toBe(400);
  expect((await request("/webhooks/telegram", { method: "HEAD", headers })).status).toBe(400);
  expect((await request("/webhooks/telegram", { method: "OPTIONS" })).status).toBe(401);
  expect((await request("/webhooks/telegram", { method: "DELETE" })).status).toBe(401);
});

it("keeps what is dangerous as a key of an object out of harm's way", async () => {
  const body = '{"update_id":7,"__proto__":{"message":{}},"constructor":{"prototype":{"polluted":true}}}';
  expect((await postTelegramBody(body)).status).toBe(200);
  expect((await postWebhookBody('{"__proto__":{"type":"x"},"hasOwnProperty":1}')).status).toBe(202);
  expect({}).not.toHaveProperty("polluted");
});

it("answers 429 to a flood of bad signatures from one address, and goes on taking signed requests", async () => {
  freshMinute();
  const headers = { "cf-connecting-ip": "203.0.113.9" };
  const flood = (): Promise<Response> => request("/webhooks/telegram", { method: "POST", headers, body: "{}" });
  for (let i = 0; i < 60; i++) expect((await flood()).status).toBe(401);
  const refused = await flood();
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await postTelegramBody(update(7005, 930_501, "signed"), headers)).status).toBe(200);
  const elsewhere = { "cf-connecting-ip": "203.0.113.10" };
  expect((await request("/webhooks/telegram", { method: "POST", headers: elsewhere, body: "{}" })).status).toBe(401);
});

it("acknowledges a sender over the limit, tells them once, and wakes no object for them", async () => {
  await admit("telegram:9306");
  freshMinute();
  for (let i = 1; i <= 20; i++) await postTelegramBody(update(9306, i, `message ${i}`));
  await until(() => expect(world.textsOf(9306).length).toBeGreaterThan(0));
  for (let i = 21; i <= 24; i++) expect((await postTelegramBody(update(9306, i, `message ${i}`))).status).toBe(200);
  expect((await postTelegramBody(groupMessage(-9307, 9306, 25))).status).toBe(200);
  await until(() => expect(slowDowns(9306)).toBe(1));
  expect(await wordsIn("main:telegram:dm:9306")).toHaveLength(20);
  expect(await isKnown("main:telegram:group:-9307")).toBe(false);
  expect(slowDowns(-9307)).toBe(0);
});

function slowDowns(chat: number): number {
  return world.textsOf(chat).filter((text) => text.includes("more than I can take")).length;
}

it("does not hold one sender's flood against another", async () => {
  await admit("telegram:9308", "telegram:9309");
  freshMinute();
  for (let i = 1; i <= 22; i++) await postTelegramBody(update(9308, i, "again"));
  await postTelegramBody(update(9309, 1, "only me"));
  expect(await wordsIn("main:telegram:dm:9309")).toEqual(["only me"]);
});

it("takes a command behind an exclamation mark on Slack, and leaves other words behind one to the model", async () => {
  world.say = () => ({ text: "words" });
  await configure({ "access.allowed_users": ["U7"] });
  try {
    const say = (text: string, ts: string): Promise<Response> => {
      const event = { type: "message", channel: "D77", channel_type: "im", user: "U7", text, ts };
      return postSlackBody(JSON.stringify({ type: "event_callback", event_id: ts, event }));
    };
    await say("!whoami", "1700000001.000100");
    await say("!important: read this", "1700000002.000100");
    const key = encodeURIComponent("main:slack:dm:D77");
    await until(async () => {
      const response = await operator(`/api/sessions/${key}/messages`);
      const { messages } = await response.json<{ messages: { role: string; kind: string; content: string }[] }>();
      const answers = messages.filter(({ role }) => role === "assistant");
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual(["chat", "command"]);
      expect(answers.find(({ kind }) => kind === "command")?.content).toContain("slack:U7");
    });
  } finally {
    await configure({ "access.allowed_users": null });
  }
});
