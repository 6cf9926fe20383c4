import { describe, expect, it } from "vitest";
import { capOutput, keepLog, keepTail, unfinishedBytes } from "../../sidecar/output.ts";

describe("capped output", () => {
  it.each([
    ["less than the cap", 100, ["ab", "cd"], "abcd", 0],
    ["just the cap", 4, ["ab", "cd"], "abcd", 0],
    ["one byte more", 4, ["ab", "cde"], "ab\n[1 bytes dropped]\nde", 1],
    ["in small pieces", 4, ["a", "b", "cd", "ef", "g", "h"], "ab\n[4 bytes dropped]\ngh", 4],
    ["with no room at all", 0, ["abc"], "\n[3 bytes dropped]\n", 3],
  ])("keeps %s", (_what, max, chunks, text, droppedBytes) => {
    const output = capOutput(max);
    for (const chunk of chunks) output.add(Buffer.from(chunk));
    expect(output.finish("utf8")).toEqual({ text, droppedBytes });
  });

  it("is cut between characters", () => {
    const output = capOutput(6);
    output.add(Buffer.from("ääää€€€"));
    expect(output.finish("utf8").text).toBe("ä\n[11 bytes dropped]\n€");
  });

  it("counts what it dropped however much there was", () => {
    const output = capOutput(10);
    for (let i = 0; i < 1000; i++) output.add(Buffer.alloc(1000, "x"));
    expect(output.finish("base64").droppedBytes).toBe(999_990);
  });
});

it("keeps the same end in whatever pieces a stream comes", () => {
  const text = Array.from({ length: 3000 }, (_, i) => String(i)).join(" ");
  for (const max of [1, 7, 100, 9000, 20_000])
    for (const step of [1, 3, 64, 5000]) {
      const tail = keepTail(max);
      for (let at = 0; at < text.length; at += step) tail.add(Buffer.from(text.slice(at, at + step)));
      expect(tail.read().toString(), `${max} in steps of ${step}`).toBe(text.slice(-max));
      expect(tail.droppedBytes()).toBe(Math.max(0, text.length - max));
    }
});

describe("a log", () => {
  it("gives what is kept from where the reader was, and counts what is not", () => {
    const log = keepLog(4);
    log.add(Buffer.from("abcdefghij"));
    expect(log.read(0, 100)).toEqual({ offset: 6, bytes: Buffer.from("ghij"), nextOffset: 10, droppedBytes: 6 });
    expect(log.read(8, 1)).toEqual({ offset: 8, bytes: Buffer.from("i"), nextOffset: 9, droppedBytes: 0 });
    expect(log.read(99, 1)).toEqual({ offset: 10, bytes: Buffer.from(""), nextOffset: 10, droppedBytes: 0 });
  });
});

it.each([
  ["", 0],
  ["abc", 0],
  ["ä", 0],
  ["€", 0],
  ["😀", 0],
])("finds nothing unfinished at the end of %j, and all of a character that is cut", (text, whole) => {
  const bytes = Buffer.from(text);
  expect(unfinishedBytes(bytes)).toBe(whole);
  for (const cut of [1, 2, 3].filter((length) => length < bytes.length && bytes[0] !== 0x61))
    expect(unfinishedBytes(bytes.subarray(0, cut))).toBe(cut);
});
