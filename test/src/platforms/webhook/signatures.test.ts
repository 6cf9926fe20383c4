import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { toHex } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { verifyWebhook } from "#src/platforms/webhook/signatures";
import { NOW, webhookRequest } from "#test/support/webhook-request";

const NOW_S = NOW / 1000;
const BODY = '{"type":"invoice.paid","text":"é"}';
const WHSEC = "whsec_YWNtZS1zdGFuZGFyZC13ZWJob29rLXNlY3JldC0zMmI=";
const INVALID = { code: "signature_invalid" };

type Headers = Readonly<Record<string, string>>;

function verify(body: string, headers: Headers, secrets: Headers): Promise<unknown> {
  return verifyWebhook(webhookRequest(body, headers), secrets, NOW);
}

async function hex(secret: string, text: string): Promise<string> {
  return toHex(await hmacSha256(secret, text));
}

/** Headers as the reference library signs them, some seconds off our clock. */
function standard(secret = WHSEC, offsetS = 0, prefix = "webhook"): Headers {
  const at = new Date(NOW + offsetS * 1000);
  const signature = new Webhook(secret).sign("msg_1", at, BODY);
  return {
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: String(at.getTime() / 1000),
    [`${prefix}-signature`]: signature,
  };
}

it("accepts the example of GitHub's own documentation", async () => {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
  const signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
  const secrets = { github_secret: "It's a Secret to Everybody" };
  const verified = await verify("Hello, World!", { "x-hub-signature-256": signature }, secrets);
  expect(verified).toEqual({ source: "github" });
  await expect(verify("Hello, World?", { "x-hub-signature-256": signature }, secrets)).rejects.toMatchObject(INVALID);
});

it.each(["webhook", "svix"])("accepts what the Standard Webhooks library signs, under %s- headers", async (prefix) => {
  const verified = await verify(BODY, standard(WHSEC, 0, prefix), { standard_webhooks_secret: WHSEC });
  expect(verified).toEqual({ source: "standard", timestamp: String(NOW_S), id: "msg_1" });
});

it("accepts a standard secret that is a plain text", async () => {
  const signature = new Webhook("plain text", { format: "raw" }).sign("msg_1", new Date(NOW), BODY);
  const headers = { ...standard(), "webhook-signature": signature };
  await expect(verify(BODY, headers, { standard_webhooks_secret: "plain text" })).resolves.toMatchObject({
    id: "msg_1",
  });
});

it("accepts any one of several standard signatures, as while a secret is rotated", async () => {
  const ours = standard()["webhook-signature"];
  const headers = { ...standard(), "webhook-signature": `v1a,AAAA v1,AAAA= ${ours}` };
  await expect(verify(BODY, headers, { standard_webhooks_secret: WHSEC })).resolves.toMatchObject({
    source: "standard",
  });
});

it.each([
  ["another id", { ...standard(), "webhook-id": "msg_2" }],
  ["another time", { ...standard(), "webhook-timestamp": String(NOW_S + 1) }],
  ["no id", { ...standard(), "webhook-id": "" }],
  [
    "the asymmetric version's name",
    { ...standard(), "webhook-signature": standard()["webhook-signature"]!.replace("v1,", "v1a,") },
  ],
  ["another secret", standard("whsec_b3RoZXI=")],
  ["a time 301 s ago", standard(WHSEC, -301)],
  ["a time 301 s ahead", standard(WHSEC, 301)],
])("refuses a standard signature under %s", async (_, headers) => {
  await expect(verify(BODY, headers, { standard_webhooks_secret: WHSEC })).rejects.toMatchObject(INVALID);
});

it("accepts GitLab's token, and no other", async () => {
  const secrets = { gitlab_token: "gl-secret-token" };
  const headers = { "x-gitlab-event": "Push Hook" };
  await expect(verify(BODY, { ...headers, "x-gitlab-token": "gl-secret-token" }, secrets)).resolves.toEqual({
    source: "gitlab",
  });
  await expect(verify(BODY, { ...headers, "x-gitlab-token": "gl-secret-tokem" }, secrets)).rejects.toMatchObject(
    INVALID,
  );
  await expect(verify(BODY, { ...headers, "x-gitlab-token": "" }, secrets)).rejects.toMatchObject(INVALID);
});

it("accepts GitLab's signature where its signing token is set, beside another standard sender", async () => {
  const secrets = { gitlab_token: WHSEC, standard_webhooks_secret: "whsec_b3RoZXI=" };
  const headers = { ...standard(), "x-gitlab-event": "Push Hook" };
  await expect(verify(BODY, headers, secrets)).resolves.toMatchObject({ source: "gitlab", id: "msg_1" });
});

