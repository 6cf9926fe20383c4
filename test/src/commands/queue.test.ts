import { expect, it } from "vitest";
import { queue } from "#src/commands/queue";
import { commandContext, RUNNING } from "#test/support/command-context";

it("puts words behind the running turn, and says how many are before them", () => {
  expect(queue.run("then sing", commandContext({ running: RUNNING, queued: 2 }))).toEqual({
    reply: "⏳ That comes next, after 2 other messages.",
    effects: [{ type: "queue", text: "then sing" }],
  });
});

it("lets the answer speak when nothing runs", () => {
  expect(queue.run("sing", commandContext())).toEqual({ effects: [{ type: "queue", text: "sing" }] });
});

it("asks for words when there are none", () => {
  expect(queue.run("", commandContext())).toEqual({ reply: "What shall I do next? `/queue Then send it to Ada`" });
});
