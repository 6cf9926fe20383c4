import * as fc from "fast-check";
import { expect, it } from "vitest";
import { toMrkdwn } from "#src/platforms/slack/mrkdwn";

it.each([
  ["a **bold** word", "a *bold* word"],
  ["a __bold__ word", "a *bold* word"],
  ["an *italic* and _italic_ word", "an _italic_ and _italic_ word"],
  ["***both***", "*_both_*"],
  ["**bold and *italic* in it**", "*bold and _italic_ in it*"],
  ["~~gone~~", "~gone~"],
  ["`a < b`", "`a &lt; b`"],
  ["``a`b``", "```a`b```"],
  ["**use `x*y*z`**", "*use `x*y*z`*"],
  ["2 * 3 * 4", "2 * 3 * 4"],
  ["snake_case_name", "snake_case_name"],
  ["**unclosed", "**unclosed"],
  ["\\*not italic\\*", "*not italic*"],
  ["粗**体**字", "粗\u200b*体*\u200b字"],
  ["a < b && c > d", "a &lt; b &amp;&amp; c &gt; d"],
  ["a &lt; b &amp; c", "a &lt; b &amp; c"],
  ["one<br>two", "one\ntwo"],
  ["<!channel> <@U1>", "&lt;!channel&gt; &lt;@U1&gt;"],
])("writes %j as %j", (markdown, mrkdwn) => {
  expect(toMrkdwn(markdown)).toBe(mrkdwn);
});

it.each([
  ["[the doc](https://example.com/a?b=1&c=2)", "<https://example.com/a?b=1&amp;c=2|the doc>"],
  ["[the doc](https://example.com/a?b=1&amp;c=2)", "<https://example.com/a?b=1&amp;c=2|the doc>"],
  ['[a](https://example.com "title")', "<https://example.com|a>"],
  ["[**a** > b](https://example.com)", "<https://example.com|a &gt; b>"],
  ["[a](https://en.wikipedia.org/wiki/A_(b))", "<https://en.wikipedia.org/wiki/A_(b)|a>"],
  ["![a cat](https://example.com/cat.png)", "<https://example.com/cat.png|a cat>"],
  ["![](https://example.com/cat.png)", "<https://example.com/cat.png>"],
  ["<https://example.com/a_b_c>", "<https://example.com/a_b_c>"],
  ["see https://example.com/a_b_c.", "see <https://example.com/a_b_c>."],
  ["**https://example.com/**", "*<https://example.com/>*"],
  ["[mail](mailto:a@example.com)", "<mailto:a@example.com|mail>"],
  ["[here](/docs/a)", "here (/docs/a)"],
  ["[x](javascript:alert(1))", "x (javascript:alert(1))"],
  ["[x](https://example.com/a|b)", "<https://example.com/a%7Cb|x>"],
  ["[not a link] (https)", "[not a link] (https)"],
])("writes the link %j as %j", (markdown, mrkdwn) => {
  expect(toMrkdwn(markdown)).toBe(mrkdwn);
});

it.each([
  ["# Title", "*Title*"],
  ["### A **bold** title ###", "*A bold title*"],
  ["- one\n* two\n  + three", "• one\n• two\n  • three"],
  ["1. one\n2. **two**", "1. one\n2. *two*"],
  ["- [ ] open\n- [x] done", "☐ open\n☑ done"],
  ["> quoted\n>> **deep**", "> quoted\n> *deep*"],
  ["one\n\n---\n\ntwo", "one\n\n———\n\ntwo"],
  ["one\r\ntwo", "one\ntwo"],
])("writes the lines %j as %j", (markdown, mrkdwn) => {
  expect(toMrkdwn(markdown)).toBe(mrkdwn);
});

it("writes a code block without its language, and nothing in it as formatting", () => {
  expect(toMrkdwn("```ts\nif (a < b) **c**;\n```\nafter")).toBe("```\nif (a &lt; b) **c**;\n```\nafter");
});

it("closes a code block that is still being written", () => {
  expect(toMrkdwn("```\nhalf")).toBe("```\nhalf\n```");
});

it.each([
  ["a list", "- ```js\n  if (a) {\n    a**b**c\n  ```\nafter **all**"],
  ["a numbered list", "1. ```js\n   if (a) {\n     a**b**c\n   ```\nafter **all**"],
  ["a quotation", "> ```js\n> if (a) {\n>   a**b**c\n> ```\nafter **all**"],
  ["a quotation that ends first", "> ```js\n> if (a) {\n>   a**b**c\nafter **all**"],
])("leaves code as it is in %s, and what stands behind it too", (_, markdown) => {
  expect(toMrkdwn(markdown)).toBe("```\nif (a) {\n  a**b**c\n```\nafter *all*");
});

it("keeps a code block that holds a fence in one piece", () => {
  expect(toMrkdwn("````md\n```\ncode\n```\n````")).toBe("```\n``\u200b`\ncode\n``\u200b`\n```");
});

it("writes a table as even columns of a code block", () => {
  const markdown = "| Name | Age |\n|:-----|----:|\n| **Al** & Bo | 7 |\n| 李 | 42 |\nafter";
  expect(toMrkdwn(markdown)).toBe(
    ["```", "Name    | Age", "--------|----", "Al &amp; Bo | 7", "李      | 42", "```", "after"].join("\n"),
  );
});

it("does not pad a table beyond what a message holds", () => {
  const markdown = `| ${"x".repeat(900)} | b |\n|---|---|\n${"| a | b |\n".repeat(200)}`;
  expect(toMrkdwn(markdown).length).toBeLessThan(2 * markdown.length);
});

/** Takes out what is allowed to hold an angle bracket: our links, and the marks of quotes. */
function withoutOwnMarks(mrkdwn: string): string {
  return mrkdwn.replace(/<(?:https?:\/\/|mailto:|tel:)[^<>|]*(?:\|[^<>]*)?>/gi, "").replace(/^> /gm, "");
}

const MARKDOWN = fc
  .array(
    fc.oneof(
      fc.constantFrom("**", "*", "_", "__", "~~", "`", "```", "\n", "> ", "# ", "- ", "| a | b |\n|---|---|\n", "\\"),
      fc.constantFrom("<", ">", "&", "&amp;", "<@U1>", "<!here>", "[a](", "](", ")", "[", "https://a.b/?x=1&y=<z>|"),
      fc.string({ unit: "grapheme", maxLength: 6 }),
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

it("never lets a text speak Slack's own notation", () => {
  fc.assert(
    fc.property(MARKDOWN, (markdown) => {
      const rest = withoutOwnMarks(toMrkdwn(markdown));
      expect(rest).not.toMatch(/[<>]/);
      expect(rest).not.toMatch(/&(?!(?:amp|lt|gt);)/);
    }),
    { seed: 20_260_701, numRuns: 2000 },
  );
});

it("lets no ampersand of a link stand unescaped", () => {
  fc.assert(
    fc.property(MARKDOWN, (markdown) => {
      expect(toMrkdwn(markdown)).not.toMatch(/&(?!(?:amp|lt|gt);)/);
    }),
    { seed: 20_260_702, numRuns: 1000 },
  );
});
