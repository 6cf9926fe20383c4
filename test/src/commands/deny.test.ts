import { expect, it } from "vitest";
import { deny } from "#src/commands/deny";
import { commandContext } from "../../support/command-context";

it("answers an open question with a no, and says when there is none", async () => {
  expect(await deny.run("", commandContext({ isWaitingForApproval: true }))).toEqual({
    effects: [{ type: "answer_approval", choice: "deny" }],
  });
  expect(await deny.run("", commandContext())).toEqual({ reply: "I am not asking for anything." });
});

it.each([
  ["too dangerous", "too dangerous"],
  ["all ask Ada first", "ask Ada first"],
  ["allow nothing", "allow nothing"],
])("hands on why: %j", async (args, reason) => {
  expect(await deny.run(args, commandContext({ isWaitingForApproval: true }))).toEqual({
    effects: [{ type: "answer_approval", choice: "deny", reason }],
  });
});
