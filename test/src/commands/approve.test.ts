import { expect, it } from "vitest";
import { approve } from "#src/commands/approve";
import { commandContext } from "../../support/command-context";

const ASKING = { isWaitingForApproval: true } as const;

it.each([
  ["", "once"],
  ["once", "once"],
  [" Session ", "session"],
  ["always", "always"],
])("answers with %j as %s", async (args, choice) => {
  expect(await approve.run(args, commandContext(ASKING))).toEqual({ effects: [{ type: "answer_approval", choice }] });
});

it("says when nothing is asked, and when it does not understand", async () => {
  expect(await approve.run("", commandContext())).toEqual({ reply: "I am not asking for anything." });
  expect((await approve.run("all of it", commandContext(ASKING))).reply).toContain("/approve session");
});
