import { expect, it } from "vitest";
import { decodeAnsiC, decodeEchoEscapes } from "#src/lib/shell/ansi-c-quoting";

it.each([
  ["\\x72\\x6d", "rm"],
  ["\\162\\155", "rm"],
  ["\\u0072\\U0000006d", "rm"],
  ["a\\tb\\n\\\\\\'", "a\tb\n\\'"],
  ["\\cA\\e", "\u0001\u001b"],
  ["\\q", "\\q"],
  ["\\Uffffffff", "\ufffd"],
])("decodes %j", (text, expected) => {
  expect(decodeAnsiC(text)).toBe(expected);
});

it("reads the octals of echo, and its end of the text", () => {
  expect(decodeEchoEscapes("\\0162m\\c rest")).toBe("rm");
});
