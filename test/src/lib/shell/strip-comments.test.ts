import { expect, it } from "vitest";
import { stripComments } from "#src/lib/shell/strip-comments";

it.each([
  ["a # b", "a"],
  ["# a\nb", "\nb"],
  ["a;#b\nc", "a;\nc"],
  ["a#b $# ${#x}", "a#b $# ${#x}"],
  ["'a # b' \"c # d\" # e", "'a # b' \"c # d\""],
  ["'it'\\''s # here' # gone", "'it'\\''s # here'"],
  ["a \\# b", "a \\# b"],
  ['"a \\" # b" # c', '"a \\" # b"'],
])("leaves of %j only %j", (command, kept) => {
  expect(stripComments(command)).toBe(kept);
});
