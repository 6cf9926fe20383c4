import { expect, it } from "vitest";
import { readText } from "#src/platforms/slack/read-text";

it.each([
  ["a &lt;b&gt; &amp;amp; c", "a <b> &amp; c"],
  ["<@U0BOT> hi", "hi"],
  ["hi <@U0BOT|acme> there", "hi there"],
  ["ask <@U0CAROL>", "ask <@U0CAROL>"],
  ["ask <@U0CAROL|carol>", "ask @carol"],
  ["in <#C0GENERAL|general>", "in #general"],
  ["in <#C0GENERAL|>", "in #C0GENERAL"],
  ["<!here> and <!channel|channel>", "@here and @channel"],
  ["<!subteam^S1|@ops> look", "@ops look"],
  ["by <!date^1392734382^{date}|Feb 18>", "by Feb 18"],
  ["see <https://example.com/a?b=1&amp;c=2|the doc>", "see the doc (https://example.com/a?b=1&c=2)"],
  ["see <https://example.com/a?b=1&amp;c=2>", "see https://example.com/a?b=1&c=2"],
  ["see <http://example.com|example.com>", "see example.com"],
  ["mail <mailto:a@example.com|a@example.com>", "mail a@example.com"],
  ["&lt;@U0BOT&gt; typed by hand", "<@U0BOT> typed by hand"],
  ["1 < 2", "1 < 2"],
])("reads %j as %j", (raw, text) => {
  expect(readText(raw, "U0BOT").text).toBe(text);
});

it.each([
  ["<@U0BOT>", true],
  ["<@U0BOT|acme>", true],
  ["<@U0BOTTOM>", false],
  ["&lt;@U0BOT&gt;", false],
  ["U0BOT", false],
])("finds in %j that the bot is called: %s", (raw, mentionsBot) => {
  expect(readText(raw, "U0BOT").mentionsBot).toBe(mentionsBot);
});

it("reads a text beside an id that is none as it stands", () => {
  expect(readText("hello", "U".repeat(120_000))).toEqual({ text: "hello", mentionsBot: false });
});
