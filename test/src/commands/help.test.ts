import { expect, it } from "vitest";
import { help } from "#src/commands/help";
import { commandContext, OWNER } from "#test/support/command-context";

async function reply(args: string, rest = {}): Promise<string> {
  return (await help.run(args, commandContext({}, rest))).reply ?? "";
}

it("lists every command that the person may use", async () => {
  const listed = Array.from((await reply("")).matchAll(/^- `\/(\w+)/gm), ([, name]) => name);
  expect(listed.join(" ")).toBe(
    "new retry undo compress title stop queue steer approve deny status model usage whoami help start",
  );
});

it("lists the owner's commands for the owner", async () => {
  expect(await reply("", { user: OWNER })).toContain("- `/pairing approve CODE`");
});

it.each(["queue", "/queue", "q", "QUEUE more"])("explains /queue for %j", async (args) => {
  expect(await reply(args)).toBe(
    "`/queue text`: Say something for after what I am doing now.\nAlso: /q\nWorks while I am busy.",
  );
});

it("asks whether a near command was meant", async () => {
  expect(await reply("statsu")).toBe("There is no command `statsu`. Did you mean /status?");
});

it("names all of them when none is near", async () => {
  expect(await reply("xyzzy")).toContain("There are: /new, /retry");
});

it("knows nothing of the owner's commands for others", async () => {
  expect(await reply("pairing")).toContain("There is no command `pairing`.");
});
