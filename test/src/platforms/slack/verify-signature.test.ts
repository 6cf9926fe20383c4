import { expect, it } from "vitest";
import type { WebhookRequest } from "#src/domain/platform";
import { utf8 } from "#src/lib/encoding";
import { verifySignature } from "#src/platforms/slack/verify-signature";
import { NOW, SIGNING_SECRET, signedRequest } from "#test/support/slack-request";

// The example of https://docs.slack.dev/authentication/verifying-requests-from-slack
const EXAMPLE_AT = 1_531_420_618_000;
const EXAMPLE_BODY =
  "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar" +
  "&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com" +
  "%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN" +
  "&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
const EXAMPLE_SIGNATURE = "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503";

function example(changes: { readonly body?: string; readonly headers?: Record<string, string> } = {}): WebhookRequest {
  return {
    method: "POST",
    url: new URL("https://agent.example/webhooks/slack"),
    headers: new Headers({
      "x-slack-request-timestamp": "1531420618",
      "x-slack-signature": EXAMPLE_SIGNATURE,
      ...changes.headers,
    }),
    body: utf8(changes.body ?? EXAMPLE_BODY),
  };
}

it("accepts the example of Slack's own documentation", async () => {
  await expect(verifySignature(example(), SIGNING_SECRET, EXAMPLE_AT)).resolves.toBeUndefined();
});

it.each([
  ["another body", example({ body: `${EXAMPLE_BODY}&x=1` })],
  ["one other digit", example({ headers: { "x-slack-signature": EXAMPLE_SIGNATURE.replace("b503", "b502") } })],
  ["another version", example({ headers: { "x-slack-signature": EXAMPLE_SIGNATURE.replace("v0=", "v1=") } })],
  ["a part of the signature", example({ headers: { "x-slack-signature": EXAMPLE_SIGNATURE.slice(0, -1) } })],
  ["no signature", example({ headers: { "x-slack-signature": "" } })],
  ["another timestamp", example({ headers: { "x-slack-request-timestamp": "1531420619" } })],
  ["a timestamp that is no number", example({ headers: { "x-slack-request-timestamp": "NaN" } })],
])("refuses %s", async (_, request) => {
  await expect(verifySignature(request, SIGNING_SECRET, EXAMPLE_AT)).rejects.toMatchObject({
    code: "signature_invalid",
  });
});

it.each(["other", ""])("refuses a request under the secret %j", async (secret) => {
  await expect(verifySignature(example(), secret, EXAMPLE_AT)).rejects.toMatchObject({ code: "signature_invalid" });
});

it.each([-300_000, 0, 300_000])("accepts a request that is %d ms off our clock", async (offset) => {
  const request = await signedRequest("{}", "application/json", NOW + offset);
  await expect(verifySignature(request, SIGNING_SECRET, NOW)).resolves.toBeUndefined();
});

it.each([-301_000, 301_000])("refuses a replay that is %d ms off our clock", async (offset) => {
  const request = await signedRequest("{}", "application/json", NOW + offset);
  await expect(verifySignature(request, SIGNING_SECRET, NOW)).rejects.toMatchObject({ code: "signature_invalid" });
});
