import * as fc from "fast-check";
import { expect, it } from "vitest";
import { renderMarkdownV2 } from "#src/platforms/telegram/markdown-v2";
import { readMarkdownV2 } from "../../../support/telegram/read-markdown-v2";

const SEED = 20_260_701;

it.each([
  ["**bold** and __bold__", String.raw`*bold* and *bold*`],
  ["*italic* and _italic_", "_italic_ and _italic_"],
  ["***both***", "*_both_*"],
  ["~~gone~~", "~gone~"],
  ["`a_b` and ``c`d``", "`a_b` and `c\\`d`"],
  ["[site](https://a.example/x_(y))", String.raw`[site](https://a.example/x_(y\))`],
  ["**[bold *link*](https://a.example)**", "[*bold *](https://a.example)[*_link_*](https://a.example)"],
  ["[notes](./notes.md)", String.raw`notes \(\./notes\.md\)`],
  ["![chart](https://a.example/c.png)", "[chart](https://a.example/c.png)"],
  ["<https://a.example/a_b_c>", String.raw`https://a\.example/a\_b\_c`],
  ["https://a.example/a_b_c *x*", String.raw`https://a\.example/a\_b\_c _x_`],
  ["# Head *ing*", "*Head **_ing_*"],
  ["1. one\n2) two", "1\\. one\n2\\) two"],
  ["- a\n  * b\n+ [ ] c\n- [x] d", "• a\n  • b\n☐ c\n☑ d"],
  ["a\n\n---\n\nb", "a\n\n———\n\nb"],
  ["> quoted *words*\n> and more\n\nnot", ">quoted _words_\n>and more\n\nnot"],
  ["```c++\nif (a < b) { `x` \\ }\n```", "```c++\nif (a < b) { \\`x\\` \\\\ }\n```"],
  ["```\nnever closed", "```\nnever closed\n```"],
  ["- item\n  ```js\n  a();\n  ```", "• item\n```js\na();\n```"],
  ["2 * 3 * 4 and snake_case_word", String.raw`2 \* 3 \* 4 and snake\_case\_word`],
  ["**not closed and `neither", String.raw`\*\*not closed and ${"\\`"}neither`],
  [String.raw`\*literal\* 1\. C:\dir`, String.raw`\*literal\* 1\. C:\\dir`],
  ["**重要：**请注意", "*重要：*请注意"],
  ["*a*_b_", "_ab_"],
  ["_a_ **_b_**_c_", "_a_ *_b_*_c_"],
  ["**two\nlines**", "*two\nlines*"],
  ["> **two\n> lines**", ">\\*\\*two\n>lines\\*\\*"],
])("writes %j as Telegram reads it", (markdown, expected) => {
  const { text, seen } = renderMarkdownV2(markdown);
  expect(text).toBe(expected);
  expect(readMarkdownV2(text).text).toBe(seen);
});

it("writes a table as aligned text", () => {
  const table = "| Name | 数量 |\n|:--|--:|\n| `a` | **1** |\n| long name | 22 \\| 3 |";
  const { entities } = readMarkdownV2(renderMarkdownV2(table).text);
  expect(entities).toEqual([
    { type: "pre", text: "Name      | 数量\n----------+-------\na         | 1\nlong name | 22 | 3" },
  ]);
});

it("parts a quotation around a code block, which it cannot hold", () => {
  const { text } = renderMarkdownV2("> see\n> ```py\n> x = 1\n> ```\n> done");
  expect(text).toBe(">see\n```py\nx = 1\n```\n>done");
});

it("needs no marks for words alone", () => {
  expect(renderMarkdownV2("Done. 3 files (ok)!")).toMatchObject({ hasMarks: false, seen: "Done. 3 files (ok)!" });
});

it("counts what is seen and not the marks", () => {
  expect(renderMarkdownV2(`**${".".repeat(100)}**`).seen).toHaveLength(100);
});

it.each(["", " \n ", "```\n```"])("sees nothing in %j", (markdown) => {
  expect(renderMarkdownV2(markdown).seen).toBe("");
});

it("always writes what Telegram can read, and all of it", () => {
  const fragment = fc.oneof(
    fc.constantFrom(
      "*",
      "**",
      "_",
      "__",
      "***",
      "~~",
      "~",
      "`",
      "``",
      "```",
      "\n",
      "\n\n",
      " ",
      "> ",
      "- ",
      "1. ",
      "# ",
      "|",
      "\\",
      "||",
    ),
    fc.constantFrom(
      "[",
      "](",
      ")",
      "(",
      "]",
      "![",
      "https://a.example/x_y",
      "[a](https://b.example)",
      "<https://c.example>",
      "|-|-|",
      "---",
    ),
    fc.constantFrom(
      "word",
      "日本語",
      "👩‍💻",
      "é",
      "\ud800",
      "C++",
      "a.b!",
      "{x}",
      "= + - #",
      "```py\n",
      "\n```\n",
      "\n| a | b |\n|---|---|\n",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  const texts = fc.array(fragment, { maxLength: 40 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, (markdown) => {
      const { text, seen, hasMarks } = renderMarkdownV2(markdown);
      const read = readMarkdownV2(text);
      if (seen !== "") expect(read.text).toBe(seen);
      if (!hasMarks) expect(read.entities).toEqual([]);
    }),
    { seed: SEED, numRuns: 3000 },
  );
});

it("renders the longest texts in no time that anyone would notice", () => {
  for (const part of [
    "*a ",
    "_a",
    "[",
    "[a](",
    "`",
    "``` ",
    "> ",
    "- ",
    "|",
    "a|\n-|\n",
    "~~",
    "*_",
    "\n",
    "http://",
    "<http://",
  ]) {
    renderMarkdownV2(part.repeat(8192 / part.length));
  }
}, 5000);
