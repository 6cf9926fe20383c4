import { expect, it } from "vitest";
import type { HookSignature } from "#src/domain/hook";
import { toHex } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { type SignedMessage, type SigningOptions, signMessage } from "#src/hooks/http/sign";
import { newKeyPair } from "#src/hooks/http/signing-key";

const MESSAGE: SignedMessage = { id: "evt_1", timestampSeconds: 1_614_265_330, body: '{"a":"ü"}' };

async function sign(options: Partial<SigningOptions>): Promise<Record<string, string>> {
  const headers = await signMessage(MESSAGE, { secrets: ["secret"], schemes: [], ...options });
  if (headers === undefined) throw new Error("the secret was refused");
  return headers;
}

async function hex(key: string, text: string): Promise<string> {
  return toHex(await hmacSha256(key, text));
}

// Source: https://github.com/standard-webhooks/standard-webhooks/blob/main/libraries/javascript/src/index.test.ts
it("signs as the public implementations of Standard Webhooks do", async () => {
  const message = { id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestampSeconds: 1_614_265_330, body: '{"test": 2432232314}' };
  const secrets = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"];
  expect(await signMessage(message, { secrets, schemes: ["standard"] })).toEqual({
    "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
    "webhook-timestamp": "1614265330",
    "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
  });
});

it("signs once for each secret of a rotation, newest first", async () => {
  const [newest] = (await sign({ secrets: ["new"] }))["webhook-signature"]?.split(" ") ?? [];
  const [older] = (await sign({ secrets: ["old"] }))["webhook-signature"]?.split(" ") ?? [];
  expect((await sign({ secrets: ["new", "old"] }))["webhook-signature"]).toBe(`${newest} ${older}`);
});

it("signs with ed25519 when the key is one", async () => {
  const { privateKey } = await newKeyPair();
  const { "webhook-signature": signature } = await sign({ secrets: [privateKey, "shared"] });
  expect(signature).toMatch(/^v1a,[\w+/]{86}== v1,[\w+/]{43}=$/);
});

it("leaves a message unsigned that has no secret", async () => {
  expect(await sign({ secrets: [], schemes: ["github"] })).toEqual({
    "webhook-id": "evt_1",
    "webhook-timestamp": "1614265330",
  });
});

it("signs for receivers that know another system, beside its own signature", async () => {
  const secrets = ["whsec_c2VjcmV0", "old"];
  const schemes: HookSignature[] = ["standard", "github", "stripe", "slack", "hermes"];
  const { body } = MESSAGE;
  const headers = await sign({ secrets, schemes });
  expect(headers["webhook-signature"]).toMatch(/^v1,\S+ v1,\S+$/);
  const key = "whsec_c2VjcmV0";
  expect(headers["x-hub-signature-256"]).toBe(`sha256=${await hex(key, body)}`);
  expect(headers["x-hermes-signature-256"]).toBe(`sha256=${await hex(key, body)}`);
  expect(headers["x-slack-request-timestamp"]).toBe("1614265330");
  expect(headers["x-slack-signature"]).toBe(`v0=${await hex(key, `v0:1614265330:${body}`)}`);
  const dated = `1614265330.${body}`;
  const stripe = `t=1614265330,v1=${await hex(key, dated)},v1=${await hex("old", dated)}`;
  expect(headers["stripe-signature"]).toBe(stripe);
});

it("leaves its own signature out when only another system's is wanted", async () => {
  const headers = await sign({ schemes: ["github"], onlyCompatible: true });
  expect(Object.keys(headers)).toEqual(["webhook-id", "webhook-timestamp", "x-hub-signature-256"]);
  expect(await sign({ schemes: [], onlyCompatible: true })).toHaveProperty("webhook-signature");
});

it("refuses to send unsigned what should be signed", async () => {
  expect(await signMessage(MESSAGE, { secrets: ["good", "whsec_!"], schemes: [] })).toBeUndefined();
  const { privateKey } = await newKeyPair();
  expect(await signMessage(MESSAGE, { secrets: [privateKey], schemes: ["github"] })).toBeUndefined();
});
