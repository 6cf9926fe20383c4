import { expect, it } from "vitest";
import { type SegmentBounds, boundSegment } from "#src/agent/results/bound-segment";
import type { ToolResult } from "#src/domain/message";

const BOUNDS = { maxChars: 1000, turnMaxChars: 2000, previewChars: 50 };
const result = (callId: string, chars: number, name = "terminal"): ToolResult => ({
  callId,
  name,
  content: "x".repeat(chars),
});

/** Bounds results and tells which of them were saved as files. */
async function bound(results: readonly ToolResult[], over: Partial<SegmentBounds> = {}) {
  const spilled: string[] = [];
  const bounded = await boundSegment(results, {
    bounds: BOUNDS,
    usedChars: 0,
    ownMaxChars: (name) => (name === "read_file" ? 3000 : undefined),
    spill: async ({ callId, content }) => {
      spilled.push(`${callId} ${content.length}`);
      return `/workspace/${callId}`;
    },
    ...over,
  });
  return { bounded, spilled };
}

it("leaves results that fit alone", async () => {
  const given = [result("a", 1000), result("b", 1000)];
  const { bounded, spilled } = await bound(given);
  expect(bounded).toEqual(given);
  expect(spilled).toEqual([]);
});

it("spills the longest first, and no more than it must", async () => {
  const { bounded, spilled } = await bound([result("a", 600), result("b", 900), result("c", 700)]);
  expect(spilled).toEqual(["b 900"]);
  expect(bounded.map(({ callId }) => callId)).toEqual(["a", "b", "c"]);
  expect(bounded[1]?.content).toContain("/workspace/b");
});

it("counts what the answer's other results have taken", async () => {
  expect((await bound([result("a", 300), result("b", 200)], { usedChars: 1600 })).spilled).toEqual(["a 300"]);
});

it("spills a result that is too long by itself once", async () => {
  expect((await bound([result("a", 5000)], { usedChars: 5000 })).spilled).toEqual(["a 5000"]);
});

it("never spills what a tool bounds itself, nor what is shorter than a preview", async () => {
  const given = [result("a", 2900, "read_file"), result("b", 50)];
  const { bounded, spilled } = await bound(given, { usedChars: 9000 });
  expect(bounded).toEqual(given);
  expect(spilled).toEqual([]);
  expect((await bound([result("a", 3001, "read_file")])).spilled).toEqual(["a 3001"]);
});
