import { expect, it } from "vitest";
import { undo } from "#src/commands/undo";
import { commandContext } from "#test/support/command-context";

it.each([
  ["", 1],
  ["1", 1],
  ["3", 3],
  ["100", 100],
])("takes back for %j %i exchanges", (args, turns) => {
  expect(undo.run(args, commandContext())).toMatchObject({ effects: [{ type: "undo", turns }] });
});

it.each(["0", "101", "-1", "1.5", "two", "1e1", "0x1", "9".repeat(400)])(
  "refuses %j and says what it takes",
  (args) => {
    const result = undo.run(args, commandContext());
    expect(result).not.toHaveProperty("effects");
    expect(result).toHaveProperty("reply", expect.stringContaining("Say `/undo`, or `/undo 3`; at most 100."));
  },
);

it("says so when there is nothing to take back", () => {
  expect(undo.run("", commandContext({ messageCount: 0 }))).toEqual({ reply: "There is nothing to take back yet." });
});
