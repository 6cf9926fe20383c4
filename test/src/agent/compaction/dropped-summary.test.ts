import { beforeEach, expect, it } from "vitest";
import { droppedSummary } from "#src/agent/compaction/dropped-summary";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

const same = (text: string): string => text;

it("says that messages were dropped, and what can be said without understanding them", () => {
  const rows = [
    says("build the\n boat"),
    says("/help", { kind: "command" }),
    calls(["a", "b"], { name: "write_file", arguments: '{"path":"/workspace/boat.txt"}' }),
    results(["a"], "x", { name: "write_file" }),
    results(["b"], "x", { name: "write_file", isError: true }),
    answers("It floats."),
  ];
  const text = droppedSummary(rows, "## Goal\nA fleet.", same);
  expect(text).toContain("5 earlier messages were left out");
  expect(text).toContain("## Goal\nA fleet.");
  expect(text).toContain("- build the boat");
  expect(text).toContain("- write_file: 2 calls, 1 failed");
  expect(text).toContain("- /workspace/boat.txt");
  expect(text).toContain("It floats.");
});

it("stays short whatever was dropped, and holds no secret", () => {
  const rows = Array.from({ length: 500 }, () => says(`secret ${"long words ".repeat(900)}`));
  const text = droppedSummary(rows, "e".repeat(50_000), (words) => words.replaceAll("secret", "[REDACTED]"));
  expect(new TextEncoder().encode(text).length).toBeLessThanOrEqual(8000);
  expect(text).not.toContain("secret");
});
