import { expect, it } from "vitest";
import { repairName } from "#src/agent/recovery/repair-name";

const TOOLS = ["terminal", "read_file", "write_file", "patch", "search_files", "todo", "memory", "clarify"];

it.each([
  ["read_file", "read_file"],
  ["functions.read_file", "read_file"],
  ["functions.read_file:3", "read_file"],
  ["tools/terminal", "terminal"],
  ["default_api.patch", "patch"],
  ["Read_File", "read_file"],
  ["readFile", "read_file"],
  ["read-file", "read_file"],
  ["TodoTool", "todo"],
  ["memory_tool", "memory"],
  ["terminal()", "terminal"],
  ["terminal<|channel|>commentary", "terminal"],
  ['"patch"', "patch"],
  ["serch_files", "search_files"],
  ["terminl", "terminal"],
  ["write_flie", "write_file"],
])("knows what %s was meant to be", (name, meant) => {
  expect(repairName(name, TOOLS)).toBe(meant);
});

it.each([
  "memory_search",
  "file",
  "terminal_output",
  "delete_file",
  "web_search",
  "bash",
  "tod",
  "",
  "x",
  "constructor",
  "search",
])("takes %j for no tool of ours", (name) => {
  expect(repairName(name, TOOLS)).toBeUndefined();
});

it("does not choose between two tools that are as near", () => {
  expect(repairName("send_massage", ["send_message", "send_massive"])).toBeUndefined();
  expect(repairName("READ_FILE", ["read_file", "readfile"])).toBeUndefined();
});
