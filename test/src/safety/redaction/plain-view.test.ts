import { expect, it } from "vitest";
import { readPlain } from "#src/safety/redaction/plain-view";

it("reads without colours and unseen marks and knows where each letter stood", () => {
  const written = "a\u001B[31mb\u200Bc\u001B[0m";
  const { text, at } = readPlain(written);
  expect(text).toBe("abc");
  expect([0, 1, 2].map((index) => written[at(index)])).toEqual(["a", "b", "c"]);
});

it("reads full-width letters as plain ones, in their places", () => {
  const { text, at } = readPlain("ｇｈｐ＿x");
  expect(text).toBe("ghp_x");
  expect(at(4)).toBe(4);
});

it("gives a plain text as it is", () => {
  expect(readPlain("plain").text).toBe("plain");
});
