import { expect, it } from "vitest";
import { decodePayloads } from "#src/safety/threats/decode-payloads";

it.each([
  ["base64", `see ${btoa("words that were hidden")} here`],
  ["base64 for URLs", btoa("words that were hidden").replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "")],
  ["hexadecimal digits", "776f726473207468617420776572652068696464656e"],
  ["escapes of URLs", "%77ords%20that%20were%20hidden"],
  ["escapes of HTML", "&#119;ords that&#x20;were&#32;hidden"],
  ["escapes of programs", String.raw`\x77ords that\u0020were\x20hidden`],
])("reads %s", (_, text) => {
  expect(decodePayloads(text).join("|")).toContain("words that were hidden");
});

it("leaves bytes that are no text, and single escapes", () => {
  expect(decodePayloads("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ")).toEqual([]);
  expect(decodePayloads("3593871c15d694c1957f8db03911731a6b2dc782")).toEqual([]);
  expect(decodePayloads("100%25 sure")).toEqual([]);
});
