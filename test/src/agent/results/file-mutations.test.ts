import { beforeEach, expect, it } from "vitest";
import { fileMutations, mutationFooter, writtenPaths } from "#src/agent/results/file-mutations";
import { GatewayError } from "#src/domain/errors";
import type { Message } from "#src/domain/message";
import type { AnyTool } from "#src/domain/tool";
import { calls, newConversation, results } from "../../../support/compaction-rows";
import { fakeTool } from "../../../support/scripted-turn";

beforeEach(newConversation);

const write: AnyTool = {
  ...fakeTool("write_file", async () => ({ content: "" }), {
    parallel: { access: "write", paths: ({ path }: { path: string }) => [path] },
  }),
  parse(input: unknown) {
    if (typeof input !== "object" || input === null || !("content" in input))
      throw new GatewayError("bad_request", "no");
    return input;
  },
};
const read = fakeTool("read_file", async () => ({ content: "" }), {
  parallel: { access: "read", paths: ({ path }: { path: string }) => [path] },
});
const toolOf = (name: string): AnyTool | undefined => [write, read].find((tool) => tool.name === name);

let count = 0;
function wrote(path: string, isError = false, name = "write_file"): readonly Message[] {
  const id = `w${count++}`;
  const args = JSON.stringify({ path, content: "x" });
  return [
    calls([id], { name, arguments: args }, { turnId: 1 }),
    results([id], isError ? `No room for ${path}.\nMore words.` : "Created.", { name, isError }, { turnId: 1 }),
  ];
}

it("tells files that were written from those that were not", () => {
  const rows = [
    ...wrote("a.txt"),
    ...wrote("/workspace/b/../c.txt", true),
    ...wrote("a.txt"),
    ...wrote("x", false, "read_file"),
  ];
  expect(fileMutations(rows, 1, toolOf)).toEqual({
    changed: ["/workspace/a.txt"],
    failed: [{ path: "/workspace/c.txt", reason: "No room for /workspace/b/../c.txt." }],
  });
  expect(fileMutations(rows, 2, toolOf)).toEqual({ changed: [], failed: [] });
});

it("forgets a failure when a later try succeeds, and remembers one that came after a success", () => {
  expect(fileMutations([...wrote("a", true), ...wrote("a")], 1, toolOf).failed).toEqual([]);
  expect(fileMutations([...wrote("a"), ...wrote("/workspace/a", true)], 1, toolOf)).toMatchObject({
    changed: ["/workspace/a"],
    failed: [{ path: "/workspace/a" }],
  });
});

it("knows the file of a call whose arguments its tool refused, and none of broken ones", () => {
  const call = { id: "a", name: "write_file", arguments: '{"path":"a.txt"}' };
  expect(writtenPaths(call, write)).toEqual(["/workspace/a.txt"]);
  for (const args of ["{", "null", "[]", '"path"', '{"path":7}'])
    expect(writtenPaths({ ...call, arguments: args }, write)).toEqual([]);
  expect(writtenPaths(call, undefined)).toEqual([]);
});

it("says below the answer which files were not changed, and nothing when all were", () => {
  expect(mutationFooter({ failed: [] })).toBeUndefined();
  expect(mutationFooter({ failed: [{ path: "/workspace/a", reason: "No room." }] })).toBe(
    "⚠️ 1 file was not changed as intended, whatever is said above:\n- `/workspace/a`: No room.",
  );
  const many = Array.from({ length: 7 }, (_, n) => ({ path: `/${n}`, reason: "no" }));
  expect(mutationFooter({ failed: many })?.split("\n")).toHaveLength(7);
  expect(mutationFooter({ failed: many })).toMatch(/^⚠️ 7 files were not .*\n- and 2 more$/s);
});
