import { expect, it } from "vitest";
import { usage } from "#src/commands/usage";
import { commandContext, OWNER } from "#test/support/command-context";

/** A profile port that knows these days, and whether it was asked. */
function portWith(days: readonly string[]) {
  const asked: string[] = [];
  const port = {
    ...commandContext().profilePort,
    usage: async () => {
      asked.push("usage");
      return days.map((day) => ({ day, inputTokens: 1000, outputTokens: 10, calls: 1 }));
    },
  };
  return { port, asked };
}

it("tells the tokens of this conversation, and nothing of others", async () => {
  const { port, asked } = portWith(["2026-11-20"]);
  const result = await usage.run("", commandContext({}, { profilePort: port }));
  expect(result).toEqual({ reply: "**This conversation:** 1,200 tokens in, 340 out, 2 calls" });
  expect(asked).toEqual([]);
});

it("tells what came from the cache", async () => {
  const tokens = { inputTokens: 1200, outputTokens: 340, cachedInputTokens: 1000, calls: 1 };
  const { reply } = await usage.run("", commandContext({ usage: tokens }));
  expect(reply).toContain("1,200 tokens in (1,000 from cache), 340 out, 1 call");
});

it("tells the owner the last seven days, newest first", async () => {
  const { port } = portWith(Array.from({ length: 9 }, (_, i) => `2026-11-0${i + 1}`));
  const { reply } = await usage.run("", commandContext({}, { user: OWNER, profilePort: port }));
  const lines = reply?.split("\n") ?? [];
  expect(lines).toHaveLength(9);
  expect(lines[2]).toBe("- 2026-11-09: 1,000 in, 10 out, 1 call");
});
