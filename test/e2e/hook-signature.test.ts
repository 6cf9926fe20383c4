// Our signatures, checked by the public library that receivers use.
import { Webhook } from "standardwebhooks";
import { expect, it } from "vitest";
import { signMessage } from "#src/hooks/http/sign";
import { newSharedSecret } from "#src/hooks/http/signing-key";

const BODY = '{"type":"tool.pre","data":{"text":"größer 😀"}}';

function newSecret(bytes?: number): string {
  return newSharedSecret((count) => crypto.getRandomValues(new Uint8Array(count)), bytes);
}

async function sign(secrets: readonly string[], timestampSeconds = Math.floor(Date.now() / 1000)) {
  const headers = await signMessage({ id: "evt_1", timestampSeconds, body: BODY }, { secrets, schemes: ["github"] });
  if (headers === undefined) throw new Error("the secret was refused");
  return headers;
}

it.each([24, 32, 64])("is verified with a secret of %i bytes", async (bytes) => {
  const secret = newSecret(bytes);
  expect(new Webhook(secret).verify(BODY, await sign([secret]))).toEqual(JSON.parse(BODY));
});

it("is verified with the old and with the new secret during a rotation", async () => {
  const [fresh, old] = [newSecret(), newSecret()];
  const headers = await sign([fresh, old]);
  expect(new Webhook(fresh).verify(BODY, headers)).toEqual(JSON.parse(BODY));
  expect(new Webhook(old).verify(BODY, headers)).toEqual(JSON.parse(BODY));
});

it("is verified with a secret that has no prefix, as its bytes", async () => {
  const headers = await sign(["just a text"]);
  expect(new Webhook("just a text", { format: "raw" }).verify(BODY, headers)).toEqual(JSON.parse(BODY));
});

it("is refused with another secret, for another body and when it is old", async () => {
  const secret = newSecret();
  const headers = await sign([secret]);
  expect(() => new Webhook(newSecret()).verify(BODY, headers)).toThrow("No matching signature");
  expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow("No matching signature");
  const stale = await sign([secret], Math.floor(Date.now() / 1000) - 600);
  expect(() => new Webhook(secret).verify(BODY, stale)).toThrow("too old");
});
