import { expect, it } from "vitest";
import { logToolCalls } from "../../../examples/hooks/plugins/log-tool-calls/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { watchLog, worldWith } from "./deploy";

const world = worldWith(logToolCalls);

it("writes a line for every call, also for one that failed, without what it was called with", async () => {
  const lines = await watchLog("log");
  const session = openSession(world(), 78_031);
  world().say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: "done" }
      : {
          calls: [
            { name: "terminal", arguments: { command: "echo hunter2" } },
            { name: "read_file", arguments: { path: "none.txt" } },
          ],
        };
  await session.say("go");
  await session.shown(1);
  const logged = lines()
    .filter((line) => line.startsWith('{"tool"'))
    .map((line) => JSON.parse(line) as object);
  expect(logged).toMatchObject([
    { tool: "terminal", arguments: ["command"], status: "ok" },
    { tool: "read_file", arguments: ["path"], status: "error" },
  ]);
  expect(JSON.stringify(logged)).not.toContain("hunter2");
});
