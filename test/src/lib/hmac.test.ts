import { expect, it } from "vitest";
import { toHex, utf8 } from "#src/lib/encoding";
import { hmacSha256, sha256 } from "#src/lib/hmac";

const repeat = (byte: number, count: number): Uint8Array => new Uint8Array(count).fill(byte);

// Source: https://www.rfc-editor.org/rfc/rfc4231#section-4
it.each<[number, string | Uint8Array, string | Uint8Array, string]>([
  [1, repeat(0x0b, 20), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"],
  [2, "Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"],
  [3, repeat(0xaa, 20), repeat(0xdd, 50), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"],
  [
    4,
    Uint8Array.from({ length: 25 }, (_, n) => n + 1),
    repeat(0xcd, 50),
    "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
  ],
  [
    6,
    repeat(0xaa, 131),
    "Test Using Larger Than Block-Size Key - Hash Key First",
    "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
  ],
  [
    7,
    repeat(0xaa, 131),
    "This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.",
    "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
  ],
])("signs test case %i of RFC 4231", async (_, key, message, expected) => {
  expect(toHex(await hmacSha256(key, message))).toBe(expected);
});

it("takes texts for UTF-8", async () => {
  expect(await hmacSha256("schlüssel", "grüß")).toEqual(await hmacSha256(utf8("schlüssel"), utf8("grüß")));
});

// Source: https://csrc.nist.gov/projects/cryptographic-standards-and-guidelines/example-values
it.each([
  ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
  ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
])("hashes %j", async (text, expected) => {
  expect(toHex(await sha256(text))).toBe(expected);
});
