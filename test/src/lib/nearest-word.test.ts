import { expect, it } from "vitest";
import { nearestWord } from "#src/lib/nearest-word";

const words = ["path", "old_string", "new_string", "limit"];

it.each([
  ["pth", "path"],
  ["Path", "path"],
  ["oldString", "old_string"],
  ["new-string", "new_string"],
  ["file_path", "path"],
  ["limits", "limit"],
])("takes %s for %s", (word, meant) => {
  expect(nearestWord(word, words)).toBe(meant);
});

it.each(["xyz", "", "command"])("takes %j for nothing", (word) => {
  expect(nearestWord(word, words)).toBeUndefined();
});
