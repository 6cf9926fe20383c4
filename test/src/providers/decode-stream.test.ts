import { expect, it } from "vitest";
import { createStreamDecoder } from "#src/providers/decode-stream";

function decode(...texts: readonly string[]) {
  const decoder = createStreamDecoder();
  const items = [...texts.flatMap((text) => decoder.decode(new TextEncoder().encode(text))), ...decoder.end()];
  return items.map((item) => (item.type === "value" ? item.value : item.type));
}

it("gives an event as soon as its empty line is there", () => {
  const decoder = createStreamDecoder();
  expect(decoder.decode(new TextEncoder().encode('data: {"a":1}\n'))).toEqual([]);
  expect(decoder.decode(new TextEncoder().encode("\n"))).toHaveLength(1);
});

it.each<[string, readonly string[], readonly unknown[]]>([
  ["events and the end mark", ['data: {"a":1}\n\ndata: [DONE]\n\n'], [{ a: 1 }, "done"]],
  ["an event over several lines", ['data: {"a":\ndata: 1}\n\n'], [{ a: 1 }]],
  ["events without empty lines between", ['data: {"a":1}\ndata: {"a":2}\n\n'], [{ a: 1 }, { a: 2 }]],
  ["a last event without its empty line", ['data: {"a":1}\n\n', 'data: {"a":2}'], [{ a: 1 }, { a: 2 }]],
  ["no event that was cut in the middle", ['data: {"a":1}\n\n', 'data: {"a'], [{ a: 1 }]],
  ["one JSON document", ['\n {"a":\n', "1}\n"], [{ a: 1 }, "done"]],
  ["nothing from comments and empty data", [": ping\n\ndata:\n\nretry: 5\n\n"], []],
  ["a page as none of it", ["<html>"], ["invalid"]],
  ["data that is no JSON as none of it", ["data: oops\n\n"], ["invalid"]],
])("reads %s", (_, texts, expected) => {
  expect(decode(...texts)).toEqual(expected);
});

it("keeps the name of an event with its data", () => {
  const [item] = createStreamDecoder().decode(new TextEncoder().encode('event: error\ndata: {"message":"x"}\n\n'));
  expect(item).toEqual({ type: "value", value: { message: "x" }, event: "error" });
});

it("gives up a line without end", () => {
  const decoder = createStreamDecoder();
  const part = new TextEncoder().encode(`data: ${"x".repeat(1_000_000)}`);
  const items = Array.from({ length: 9 }, () => decoder.decode(part)).flat();
  expect(items).toContainEqual({ type: "invalid" });
});
