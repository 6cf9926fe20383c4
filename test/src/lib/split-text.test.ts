import * as fc from "fast-check";
import { expect, it } from "vitest";
import { splitText } from "#src/lib/split-text";
import { problemsOf } from "../../conformance/suites/split";

const SEED = 20_260_701;

it("leaves a text alone that fits", () => {
  expect(splitText("hello\n", { limit: 6, unit: "utf16" })).toEqual(["hello\n"]);
});

it("drops blanks around a text that fits without them", () => {
  expect(splitText("\n\n  hello \n\n", { limit: 8, unit: "utf16" })).toEqual(["  hello"]);
});

it("counts the pieces", () => {
  expect(splitText("one two three four five", { limit: 20, unit: "utf16" })).toEqual([
    "one two three (1/2)",
    "four five (2/2)",
  ]);
});

it("makes room for counters of three digits", () => {
  const pieces = splitText("word ".repeat(1000), { limit: 30, unit: "utf16" });
  expect(pieces.length).toBeGreaterThan(100);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(30);
  expect(pieces.at(-1)).toBe(`word word word word (${pieces.length}/${pieces.length})`);
});

it("keeps the indentation of the line after a cut", () => {
  const [, second] = splitText("- one item\n  - two below\n  - three below", { limit: 32, unit: "utf16" });
  expect(second).toBe("  - three below (2/2)");
});

it("closes a fence at a cut and opens it again with its language", () => {
  const text = `\`\`\`python\n${"x = 1\n".repeat(8)}\`\`\`\nend`;
  expect(splitText(text, { limit: 60, unit: "utf16" })).toEqual([
    `\`\`\`python\n${"x = 1\n".repeat(6)}\`\`\`\n (1/2)`,
    "```python\nx = 1\nx = 1\n```\nend (2/2)",
  ]);
});

it("leaves no empty fence behind when a cut falls before the closing line", () => {
  const text = `\`\`\`js\n${"a();\n".repeat(7)}\`\`\`\n${"tail ".repeat(6)}`;
  expect(splitText(text, { limit: 54, unit: "utf16" })[1]).toBe("tail tail tail tail tail tail (2/2)");
});

it("keeps a fence in its quotation", () => {
  const pieces = splitText(`> \`\`\`\n${"> quoted code\n".repeat(9)}> \`\`\``, { limit: 70, unit: "utf16" });
  expect(pieces[0]).toBe("> ```\n> quoted code\n> quoted code\n> quoted code\n> ```\n (1/3)");
});

it("gives lines of their own to code between triple backticks that has to be cut", () => {
  const pieces = splitText(`\`\`\`${"x".repeat(120)}\`\`\``, { limit: 100, unit: "utf16" });
  expect(pieces).toEqual([`\`\`\`\n${"x".repeat(85)}\n\`\`\`\n (1/2)`, `\`\`\`\n${"x".repeat(35)}\n\`\`\`\n (2/2)`]);
});

it("closes a fence that the text leaves open", () => {
  expect(splitText(`\`\`\`\n${"line\n".repeat(20)}`, { limit: 80, unit: "utf16" }).at(-1)).toMatch(
    /^```\n(?:line\n)+```\n \(2\/2\)$/,
  );
});

it("does without counters where fences take the room", () => {
  expect(splitText("```py\nx\ny\n```", { limit: 12, unit: "utf16" })).toEqual(["```py\nx\n```", "```py\ny\n```"]);
});

it("cuts no link, code span or address that fits a piece", () => {
  const text = "See `a b c d e` and [some words](https://example.com/a) or https://example.com/bcd";
  expect(splitText(text, { limit: 52, unit: "utf16" })).toEqual([
    "See `a b c d e` and (1/3)",
    "[some words](https://example.com/a) or (2/3)",
    "https://example.com/bcd (3/3)",
  ]);
});

it("moves a word that fits to the next piece rather than cutting it", () => {
  const word = "w".repeat(40);
  expect(splitText(`short ${word} ending`, { limit: 50, unit: "utf16" })).toEqual([
    "short (1/3)",
    `${word} (2/3)`,
    "ending (3/3)",
  ]);
});

