import { expect, it } from "vitest";
import { hashWords } from "#src/lib/hash-words";

it("names a text by 16 hexadecimal digits that never change", () => {
  expect(hashWords("main:telegram:dm:7001#4#call_1.0")).toBe(hashWords("main:telegram:dm:7001#4#call_1.0"));
  expect(hashWords("")).toMatch(/^[0-9a-f]{16}$/);
});

it("tells ten thousand texts apart that differ in little", () => {
  const names = new Set(Array.from({ length: 10_000 }, (_, index) => hashWords(`main:telegram:dm:7001#${index}#c.0`)));
  expect(names.size).toBe(10_000);
});
