import { expect, it } from "vitest";
import { blockRm } from "../../../examples/hooks/plugins/block-rm/plugin";
import { openSession } from "../../durable-objects/session-driver";
import { worldWith } from "./deploy";

const world = worldWith(blockRm);

/** What the model reads of a command that it ran. */
async function told(chat: number, command: string): Promise<string> {
  const session = openSession(world(), chat);
  world().say = (asked) => {
    const last = asked.messages.at(-1);
    return last?.role === "tool"
      ? { text: String(last.content) }
      : { calls: [{ name: "terminal", arguments: { command } }] };
  };
  await session.say("go");
  return (await session.shown(1))[0] ?? "";
}

it.each([
  [78_001, "rm -rf build"],
  [78_002, "cd x && /bin/rm -f -R build"],
  [78_003, "echo a; rm build --force --recursive"],
])("refuses to delete by force (%i: %s)", async (chat, command) => {
  expect(await told(chat, command)).toContain("rm -rf is not allowed here.");
});

it.each([
  [78_004, "echo rm; echo -rf"],
  [78_005, "ls"],
])("lets other commands run (%i: %s)", async (chat, command) => {
  expect(await told(chat, command)).toContain('"exit_code":0');
});
