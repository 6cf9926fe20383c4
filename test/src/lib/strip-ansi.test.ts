import { expect, it } from "vitest";
import { stripAnsi } from "#src/lib/strip-ansi";

it("takes colours, cursor moves and erasures out of a text", () => {
  expect(stripAnsi("\u001B[1;31merror\u001B[0m: \u001B[2K\u001B[38:5:1mred\u001B[m\u001B[?25l")).toBe("error: red");
});

it("takes out titles and links, however they end", () => {
  expect(stripAnsi("\u001B]0;title\u0007a\u001B]8;;https://x.test\u001B\\link\u001B]8;;\u001B\\b")).toBe("alinkb");
});

it("takes out short and one-character escapes", () => {
  expect(stripAnsi("\u001B7a\u001B(Bb\u001BMc\u009B1md\u001BPdata\u001B\\e")).toBe("abcde");
});

it("leaves line breaks, tabs and other alphabets alone", () => {
  const text = "a\tb\r\n[31m не код 你好 🙂\n";
  expect(stripAnsi(text)).toBe(text);
});

it("ends on an escape that does not end", () => {
  expect(stripAnsi("a\u001B[12")).toBe("a");
  expect(stripAnsi("a\u001B")).toBe("a");
  expect(stripAnsi(`a\u001B]0;${"x".repeat(100_000)}`)).toBe("a");
});
