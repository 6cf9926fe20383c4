import { expect, it } from "vitest";
import { status } from "#src/commands/status";
import { commandContext, RUNNING } from "#test/support/command-context";

it("tells of a quiet conversation", async () => {
  const { reply } = await status.run("", commandContext({ title: "Oslo" }));
  expect(reply?.split("\n")).toEqual([
    "**Title:** `Oslo`",
    "**Session:** `main:telegram:dm:7001`",
    "**Model:** `demo` (demo)",
    "**Messages:** 4, begun 1 h ago",
    "**Tokens:** 1,200 in, 340 out, 2 calls",
    "**Now:** idle",
  ]);
});

it("tells what runs, for how long, and what waits", async () => {
  const { reply } = await status.run("", commandContext({ running: RUNNING, queued: 1 }));
  expect(reply?.split("\n").at(-1)).toBe("**Now:** working for 1 min, 2 steps: `terminal`; 1 message waiting");
});

it("tells that the model was chosen for this conversation", async () => {
  const model = { provider: "openai", name: "gpt-5", isOverride: true };
  expect((await status.run("", commandContext({ model }))).reply).toContain(
    "`gpt-5` (openai), chosen for this conversation",
  );
});
