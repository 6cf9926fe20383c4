import { expect, it } from "vitest";
import { toHex, utf8 } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { slack } from "#src/platforms/slack/slack";
import { ACCOUNT, NOW, receive, SIGNING_SECRET, signedRequest, slackIo } from "#test/support/slack-request";

const CHALLENGE = JSON.stringify({
  type: "url_verification",
  token: "t",
  challenge: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd",
});

it("answers the handshake with its challenge and no event", async () => {
  expect(await receive(CHALLENGE)).toEqual({
    events: [],
    response: { status: 200, body: "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd", contentType: "text/plain" },
  });
});

it("refuses a handshake that Slack did not sign", async () => {
  const signed = await signedRequest(CHALLENGE);
  const forged = { ...signed, body: utf8(CHALLENGE.replace("3eZ", "3eY")) };
  await expect(slack.receive(forged, ACCOUNT, slackIo())).rejects.toMatchObject({ code: "signature_invalid" });
});

it.each([
  ["no JSON", "{"],
  ["a list", "[]"],
  ["an object that does not say what it is", "{}"],
  ["a handshake without a challenge", '{"type":"url_verification"}'],
  ["an event_callback without an event", '{"type":"event_callback","event_id":"Ev1"}'],
  ["a message without a channel", '{"type":"event_callback","event":{"type":"message","ts":"1.2"}}'],
  ["a message without a time", '{"type":"event_callback","event":{"type":"message","channel":"C1"}}'],
])("refuses %s as a bad request", async (_, body) => {
  await expect(receive(body)).rejects.toMatchObject({ code: "bad_request" });
});

it("refuses a signed body that is not UTF-8", async () => {
  const body = new Uint8Array([0x22, 0xff, 0x22]);
  const signed = new Uint8Array([...utf8(`v0:${NOW / 1000}:`), ...body]);
  const headers = new Headers({
    "x-slack-request-timestamp": String(NOW / 1000),
    "x-slack-signature": `v0=${toHex(await hmacSha256(SIGNING_SECRET, signed))}`,
  });
  const request = { ...(await signedRequest("")), headers, body };
  await expect(slack.receive(request, ACCOUNT, slackIo())).rejects.toMatchObject({ code: "bad_request" });
});

it.each([
  ["a request of a kind that is new", { type: "app_rate_limited", minute_rate_limited: 1 }],
  ["an event of a kind that is new", { type: "event_callback", event: { type: "huddle_started" } }],
  ["an event named like a member of every object", { type: "event_callback", event: { type: "constructor" } }],
])("ignores %s", async (_, envelope) => {
  const { events } = await receive(JSON.stringify(envelope));
  expect(events.map((event) => event.kind)).toEqual(["ignored"]);
});

it("ignores the retry header: a repeated delivery reads the same", async () => {
  const body = JSON.stringify({
    type: "event_callback",
    event_id: "Ev1",
    event: { type: "message", channel: "D1", channel_type: "im", user: "U1", ts: "1.000001", text: "hi" },
  });
  const first = await signedRequest(body);
  const again = { ...first, headers: new Headers([...first.headers, ["x-slack-retry-num", "1"]]) };
  const io = slackIo();
  expect(await slack.receive(again, ACCOUNT, io)).toEqual(await slack.receive(first, ACCOUNT, io));
});
