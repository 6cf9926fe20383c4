import { expect, it } from "vitest";
import { retry } from "#src/commands/retry";
import { commandContext } from "#test/support/command-context";

it("runs the last message again, whose answer is the answer", () => {
  expect(retry.run("", commandContext())).toEqual({ effects: [{ type: "retry" }] });
});

it("says so when there is no message yet", () => {
  expect(retry.run("", commandContext({ messageCount: 0 }))).toEqual({
    reply: "There is no message to answer again yet.",
  });
});
