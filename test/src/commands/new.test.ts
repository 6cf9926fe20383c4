import { expect, it } from "vitest";
import { newConversation } from "#src/commands/new";
import { commandContext } from "#test/support/command-context";

it("begins a new conversation", () => {
  expect(newConversation.run("", commandContext())).toEqual({
    reply: "✨ New conversation.",
    effects: [{ type: "new_epoch" }],
  });
});

it("gives the new conversation a clean title", () => {
  expect(newConversation.run("Oslo\u202E\n trip", commandContext())).toEqual({
    reply: "✨ New conversation: `Oslo trip`.",
    effects: [{ type: "new_epoch", title: "Oslo trip" }],
  });
});

it("changes nothing when the title is too long", () => {
  expect(newConversation.run("x".repeat(101), commandContext())).toEqual({
    reply: "A title has at most 100 characters; this one has 101. Nothing was changed.",
  });
});
