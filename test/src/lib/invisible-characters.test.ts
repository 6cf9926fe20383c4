import { expect, it } from "vitest";
import { findInvisible } from "#src/lib/invisible-characters";

it.each([
  [0x200b, "U+200B"],
  [0x200d, "U+200D"],
  [0x2060, "U+2060"],
  [0x2062, "U+2062"],
  [0x2064, "U+2064"],
  [0xfeff, "U+FEFF"],
  [0x202a, "U+202A"],
  [0x202e, "U+202E"],
  [0x2066, "U+2066"],
  [0x2069, "U+2069"],
])("finds character %i as %s", (code, name) => {
  expect(findInvisible(`a${String.fromCharCode(code)}b`)).toBe(name);
});

it("lets every character pass that people see", () => {
  expect(findInvisible("déjà vu\n\t— “quoted” 😀 日本")).toBeUndefined();
});
