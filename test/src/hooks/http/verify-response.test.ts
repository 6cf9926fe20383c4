import { beforeAll, expect, it } from "vitest";
import { signMessage } from "#src/hooks/http/sign";
import { newKeyPair } from "#src/hooks/http/signing-key";
import { verifyResponse } from "#src/hooks/http/verify-response";

const NOW = 1_800_000_000_000;
const BODY = '{"decision":"deny"}';

let keys: { readonly privateKey: string; readonly publicKey: string };
beforeAll(async () => {
  keys = await newKeyPair();
});

async function signed(timestampSeconds = NOW / 1000, id = "evt_1"): Promise<Headers> {
  const message = { id, timestampSeconds, body: BODY };
  return new Headers((await signMessage(message, { secrets: [keys.privateKey], schemes: [] })) ?? {});
}

async function verify(headers: Headers, body: string = BODY): Promise<boolean> {
  return verifyResponse(keys.publicKey, { id: "evt_1", headers, body, now: NOW });
}

it("accepts an answer that its receiver signed", async () => {
  expect(await verify(await signed())).toBe(true);
  const rotating = await signed();
  rotating.set("webhook-signature", `v1a,AAAA ${rotating.get("webhook-signature")}`);
  expect(await verify(rotating)).toBe(true);
  const withoutId = await signed();
  withoutId.delete("webhook-id");
  expect(await verify(withoutId)).toBe(true);
});

it("refuses another body, another request's answer and an old one", async () => {
  expect(await verify(await signed(), '{"decision":"allow"}')).toBe(false);
  expect(await verify(await signed(NOW / 1000, "evt_2"))).toBe(false);
  expect(await verify(await signed(NOW / 1000 - 301))).toBe(false);
  expect(await verify(await signed(NOW / 1000 + 301))).toBe(false);
});

it("refuses an answer without a signature of the kind it must have", async () => {
  expect(await verify(new Headers())).toBe(false);
  const shared = await signMessage(
    { id: "evt_1", timestampSeconds: NOW / 1000, body: BODY },
    { secrets: ["x"], schemes: [] },
  );
  expect(await verify(new Headers(shared))).toBe(false);
  const timeless = await signed();
  timeless.set("webhook-timestamp", "NaN");
  expect(await verify(timeless)).toBe(false);
});