it("keeps a family in one piece", () => {
  const family = "👨‍👩‍👧‍👦";
  const pieces = splitText(family.repeat(5), { limit: 30, unit: "utf16" });
  expect(pieces).toEqual([`${family.repeat(2)} (1/3)`, `${family.repeat(2)} (2/3)`, `${family} (3/3)`]);
});

it("cuts a family between its members when it alone is over the limit", () => {
  expect(splitText("👨‍👩‍👧", { limit: 5, unit: "utf16" })).toEqual(["👨‍👩", "‍👧"]);
});

it("never cuts a code point, even over the limit", () => {
  expect(splitText("😀é", { limit: 1, unit: "byte" })).toEqual(["😀", "é"]);
});

it("counts bytes where the platform does", () => {
  const pieces = splitText("日本語".repeat(20), { limit: 60, unit: "byte" });
  expect(Math.max(...pieces.map((piece) => new TextEncoder().encode(piece).length))).toBeLessThanOrEqual(60);
});

it("makes nothing of a text of blanks alone", () => {
  expect(splitText(" \n".repeat(50), { limit: 10, unit: "utf16" })).toEqual([""]);
  expect(splitText("\u00a0".repeat(50), { limit: 10, unit: "utf16" })).toEqual([""]);
});

it.each(["~", "`"])("keeps the limit where it cuts a long run of %s within a line", (mark) => {
  const pieces = splitText(`a${mark.repeat(250)}`, { limit: 48, unit: "codepoint" });
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(48);
});

it.each([">", "-", "1."])("begins no piece with marks behind %s that would open a fence", (lead) => {
  const text = `${"word ".repeat(5)}${lead} \`\`\` ${"word ".repeat(5)}`;
  for (let limit = 30; limit < 50; limit++) {
    expect(splitText(text, { limit, unit: "utf16" }).filter((piece) => piece.startsWith(lead))).toEqual([]);
  }
});

it("refuses a limit that holds nothing", () => {
  expect(() => splitText("ab", { limit: 0, unit: "utf16" })).toThrow(RangeError);
});

it("splits a megabyte in time that grows with its length", () => {
  for (const part of ["a b\n", "`a", "[x](", "``` ", "日", "x\n```\n"]) {
    const pieces = splitText(part.repeat(Math.ceil(1_000_000 / part.length)), { limit: 4096, unit: "utf16" });
    expect(pieces.length).toBeLessThan(600);
  }
}, 20_000);

const words = [
  fc.stringMatching(/^[a-z]{1,12}$/),
  fc.constantFrom(
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\t",
    ". ",
    "这是一个测试。",
    "😀",
    "👩‍💻",
    "é",
    "ไม่มี",
    "\ud800",
    "> ",
    "- ",
    "1. ",
  ),
  fc.constantFrom("`code`", "`", "[a b](https://x.example/y)", "https://example.com/a/b", "**bold**", "(1/2)"),
];
const fences = fc.constantFrom(
  "\n```\n",
  "\n```py\n",
  "\n~~~\n",
  "\n> ```\n> ",
  "\n````\n",
  "```x y```",
  "\n  ```js\n",
  "\n- ```\n",
);
const unit = fc.constantFrom("utf16" as const, "codepoint" as const, "byte" as const);

it.each([
  { what: "without fences, however small the limit", fragments: words, min: 1, max: 30 },
  { what: "with fences", fragments: [...words, fences], min: 30, max: 200 },
])("keeps every promise for texts $what", ({ fragments, min, max }) => {
  const texts = fc.array(fc.oneof(...fragments), { minLength: 1, maxLength: 80 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, fc.integer({ min, max }), unit, (text, limit, unit) => {
      expect(problemsOf(text, splitText(text, { limit, unit }), { limit, unit })).toEqual([]);
    }),
    { seed: SEED, numRuns: 1000 },
  );
});
