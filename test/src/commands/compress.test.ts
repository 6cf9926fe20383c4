import { expect, it, vi } from "vitest";
import { compress } from "#src/commands/compress";
import { commandContext } from "../../support/command-context";

it.each([
  ["", {}],
  ["--preview", { isPreview: true }],
  ["here", { keepTurns: 2 }],
  ["here 5", { keepTurns: 5 }],
  ["the moons of Mars", { focus: "the moons of Mars" }],
  ["hereafter", { focus: "hereafter" }],
])("reads %j as a wish", async (args, wish) => {
  const asked = vi.fn(async () => "done");
  expect(await compress.run(args, commandContext({}, { compress: asked }))).toEqual({ reply: "done" });
  expect(asked).toHaveBeenCalledExactlyOnceWith(wish);
});
