import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  decodeUtf8,
  decodeUtf8Strictly,
  fromBase64,
  fromHex,
  toBase64,
  toBase64Url,
  toHex,
  utf8,
} from "#src/lib/encoding";

const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values);

it("gives every bytes and every text back", () => {
  fc.assert(
    fc.property(fc.uint8Array(), fc.string({ unit: "binary" }), (some, text) => {
      expect(fromHex(toHex(some))).toEqual(some);
      expect(fromBase64(toBase64(some))).toEqual(some);
      expect(fromBase64(toBase64Url(some))).toEqual(some);
      // a mark of the byte order at the beginning is no part of the text
      expect(decodeUtf8(utf8(text))).toBe(text.replace(/^\uFEFF/, ""));
      expect(decodeUtf8Strictly(utf8(text))).toBe(text.replace(/^\uFEFF/, ""));
    }),
    { seed: 6, numRuns: 300 },
  );
});

// Source: https://www.rfc-editor.org/rfc/rfc4648#section-10
it.each([
  ["", "", ""],
  ["f", "Zg==", "66"],
  ["fo", "Zm8=", "666f"],
  ["foobar", "Zm9vYmFy", "666f6f626172"],
])("writes %j as RFC 4648 does", (text, base64, hex) => {
  expect([toBase64(utf8(text)), toHex(utf8(text))]).toEqual([base64, hex]);
  expect(toBase64Url(utf8(text))).toBe(base64.replaceAll("=", ""));
});

it("writes base64 for URLs without what URLs take for something else", () => {
  expect(toBase64Url(bytes(0xfb, 0xff, 0xfe))).toBe("-__-");
});

it("reads both alphabets, padded or not", () => {
  for (const text of ["+//+", "-__-"]) expect(fromBase64(text)).toEqual(bytes(0xfb, 0xff, 0xfe));
  expect(fromBase64("Zg")).toEqual(fromBase64("Zg=="));
});

it.each(["a", "Zg=", "Zm9v!", "Zm9v====", "ü"])("does not take %j for base64", (text) => {
  expect(fromBase64(text)).toBeUndefined();
});

it.each(["0", "0g", "xx", " 00", "0x00"])("does not take %j for hex", (text) => {
  expect(fromHex(text)).toBeUndefined();
});

it("reads hex of either case", () => {
  expect(fromHex("aBCd")).toEqual(bytes(0xab, 0xcd));
});

it("bears more bytes than a call has arguments", () => {
  const many = new Uint8Array(1_000_003).fill(0xa5);
  expect(fromBase64(toBase64(many))).toEqual(many);
});

it("tells bytes that are no UTF-8 apart, or shows them as replacements", () => {
  for (const wrong of [bytes(0xff), bytes(0xc0, 0x80), bytes(0xed, 0xa0, 0x80), bytes(0xe2, 0x82)]) {
    expect(decodeUtf8Strictly(wrong)).toBeUndefined();
    expect(decodeUtf8(wrong)).toContain("\uFFFD");
  }
  expect(decodeUtf8Strictly(bytes(0x61))).toBe("a");
});

it("writes a lone surrogate as a replacement", () => {
  expect(toHex(utf8("\ud800"))).toBe("efbfbd");
});
