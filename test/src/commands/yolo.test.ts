import { expect, it } from "vitest";
import { yolo } from "#src/commands/yolo";
import { commandContext } from "../../support/command-context";

it.each([
  ["on", false, true],
  ["off", true, false],
  ["", false, true],
  ["", true, false],
])("reads %j, when it is %s, as %s", async (args, isYolo, isOn) => {
  const { effects } = await yolo.run(args, commandContext({ isYolo }));
  expect(effects).toEqual([{ type: "set_yolo", isOn }]);
});

it("is the owner's alone, and says when it does not understand", async () => {
  expect(yolo.ownerOnly).toBe(true);
  expect(await yolo.run("maybe", commandContext())).toEqual({ reply: "Use `/yolo`, `/yolo on` or `/yolo off`." });
});