it("does not take GitLab's token for its signature where a signing token is set", async () => {
  const headers = { ...standard("whsec_b3RoZXI="), "x-gitlab-event": "Push Hook", "x-gitlab-token": WHSEC };
  await expect(verify(BODY, headers, { gitlab_token: WHSEC })).rejects.toMatchObject(INVALID);
});

async function stripe(secret: string, at = NOW_S): Promise<Headers> {
  return { "stripe-signature": `t=${at},v1=${await hex(secret, `${at}.${BODY}`)},v0=00` };
}

it("accepts Stripe's signature, its secret taken as it is written", async () => {
  const verified = await verify(BODY, await stripe("whsec_stripe"), { stripe_endpoint_secret: "whsec_stripe" });
  expect(verified).toEqual({ source: "stripe", timestamp: String(NOW_S) });
});

it("accepts any one of Stripe's several signatures", async () => {
  const rotating = `t=${NOW_S}, v1=${"0".repeat(64)}, v1=${await hex("whsec_new", `${NOW_S}.${BODY}`)}`;
  const verified = verify(BODY, { "stripe-signature": rotating }, { stripe_endpoint_secret: "whsec_new" });
  await expect(verified).resolves.toMatchObject({ source: "stripe" });
});

it("refuses Stripe's signature under another secret, out of time, or of an old version", async () => {
  const secrets = { stripe_endpoint_secret: "whsec_stripe" };
  const old = (await stripe("whsec_stripe"))["stripe-signature"]!.replace("v1=", "v0=");
  await expect(verify(BODY, await stripe("whsec_other"), secrets)).rejects.toMatchObject(INVALID);
  await expect(verify(BODY, await stripe("whsec_stripe", NOW_S - 301), secrets)).rejects.toMatchObject(INVALID);
  await expect(verify(BODY, { "stripe-signature": old }, secrets)).rejects.toMatchObject(INVALID);
});

async function generic(at = NOW_S): Promise<Headers> {
  return { "x-webhook-timestamp": String(at), "x-webhook-signature-v2": await hex("s3cret", `${at}.${BODY}`) };
}

it("accepts the generic signature within five minutes", async () => {
  const secrets = { generic_v2_secret: "s3cret" };
  await expect(verify(BODY, await generic(NOW_S - 300), secrets)).resolves.toMatchObject({ source: "generic" });
  await expect(verify(BODY, await generic(NOW_S - 301), secrets)).rejects.toMatchObject(INVALID);
  await expect(verify(`${BODY} `, await generic(), secrets)).rejects.toMatchObject(INVALID);
});

it("lets no right token or old signature make up for a wrong generic signature", async () => {
  const headers = {
    ...(await generic()),
    "x-webhook-signature-v2": "0".repeat(64),
    "x-webhook-signature": await hex("s3cret", BODY),
    authorization: "Bearer s3cret",
  };
  await expect(verify(BODY, headers, { generic_v2_secret: "s3cret" })).rejects.toMatchObject(INVALID);
});

it("accepts the secret as a bearer token, and nothing like it", async () => {
  const secrets = { generic_v2_secret: "s3cret" };
  await expect(verify(BODY, { authorization: "bearer s3cret" }, secrets)).resolves.toEqual({ source: "generic" });
  await expect(verify(BODY, { authorization: "Bearer s3cre" }, secrets)).rejects.toMatchObject(INVALID);
  await expect(verify(BODY, { authorization: "Bearer " }, secrets)).rejects.toMatchObject(INVALID);
  await expect(verify(BODY, { authorization: "Basic s3cret" }, secrets)).rejects.toMatchObject(INVALID);
});

it("refuses a webhook that nobody signed", async () => {
  await expect(verify(BODY, {}, { generic_v2_secret: "s3cret", github_secret: "x" })).rejects.toMatchObject(INVALID);
});

it("refuses a way of signing whose secret is not set", async () => {
  const signature = `sha256=${await hex("undefined", BODY)}`;
  const refused = verify(BODY, { "x-hub-signature-256": signature }, { generic_v2_secret: "s3cret" });
  await expect(refused).rejects.toMatchObject(INVALID);
});

it("never quotes a secret in an error", async () => {
  const refused = verify(BODY, { authorization: "Bearer no" }, { generic_v2_secret: "s3cret" });
  expect(String(await refused.catch((error: unknown) => error))).not.toContain("s3cret");
});
