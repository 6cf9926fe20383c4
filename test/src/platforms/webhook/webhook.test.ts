import { expect, it } from "vitest";
import type { Received } from "#src/domain/platform";
import { toHex } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { webhook } from "#src/platforms/webhook/webhook";
import { eventOf, NOW, receiveBearer, webhookIo, webhookRequest } from "#test/support/webhook-request";

const ALERT = '{"event_type":"alert","text":"CPU 97% on db-1"}';

it("hears a webhook as a message to the channel of what signed it", async () => {
  const event = await eventOf(receiveBearer({ body: ALERT, headers: { "x-request-id": "req-1" } }));
  expect(event).toMatchObject({
    kind: "message",
    eventId: "req-1",
    messageId: "req-1",
    dedupeKeys: ["generic:req-1"],
    chatId: "generic",
    chatType: "channel",
    userId: "generic",
    addressed: true,
    isFromBot: false,
    rawText: ALERT,
    target: { chatId: "generic" },
    at: NOW,
  });
  expect(event.text).toContain("CPU 97% on db-1");
});

it("gives every route a conversation of its own", async () => {
  const event = await eventOf(receiveBearer({ body: ALERT, route: "deploys" }));
  expect(event).toMatchObject({ chatId: "deploys", userId: "deploys", target: { chatId: "deploys" } });
  expect(event.text).toContain("on route `deploys`");
});

it("says that the webhook was accepted", async () => {
  const { response } = await receiveBearer({ body: ALERT });
  expect(response).toEqual({ status: 202, body: '{"status":"accepted"}', contentType: "application/json" });
});

it("fills the operator's prompt", async () => {
  const event = await eventOf(receiveBearer({ body: ALERT, settings: { prompt: "Look into this: {text}" } }));
  expect(event.text).toMatch(/Look into this: `CPU 97% on db-1`$/);
});

it.each([
  ["discord:123", { chatId: "123" }],
  ["telegram:-1001:77", { chatId: "-1001", threadId: "77" }],
  ["matrix:!room%3Aexample.org", { chatId: "!room:example.org" }],
])("sends the answer on to %s", async (deliverTo, target) => {
  const event = await eventOf(receiveBearer({ body: ALERT, settings: { deliver_to: deliverTo } }));
  expect(event).toMatchObject({ deliverTo, target });
});

async function github(eventType: string, body: string, contentType = "application/json"): Promise<Received> {
  const headers = {
    "content-type": contentType,
    "x-github-event": eventType,
    "x-github-delivery": "72d3162e-cc78-11e3-81ab-4c9367dc0958",
    "x-hub-signature-256": `sha256=${toHex(await hmacSha256("s3cret", body))}`,
  };
  const settings = { github_secret: "s3cret", events: "issue_comment, push" };
  return webhook.receive(webhookRequest(body, headers), { settings }, webhookIo());
}

const COMMENT = '{"action":"created","comment":{"body":"@acme-agent please triage"}}';

it("reads GitHub's event and delivery", async () => {
  const event = await eventOf(github("issue_comment", COMMENT));
  expect(event).toMatchObject({ kind: "message", chatId: "github", messageId: "72d3162e-cc78-11e3-81ab-4c9367dc0958" });
  expect(event.text).toContain("Webhook event `issue_comment`");
});

it("reads GitHub's JSON also when it comes as a form", async () => {
  const form = new URLSearchParams({ payload: COMMENT }).toString();
  const event = await eventOf(github("issue_comment", form, "application/x-www-form-urlencoded"));
  expect(event.text).toContain("please triage");
});

it.each(["ping", "star"])("acknowledges the event %s, which nobody asked for, and leaves it", async (eventType) => {
  const { events, response } = await github(eventType, "{}");
  expect(events.map((event) => event.kind)).toEqual(["ignored"]);
  expect(response?.status).toBe(200);
});

it.each([
  ["no JSON", "Hello, World!"],
  ["a bare text", '"hello"'],
  ["null", "null"],
  ["nothing", ""],
])("refuses %s as a bad request", async (_, body) => {
  await expect(receiveBearer({ body })).rejects.toMatchObject({ code: "bad_request" });
});

it("takes a list for a payload", async () => {
  expect((await eventOf(receiveBearer({ body: '[{"a":1}]' }))).text).toContain("Webhook event `unknown`");
});

it("reads nothing of what is not signed", async () => {
  const request = webhookRequest("{", { "content-type": "application/json" });
  const received = webhook.receive(request, { settings: { generic_v2_secret: "s3cret" } }, webhookIo());
  await expect(received).rejects.toMatchObject({ code: "signature_invalid" });
});

it.each([
  [{}, false],
  [{ prompt: "x", deliver_to: "discord:1", events: "push" }, false],
  [{ github_secret: "x" }, true],
  [{ gitlab_token: "x" }, true],
  [{ stripe_endpoint_secret: "x" }, true],
  [{ standard_webhooks_secret: "x" }, true],
  [{ generic_v2_secret: "x" }, true],
])("is on with the settings %j: %s", (settings, isOn) => {
  expect(webhook.isOn?.(settings)).toBe(isOn);
});

it("delivers to the transcript: one key, one message", async () => {
  const client = webhook.open({ settings: {} }, webhookIo());
  const options = { key: "turn-7.0", signal: new AbortController().signal };
  expect(await client.send({ chatId: "github" }, { markdown: "done" }, options)).toEqual({ messageId: "turn-7.0" });
});
