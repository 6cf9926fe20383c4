import { describe, expect, it } from "vitest";
import { findHiddenCharacters, hasSmuggledText } from "#src/safety/threats/find-hidden-characters";

it.each([
  0x200b, 0x200c, 0x200d, 0x2060, 0x2062, 0x2063, 0x2064, 0xfeff, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066,
  0x2067, 0x2068, 0x2069,
])("names the hidden character %#", (code) => {
  const name = `U+${code.toString(16).toUpperCase()}`;
  expect(findHiddenCharacters(`hello${String.fromCharCode(code)} world`)).toEqual([name]);
});

it.each(["👨‍👩‍👧 family", "👩🏽‍💻", "🏳️‍🌈", "❤️‍🔥", "می‌خواهم", "क्‍ष", "\uFEFF# Heading", "Zażółć", ""])(
  "sees what spelling needs: %s",
  (text) => {
    expect(findHiddenCharacters(text)).toEqual([]);
  },
);

it("names each character once, in order", () => {
  expect(findHiddenCharacters("a\u2060b\u200Bc\u2060d")).toEqual(["U+2060", "U+200B"]);
});

it("takes a byte order mark for hidden behind the beginning", () => {
  expect(findHiddenCharacters("a\uFEFFb")).toEqual(["U+FEFF"]);
});

describe("hasSmuggledText", () => {
  it("finds letters written in tags and in variation selectors", () => {
    expect(hasSmuggledText(`a${String.fromCodePoint(0xe0061, 0xe0062)}`)).toBe(true);
    expect(hasSmuggledText(`😀${String.fromCodePoint(0xe0110, 0xe0111)}`)).toBe(true);
  });

  it("knows flags of countries within countries", () => {
    expect(hasSmuggledText(`🏴${String.fromCodePoint(0xe0067, 0xe0062, 0xe0065, 0xe006e, 0xe0067, 0xe007f)}`)).toBe(
      false,
    );
  });
});
