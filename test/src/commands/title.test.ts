import { expect, it } from "vitest";
import { title } from "#src/commands/title";
import { commandContext } from "#test/support/command-context";

it("sets a title of a hundred characters, however they are written", () => {
  const shells = "🐚".repeat(100);
  expect(title.run(shells, commandContext())).toMatchObject({ effects: [{ type: "set_title", title: shells }] });
});

it("refuses a title of more, and says how long it is", () => {
  const result = title.run("🐚".repeat(101), commandContext());
  expect(result).toEqual({ reply: "A title has at most 100 characters; this one has 101." });
});

it("shows the title as code, so that nothing in it is Markdown", () => {
  expect(title.run("", commandContext({ title: "a `b` [c](d)" }))).toEqual({ reply: "Title: `a 'b' [c](d)`." });
});

it("says how to give a title when there is none", () => {
  expect(title.run("", commandContext())).toEqual({
    reply: "This conversation has no title yet. `/title Summer in Oslo` gives it one.",
  });
});

it("refuses a title of which nothing is left", () => {
  expect(title.run("\u202E\u200B", commandContext())).toEqual({
    reply: "That title has nothing in it that can be shown.",
  });
});
