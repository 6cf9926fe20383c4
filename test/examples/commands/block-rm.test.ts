import { expect, it } from "vitest";
import { openConfiguration } from "./open-configuration.ts";

const command = (text: string) => ({
  tool: { name: "terminal", kind: "builtin", call_id: "c1" },
  input: { command: text },
});

it.each([
  ["hermes", "block-rm.hermes.yaml"],
  ["starchild", "block-rm.starchild.yaml"],
  ["clawdcode", "block-rm.clawdcode.json"],
  ["claude", "block-rm.claude.json"],
])("refuses rm -rf by one script in the words of %s", async (dialect, file) => {
  const hooks = openConfiguration(file);
  expect(hooks.dialects).toEqual([dialect]);
  expect(await hooks.fire("tool.pre", command("cd x && rm -rf build"))).toMatchObject({
    outcome: "deny",
    reason: expect.stringContaining("rm -rf is not allowed here."),
  });
  expect(await hooks.fire("tool.pre", command("rm old.txt"))).toMatchObject({ outcome: "none" });
  expect(hooks.log).toEqual([]);
});

it("takes hooks of several systems in one list", async () => {
  const hooks = openConfiguration("several.yaml");
  expect(hooks.dialects).toEqual(["claude", "hermes", "native"]);
  expect(await hooks.fire("tool.pre", command("rm -rf build"))).toMatchObject({ outcome: "deny" });
  expect(hooks.log).toEqual([]);
});

it("adds what a command of Claude Code prints to the person's message", async () => {
  const hooks = openConfiguration("today.claude.json");
  const { context } = await hooks.fire("prompt.submit", { prompt: "hello", user_message: "hello" });
  expect(context).toMatch(/^Today is \w+, \d\d \w+ \d{4}\.$/);
});
