import { expect, it } from "vitest";
import { hooks } from "#src/commands/hooks";
import { commandContext, OWNER } from "#test/support/command-context";

it("hands on what stands behind it, and answers with what comes back", async () => {
  const asked: string[] = [];
  const answer = async (args: string): Promise<string> => {
    asked.push(args);
    return "Hooks are on. 0 hooks.";
  };
  const result = await hooks.run("list tool.pre", commandContext({}, { user: OWNER, hooks: answer }));
  expect(asked).toEqual(["list tool.pre"]);
  expect(result).toEqual({ reply: "Hooks are on. 0 hooks." });
});

it("is the owner's alone, and does not wait for a turn that runs", () => {
  expect(hooks.ownerOnly).toBe(true);
  expect(hooks.busy).toBe("dispatch");
});
