import { expect, it } from "vitest";
import { refuseFalseDone } from "../../../examples/hooks/plugins/refuse-false-done/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { lastWords } from "../../support/world";
import { worldWith } from "./deploy";

const world = worldWith(refuseFalseDone);

it("does not take a claim that nothing was done for, and the agent goes on", async () => {
  const session = openSession(world(), 78_061);
  world().say = (asked) => {
    const last = asked.messages.at(-1);
    if (last?.role === "tool") return { text: "Now I ran them: all tests pass." };
    if (JSON.stringify(asked.messages).includes("you ran no command"))
      return { calls: [{ name: "terminal", arguments: { command: "echo 3 passed" } }] };
    return { text: "Done, all tests pass." };
  };
  await session.say("fix it");
  expect(await session.shown(1)).toEqual(["Now I ran them: all tests pass."]);
  expect(world().asked).toHaveLength(3);
});

it("lets other answers through", async () => {
  const session = openSession(world(), 78_062);
  world().say = (asked) => ({ text: `I looked at: ${lastWords(asked)}` });
  await session.say("what is in it?");
  expect(await session.shown(1)).toEqual(["I looked at: what is in it?"]);
  expect(world().asked).toHaveLength(1);
});
