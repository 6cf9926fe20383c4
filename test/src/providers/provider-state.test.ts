import { expect, it } from "vitest";
import type { ModelMessage } from "#src/domain/provider";
import { placeBlocks, readState, shortHash, writeState } from "#src/providers/provider-state";

const CALL = { id: "a", name: "ls", arguments: "{}" };
const BLOCKS = { blocks: [{ kept: 1 }, { text: 3 }, { kept: 2 }, { call: true }, { text: 2, phase: "end" }] };

function message(content: string, calls = [CALL]): Extract<ModelMessage, { readonly role: "assistant" }> {
  return { role: "assistant", content, toolCalls: calls, state: writeState("p", "m", BLOCKS) };
}

it("puts an answer together as it was", () => {
  expect(placeBlocks(message("abcde"), BLOCKS)).toEqual([
    { type: "kept", value: 1 },
    { type: "text", text: "abc" },
    { type: "kept", value: 2 },
    { type: "call", call: CALL },
    { type: "text", text: "de", phase: "end" },
  ]);
});

it.each([
  ["another text", message("other text")],
  ["fewer calls", message("abcde", [])],
  ["more calls", message("abcde", [CALL, CALL])],
])("puts what was kept before %s", (_what, changed) => {
  const placed = placeBlocks(changed, BLOCKS);
  expect(placed.slice(0, 3)).toEqual([
    { type: "kept", value: 1 },
    { type: "kept", value: 2 },
    { type: "text", text: changed.content },
  ]);
  expect(placed.filter((block) => block.type === "call")).toHaveLength(changed.toolCalls?.length ?? 0);
});

it("has text and calls of an answer without a state", () => {
  expect(placeBlocks(message("x"), undefined)).toEqual([
    { type: "text", text: "x" },
    { type: "call", call: CALL },
  ]);
});

it("reads a state for its own provider and model alone, and bears one that is broken", () => {
  expect(readState(message("x"), "p", { model: "m" })).toEqual(BLOCKS);
  expect(readState(message("x"), "q", { model: "m" })).toBeUndefined();
  expect(readState(message("x"), "p", { model: "n" })).toBeUndefined();
  expect(readState({ role: "user", content: "x" }, "p", { model: "m" })).toBeUndefined();
  const broken: ModelMessage = { role: "assistant", content: "", state: { provider: "p", model: "m", data: "{" } };
  expect(readState(broken, "p", { model: "m" })).toBeUndefined();
});

it("tells texts apart by a short name", () => {
  const names = ["", "a", "b", "ab", "ba", "a".repeat(1000), "a".repeat(1001)].map(shortHash);
  expect(new Set(names).size).toBe(names.length);
  expect(names.every((name) => /^[0-9a-f]{16}$/.test(name))).toBe(true);
});
