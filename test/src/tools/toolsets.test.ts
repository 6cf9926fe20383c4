import { expect, it } from "vitest";
import type { AnyTool } from "#src/domain/tool";
import { tools } from "#src/tools/registry";
import { resolveToolsets } from "#src/tools/toolsets";

const named = (names: readonly string[], from: readonly AnyTool[] = tools): string[] =>
  resolveToolsets(names, from).map(({ name }) => name);

it("resolves a toolset that tools name themselves", () => {
  expect(named(["file"])).toEqual(["read_file", "write_file", "patch", "search_files"]);
});

it.each(["all", "*"])("takes %s for every tool", (name) => {
  expect(named([name])).toEqual(tools.map((tool) => tool.name));
});

it("gives each tool once, in the registry's order", () => {
  expect(named(["clarify", "todo", "coding", "core"])).toEqual(named(["core"]));
});

it("lets webhooks only ask", () => {
  expect(named(["hermes-webhook"])).toEqual(["clarify"]);
});

it("follows inclusions and leaves out what a toolset excludes", () => {
  expect(named(["hermes-api-server"])).toEqual(named(["core"]).filter((name) => name !== "clarify"));
});

it("keeps files and shell out of the safe toolset", () => {
  const toolsets = resolveToolsets(["safe"], tools).map((tool) => tool.toolset);
  expect(toolsets).not.toContain("file");
  expect(toolsets).not.toContain("terminal");
});

it("adds nothing for names that nobody knows, not even those of object members", () => {
  expect(named(["constructor", "web", "__proto__", ""])).toEqual([]);
});

it("finds the toolset of a tool that was added", () => {
  const [first] = tools;
  const added = { ...first, name: "x", toolset: "mcp-docs" } as AnyTool;
  expect(named(["mcp-docs"], [...tools, added])).toEqual(["x"]);
});
