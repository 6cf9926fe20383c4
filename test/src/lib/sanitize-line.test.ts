import { expect, it } from "vitest";
import { countChars, sanitizeLine } from "#src/lib/sanitize-line";

it("makes one line of many", () => {
  expect(sanitizeLine("  a\r\n\tb\u2028c\u0000d\u0085e  ")).toBe("a b c d e");
});

it("drops what turns or hides text", () => {
  expect(sanitizeLine("evil\u202Etxt.exe\u2066\u2069\u200B\u200F\uFEFF\u00AD\u{E0041}")).toBe("eviltxt.exe");
});

it("leaves emoji and scripts that need joiners as they are", () => {
  expect(sanitizeLine("👩‍💻 नमस्ते سلام")).toBe("👩‍💻 नमस्ते سلام");
});

it("replaces half a character", () => {
  expect(sanitizeLine("a\ud83d")).toBe("a\ufffd");
});

it("counts characters beyond the basic plane once", () => {
  expect(countChars("a🐚b")).toBe(3);
});
