import { expect, it } from "vitest";
import { today } from "../../../examples/hooks/plugins/today/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { configured, worldWith } from "./deploy";

const world = worldWith(configured(today, { time_zone: "Europe/Berlin", notes: ["Ada is on call."] }));

it("tells the model the day with the message, and keeps it out of the transcript", async () => {
  const session = openSession(world(), 78_021);
  world().say = () => ({ text: "hi" });
  await session.say("hello");
  await session.shown(1);
  const asked = JSON.stringify(world().asked[0]?.messages);
  expect(asked).toMatch(/Today is \w+, \d+ \w+ \d{4} at \d\d:\d\d \(Europe\/Berlin\)/);
  expect(asked).toContain("Ada is on call.");
  expect(JSON.stringify(await session.transcript())).not.toContain("on call");
});

it.each([
  [78_022, "Asia/Tokyo", /^\w+, \d+ \w+ \d{4} at \d\d:\d\d$/],
  [78_023, "Mars/Base", /There is no time zone/],
])("has a tool for the time elsewhere (%i: %s)", async (chat, zone, expected) => {
  const session = openSession(world(), chat);
  world().say = (asked) => {
    const last = asked.messages.at(-1);
    return last?.role === "tool"
      ? { text: String(last.content) }
      : { calls: [{ name: "time_in", arguments: { time_zone: zone } }] };
  };
  await session.say("what time is it there?");
  expect((await session.shown(1))[0]).toMatch(expected);
});
