import { expect, it } from "vitest";
import { extractMedia } from "#src/delivery/extract-media";

it.each<[string, string, string, string[]]>([
  ["an answer without any", "Just words.", "Just words.", []],
  ["a line of its own", "Here:\nMEDIA:/workspace/a.png\nDone", "Here:\nDone", ["/workspace/a.png"]],
  ["an answer of nothing else", "MEDIA:/workspace/a.png", "", ["/workspace/a.png"]],
  ["several", "MEDIA:/a.png\nMEDIA: /b.png and MEDIA:/c.png", "and", ["/a.png", "/b.png", "/c.png"]],
  ["quotes", 'See "MEDIA:/a.png" now', "See now", ["/a.png"]],
  ["emphasis", "**MEDIA:/a.png**", "", ["/a.png"]],
  ["backticks", "`MEDIA:/a.png`", "", ["/a.png"]],
  ["the end of a sentence", "I made MEDIA:/workspace/v1.2/a.png.", "I made", ["/workspace/v1.2/a.png"]],
])("takes the files out of %s", (_, answer, text, files) => {
  expect(extractMedia(answer)).toEqual({ text, files });
});

it.each([
  ["a code block", "Write\n```\nMEDIA:/a.png\n```\nto send"],
  ["a code block that was not closed", "Write\n```\nMEDIA:/a.png"],
  ["a relative path", "MEDIA:a.png"],
  ["a longer word", "MULTIMEDIA:/a.png"],
  ["no path", "MEDIA: nothing"],
])("leaves %s as it is", (_, answer) => {
  expect(extractMedia(answer)).toEqual({ text: answer, files: [] });
});

it("takes a file out after a code block that shows how", () => {
  expect(extractMedia("```\nMEDIA:/a\n```\nMEDIA:/b").files).toEqual(["/b"]);
});

// without a bound on the marks this would take minutes, and the runner's time limit would tell
it("reads a long answer of marks", () => {
  const answer = `${"*".repeat(100_000)} MEDIA:${"`".repeat(100_000)}`;
  expect(extractMedia(answer).files).toEqual([]);
});
