import { expect, it } from "vitest";
import { stop } from "#src/commands/stop";
import { commandContext, RUNNING } from "#test/support/command-context";

it("stops the running turn, which gives the answer itself", () => {
  expect(stop.run("", commandContext({ running: RUNNING }))).toEqual({ effects: [{ type: "stop" }] });
});

it("says so when there is nothing to stop", () => {
  expect(stop.run("", commandContext())).toEqual({ reply: "I am not doing anything right now." });
});
