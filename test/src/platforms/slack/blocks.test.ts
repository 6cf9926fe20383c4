import * as fc from "fast-check";
import { expect, it } from "vitest";
import { messageBlocks, splitSections } from "#src/platforms/slack/blocks";
import { escapeText } from "#src/platforms/slack/mrkdwn-inline";

it("shows buttons under the text", () => {
  const buttons = [
    { label: "Approve & ship", value: "42:y", style: "primary" as const },
    { label: "No", value: "42:n" },
  ];
  expect(messageBlocks("Deploy?", buttons)).toEqual([
    { type: "section", text: { type: "mrkdwn", text: "Deploy?" } },
    {
      type: "actions",
      elements: [
        {
          type: "button",
          action_id: "button_0_0",
          text: { type: "plain_text", text: "Approve & ship", emoji: true },
          value: "42:y",
          style: "primary",
        },
        {
          type: "button",
          action_id: "button_0_1",
          text: { type: "plain_text", text: "No", emoji: true },
          value: "42:n",
        },
      ],
    },
  ]);
});

it("keeps to Slack's limits with a text and buttons beyond them", () => {
  const buttons = Array.from({ length: 60 }, (_, at) => ({ label: "x".repeat(100), value: String(at) }));
  const blocks = messageBlocks("word ".repeat(60_000), buttons);
  expect(blocks.length).toBe(50);
  expect(blocks.filter((block) => block["type"] === "actions").length).toBe(3);
  expect(JSON.stringify(blocks)).not.toMatch(/x{76}/);
});

it("names the first section by the key, so that the message can be found", () => {
  const blocks = messageBlocks(`${"a".repeat(2990)}\n${"b".repeat(2990)}`, [], "key-1");
  expect(blocks.map((block) => block["block_id"])).toEqual(["key-1", undefined]);
});

it("closes a code block before a cut and opens it after", () => {
  const code = `\`\`\`\n${"line of code\n".repeat(20)}\`\`\`\nafter`;
  const sections = splitSections(code, 100);
  expect(sections.length).toBeGreaterThan(2);
  for (const section of sections) expect((section.split("```").length - 1) % 2).toBe(0);
});

it("cuts neither within a link nor within an entity", () => {
  const text = `${"a".repeat(70)}<https://example.com/long|a label>${"&amp;".repeat(30)}`;
  const sections = splitSections(text, 100);
  expect(sections.join("").replaceAll("\n", "")).toBe(text);
  expect(sections.filter((section) => section.includes("<")).every((section) => section.includes("a label>"))).toBe(
    true,
  );
  for (const section of sections) expect(section.replaceAll("&amp;", "")).not.toContain("&");
});

it("keeps every section within the limit and loses nothing but blanks", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", " ", "\n", "&", "<", "😀", "word"), maxLength: 400 });
  fc.assert(
    fc.property(texts, (raw) => {
      const text = escapeText(raw);
      const sections = splitSections(text, 60);
      expect(sections.every((section) => section.length <= 60)).toBe(true);
      expect(sections.join("").replaceAll(/\s/g, "")).toBe(text.replaceAll(/\s/g, ""));
      expect(sections.every((section) => section.isWellFormed())).toBe(true);
    }),
    { seed: 20_260_703, numRuns: 500 },
  );
});
