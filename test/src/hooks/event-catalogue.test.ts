import { expect, it } from "vitest";
import { HOOK_EVENTS } from "#src/domain/hook-event";
import { eventCatalogue } from "#src/hooks/event-catalogue";

it("lists every event once, with what other systems call it", () => {
  const events = eventCatalogue();
  expect(events.map(({ name }) => name)).toEqual(Object.keys(HOOK_EVENTS));
  const gate = events.find(({ name }) => name === "tool.pre");
  expect(gate?.names).toMatchObject({
    hermes: ["pre_tool_call"],
    starchild: ["pre_tool_call"],
    clawdcode: ["PreToolUse"],
    claude: ["PreToolUse"],
  });
  expect(gate?.answers).toEqual(expect.arrayContaining(["decision", "input", "context"]));
});

it("says which moments do not exist here", () => {
  const absent = eventCatalogue().filter((one) => one.absent === true);
  expect(absent.map(({ name }) => name)).toContain("worktree.create");
  expect(absent.map(({ name }) => name)).not.toContain("tool.pre");
});
