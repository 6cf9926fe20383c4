import { expect, it } from "vitest";
import { steer } from "#src/commands/steer";
import { commandContext, RUNNING } from "#test/support/command-context";

it("gives the running turn a word", () => {
  expect(steer.run("only 2026", commandContext({ running: RUNNING }))).toEqual({
    reply: "👍 I will take that into account.",
    effects: [{ type: "steer", text: "only 2026" }],
  });
});

it("is a message like any other when nothing runs", () => {
  expect(steer.run("only 2026", commandContext())).toEqual({ effects: [{ type: "steer", text: "only 2026" }] });
});

it("asks for words when there are none", () => {
  expect(steer.run("", commandContext())).toHaveProperty("reply", expect.stringContaining("`/steer Only"));
});
