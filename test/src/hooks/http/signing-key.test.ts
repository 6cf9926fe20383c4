import { expect, it } from "vitest";
import { toBase64, toHex, utf8 } from "#src/lib/encoding";
import {
  newKeyPair,
  newSharedSecret,
  parseSigningKey,
  publicKeyOf,
  signEd25519,
  verifyEd25519,
} from "#src/hooks/http/signing-key";

/** Bytes 1, 2, 3, ... */
function counting(bytes: number): Uint8Array {
  return Uint8Array.from({ length: bytes }, (_, i) => i + 1);
}

it("decodes a prefixed secret and takes any other as its own bytes", () => {
  expect(parseSigningKey(`whsec_${toBase64(counting(24))}`)).toEqual({ version: "v1", bytes: counting(24) });
  expect(parseSigningKey("plain ü")).toEqual({ version: "v1", bytes: utf8("plain ü") });
});

it("takes an ed25519 key with or without its public half", () => {
  const seed = counting(64).slice(0, 32);
  expect(parseSigningKey(`whsk_${toBase64(counting(64))}`)).toEqual({ version: "v1a", seed });
  expect(parseSigningKey(`whsk_${toBase64(seed)}`)).toEqual({ version: "v1a", seed });
});

it.each(["", "whsec_", "whsec_!!", "whsk_", "whsk_AAAA", `whsk_${"A".repeat(60)}`, `whpk_${toBase64(counting(32))}`])(
  "takes %j for no key",
  (secret) => {
    expect(parseSigningKey(secret)).toBeUndefined();
  },
);

it("makes secrets of 32 random bytes, or of 24 to 64", () => {
  expect(newSharedSecret(counting)).toBe(`whsec_${toBase64(counting(32))}`);
  expect(newSharedSecret(counting, 64)).toBe(`whsec_${toBase64(counting(64))}`);
  expect(() => newSharedSecret(counting, 23)).toThrow(RangeError);
  expect(() => newSharedSecret(counting, 65)).toThrow(RangeError);
});

it("makes a pair of which the public half verifies what the other one signs", async () => {
  const { privateKey, publicKey } = await newKeyPair();
  expect(publicKeyOf(privateKey)).toBe(publicKey);
  expect(publicKeyOf("whsec_AAAA")).toBeUndefined();
  const key = parseSigningKey(privateKey);
  if (key?.version !== "v1a") throw new Error("no ed25519 key");
  const signature = await signEd25519(key.seed, utf8("text"));
  expect(await verifyEd25519(publicKey, signature, utf8("text"))).toBe(true);
  expect(await verifyEd25519(publicKey, signature, utf8("other"))).toBe(false);
  expect(await verifyEd25519((await newKeyPair()).publicKey, signature, utf8("text"))).toBe(false);
  expect(await verifyEd25519("whpk_AAAA", signature, utf8("text"))).toBe(false);
  expect(await verifyEd25519(publicKey, signature.slice(1), utf8("text"))).toBe(false);
});

// Source: https://www.rfc-editor.org/rfc/rfc8032#section-7.1, test 1
it("signs as the standard's own example does", async () => {
  const seed = Uint8Array.from(
    "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60".match(/../g) ?? [],
    (byte) => Number.parseInt(byte, 16),
  );
  const signature = await signEd25519(seed, new Uint8Array());
  expect(toHex(signature.slice(0, 8))).toBe("e5564300c360ac72");
});
