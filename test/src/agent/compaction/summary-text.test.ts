import { expect, it } from "vitest";
import { joinKept, readSummary, renderSummary } from "#src/agent/compaction/summary-text";

it("says that a summary is a record and where it ends", () => {
  const text = renderSummary({ body: "## Goal\nTea.", kept: ["Mo is a cat."] });
  expect(text).toMatch(/^\[CONTEXT COMPACTION: REFERENCE ONLY\]/);
  expect(text).toContain("## Goal\nTea.\n\n## Kept Word for Word\nMo is a cat.\n\n[END OF THE SUMMARY");
});

it("takes fences and our own marks off what a model wrote", () => {
  expect(readSummary("```markdown\n## Goal\nTea.\n```", 2000)).toBe("## Goal\nTea.");
  expect(readSummary(renderSummary({ body: "## Goal\nTea.", kept: [] }), 2000)).toBe("## Goal\nTea.");
  expect(readSummary("<summary_so_far>\n## Goal\n</summary_so_far>", 2000)).toBe("## Goal");
});

it("takes neither nothing nor a refusal for a summary", () => {
  expect(readSummary("  \n", 2000)).toBeUndefined();
  expect(readSummary("I'm sorry, I can't do that.", 2000)).toBeUndefined();
  expect(readSummary("x".repeat(200), 2000)).toHaveLength(200);
});

it("cuts a summary that is longer than it may be", () => {
  const cut = readSummary(`## Goal\n${"é".repeat(20_000)}`, 2000) ?? "";
  expect(new TextEncoder().encode(cut).length).toBeLessThanOrEqual(8000);
  expect(cut).toContain("left out");
});

it("keeps each text once, and the newest when there is not room for all", () => {
  expect(joinKept(["a", "b"], ["b ", "", "c"])).toEqual(["a", "b", "c"]);
  expect(joinKept(["x".repeat(5000)], ["y".repeat(5000)])).toEqual(["y".repeat(5000)]);
  expect(joinKept([], ["z".repeat(9000)])[0]).toHaveLength(8000);
});
