import { expect, it } from "vitest";
import { start } from "#src/commands/start";
import { commandContext } from "#test/support/command-context";

it("greets, and says where help is", () => {
  expect(start.run("", commandContext())).toHaveProperty("reply", expect.stringContaining("/help"));
});
