import { expect, it } from "vitest";
import { parseCommand } from "#src/commands/parse-command";
import { commands } from "#src/commands/registry";
import { commandContext, OWNER, RUNNING } from "#test/support/command-context";

it("gives every command names of its own, which can be typed", () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(parseCommand(`/${name}`)).toEqual({ name, args: "" });
});

it("tells while a turn runs which commands run beside it, stop it or wait", () => {
  const byPolicy = Object.groupBy(commands, (command) => command.busy);
  const names = (policy: "dispatch" | "interrupt" | "reject") => byPolicy[policy]?.map(({ name }) => name).sort();
  expect(names("interrupt")).toEqual(["new", "stop"]);
  expect(names("dispatch")).toEqual([
    "approve",
    "deny",
    "help",
    "hooks",
    "pairing",
    "queue",
    "start",
    "status",
    "steer",
    "yolo",
  ]);
  expect(names("reject")).toEqual(["compress", "model", "retry", "title", "undo", "usage", "whoami"]);
});

const HOSTILE = [
  "",
  " ",
  "-1",
  "0",
  "x".repeat(10_000),
  "`](javascript:1)\n\u202E**",
  "--global",
  `--${"x".repeat(10_000)}`,
  "__proto__",
  "\ud800",
  "a b c d",
];

it.each(commands.map((command) => [command.name, command] as const))(
  "/%s answers or acts on whatever it is given",
  async (_, command) => {
    for (const args of HOSTILE) {
      for (const context of [
        commandContext(),
        commandContext({ running: RUNNING, queued: 3 }),
        commandContext({ messageCount: 0 }, { user: OWNER }),
      ]) {
        const { reply = "", effects = [] } = await command.run(args, context);
        expect(reply.length + effects.length, `/${command.name} ${args.slice(0, 20)}`).toBeGreaterThan(0);
        expect(reply.length).toBeLessThan(2000);
        expect(reply).not.toMatch(/\u202E/);
      }
    }
  },
);
