import { expect, it } from "vitest";
import { logCommands } from "../../../examples/hooks/plugins/log-commands/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { watchLog, worldWith } from "./deploy";

const world = worldWith(logCommands);

it("writes a line for a slash command, and lets it run", async () => {
  const log = await watchLog("log");
  const session = openSession(world(), 78_051);
  await session.say("/title Plans for May");
  await session.shown(1);
  await session.say("no command");
  await session.shown(2);
  const lines = log().filter((line) => line.startsWith('{"command"'));
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { command: "/title", chars: 13, surface: "telegram", user: "7001" },
  ]);
});
