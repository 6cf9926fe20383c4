import { expect, it } from "vitest";
import { cutMiddle } from "#src/lib/cut-middle";
import { utf8 } from "#src/lib/encoding";

const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}\n`).join("");

it("gives back a text that fits as it is", () => {
  expect(cutMiddle("", { maxBytes: 200, maxLines: 1 })).toBe("");
  expect(cutMiddle(lines(1, 10), { maxBytes: 1000, maxLines: 10 })).toBe(lines(1, 10));
});

it("keeps two fifths of the lines from the beginning and the rest from the end", () => {
  expect(cutMiddle(lines(1, 100), { maxBytes: 10_000, maxLines: 10 })).toBe(
    `${lines(1, 4)}[... ${utf8(lines(5, 94)).length} bytes on 90 lines left out ...]\n${lines(95, 100)}`,
  );
});

it("counts a last line that does not end", () => {
  expect(cutMiddle(`${lines(1, 10)}end`, { maxBytes: 10_000, maxLines: 5 })).toBe(
    `${lines(1, 2)}[... ${utf8(lines(3, 8)).length} bytes on 6 lines left out ...]\n${lines(9, 10)}end`,
  );
});

it("keeps the result within its bytes, and the end longer than the beginning", () => {
  const cut = cutMiddle(`${"a".repeat(5000)}${"b".repeat(5000)}`, { maxBytes: 1100 });
  expect(utf8(cut).length).toBeLessThanOrEqual(1100);
  expect(cut).toBe(`${"a".repeat(400)}\n[... 9000 bytes left out ...]\n${"b".repeat(600)}`);
});

it("never cuts a character in two", () => {
  for (const character of ["é", "你", "🙂"])
    for (let extra = 0; extra < 4; extra++) {
      const cut = cutMiddle("x".repeat(extra) + character.repeat(2000), { maxBytes: 500 });
      expect(utf8(cut).length).toBeLessThanOrEqual(500);
      expect(cut).not.toContain("\uFFFD");
    }
});

it("says how much it left out to the byte", () => {
  const text = "你好".repeat(1000);
  const cut = cutMiddle(text, { maxBytes: 600 });
  const omitted = Number(/\[\.\.\. (\d+) bytes/.exec(cut)?.[1]);
  const kept = cut.replace(/\n\[\.\.\. .* \.\.\.\]\n/, "");
  expect(utf8(kept).length + omitted).toBe(utf8(text).length);
});
