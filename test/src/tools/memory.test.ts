import { expect, it } from "vitest";
import { GatewayError } from "#src/domain/errors";
import type { MemoryStore } from "#src/domain/tool";
import { memory } from "#src/tools/memory";
import { memoryStore, runTool, toolContext } from "../../support/tool-context";

it("adds, replaces and removes entries", async () => {
  const store = memoryStore({ user: ["likes tea"] });
  const context = toolContext({ memory: store });
  await runTool(memory, { action: "add", target: "user", content: "lives in Oslo" }, context);
  await runTool(memory, { action: "replace", target: "user", old_text: "tea", new_text: "likes coffee" }, context);
  const result = await runTool(memory, { action: "remove", target: "user", old_text: "Oslo" }, context);
  expect(await store.read("user")).toEqual(["likes coffee"]);
  expect(JSON.parse(result.content)).toEqual({
    result: "Entry removed.",
    target: "user",
    current_entries: ["likes coffee"],
    usage: "1% - 12/1,375 chars",
  });
});

it("makes all operations or none", async () => {
  const store = memoryStore({ memory: ["a fact"] });
  const operations = [
    { action: "remove", old_text: "fact" },
    { action: "replace", old_text: "nowhere", content: "x" },
  ];
  const result = await runTool(memory, { operations }, toolContext({ memory: store }));
  expect(result.isError).toBe(true);
  expect(await store.read("memory")).toEqual(["a fact"]);
});

it("answers with entries and usage when the document would be too long", async () => {
  const store = memoryStore({ user: ["x".repeat(1300)] });
  const result = await runTool(
    memory,
    { action: "add", target: "user", content: "y".repeat(100) },
    toolContext({ memory: store }),
  );
  expect(result.isError).toBe(true);
  expect(JSON.parse(result.content)).toMatchObject({
    error: expect.stringContaining("1403 of 1375"),
    current_entries: ["x".repeat(1300)],
    usage: "95% - 1,300/1,375 chars",
  });
});

it("answers so too for an entry that alone is too long", async () => {
  const result = await runTool(memory, { action: "add", content: "y".repeat(2201) }, toolContext());
  expect(JSON.parse(result.content)).toMatchObject({
    error: expect.stringContaining("2201 of 2200"),
    current_entries: [],
  });
});

it("tries once more on what another session wrote meanwhile", async () => {
  const store = memoryStore();
  let isFirst = true;
  const contested: MemoryStore = {
    read: (target) => store.read(target),
    write: async (target, entries, expected) => {
      if (isFirst) {
        isFirst = false;
        await store.write(target, ["theirs"], []);
      }
      return store.write(target, entries, expected);
    },
  };
  await runTool(memory, { action: "add", content: "ours" }, toolContext({ memory: contested }));
  expect(await store.read("memory")).toEqual(["theirs", "ours"]);
});

it("gives up with an error when it loses twice", async () => {
  const store: MemoryStore = {
    read: async () => [],
    write: async () => {
      throw new GatewayError("conflict", "It has changed.");
    },
  };
  const result = await runTool(memory, { action: "add", content: "ours" }, toolContext({ memory: store }));
  expect(result).toEqual({ content: "It has changed.", isError: true });
});

it("does not write when nothing changes", async () => {
  const store: MemoryStore = {
    read: async () => ["known"],
    write: async () => {
      throw new TypeError("written");
    },
  };
  const result = await runTool(memory, { action: "add", content: "known" }, toolContext({ memory: store }));
  expect(result.isError).toBeUndefined();
});

it("refuses a call that says nothing, or both ways at once", async () => {
  expect((await runTool(memory, {}, toolContext())).isError).toBe(true);
  const both = { action: "add", content: "a", operations: [{ action: "add", content: "b" }] };
  expect((await runTool(memory, both, toolContext())).isError).toBe(true);
});
