import { beforeEach, expect, it } from "vitest";
import { clearOldResults, cutArguments } from "#src/agent/compaction/clear-results";
import { answers, calls, newConversation, results, says } from "../../../support/compaction-rows";

beforeEach(newConversation);

const LONG = `begins here ${"x".repeat(3000)}`;

it("makes one line of an old result, with how it went and how it began", () => {
  const rows = [calls(["a"]), results(["a"], LONG, { isError: true }), answers("done")];
  const [, cleared] = clearOldResults(rows, 3);
  expect(cleared?.toolResults?.[0]).toMatchObject({ callId: "a", isError: true });
  expect(cleared?.toolResults?.[0]?.content).toMatch(
    /terminal failed with 3012 characters, beginning: begins here x+…\]$/,
  );
});

it("leaves short results, later rows and everything else alone", () => {
  const rows = [says("hi"), calls(["a"]), results(["a"], "short"), calls(["b"]), results(["b"], LONG)];
  const cleared = clearOldResults(rows, 4);
  for (const [index, row] of rows.entries()) expect(cleared[index]).toBe(row);
});

it("keeps the last of several equal results", () => {
  const rows = [calls(["a"]), results(["a"], LONG), calls(["b"]), results(["b"], LONG)];
  const contents = clearOldResults(rows, 0).flatMap((row) => (row.toolResults ?? []).map(({ content }) => content));
  expect(contents).toEqual([expect.stringContaining("came again further down"), LONG]);
});

it("says how to have the text of a skill back", () => {
  const rows = [
    calls(["a"], { name: "skill_view", arguments: '{"name": "charts"}' }),
    results(["a"], "x".repeat(5001), { name: "skill_view" }),
  ];
  expect(clearOldResults(rows, 2)[1]?.toolResults?.[0]?.content).toContain("skill_view(name='charts')");
});

it("cuts long texts in old arguments, which stay valid JSON, and drops what was signed with them", () => {
  const state = { provider: "p", model: "m", data: "{}" };
  const args = JSON.stringify({ path: "a.txt", content: "x".repeat(900), list: ["y".repeat(300)] });
  const [row] = clearOldResults([calls(["a"], { arguments: args }, { providerState: state })], 1);
  const cut = JSON.parse(row?.toolCalls?.[0]?.arguments ?? "");
  expect(cut.path).toBe("a.txt");
  expect(cut.content).toMatch(/^x{200}… \[700 more characters\]$/);
  expect(cut.list[0]).toHaveLength(223);
  expect(row).not.toHaveProperty("providerState");
});

it("keeps what was signed with calls that are not changed", () => {
  const state = { provider: "p", model: "m", data: "{}" };
  const rows = [calls(["a"], {}, { providerState: state })];
  expect(clearOldResults(rows, 1)[0]).toBe(rows[0]);
});

it("cuts arguments that are no JSON to some that are", () => {
  const cut = cutArguments({ id: "a", name: "t", arguments: `{"x": ${"y".repeat(500)}` });
  expect(JSON.parse(cut.arguments)).toEqual({ cut: expect.stringContaining('{"x": yyy') });
});

it("names old pictures instead of showing them", () => {
  const row = says("look", {
    attachments: [
      { kind: "image", mediaKey: "k" },
      { kind: "file", path: "/a" },
    ],
  });
  const [cleared] = clearOldResults([row], 1);
  expect(cleared?.attachments).toEqual([
    { kind: "image", mediaKey: "k", problem: "it was cleared to save room" },
    { kind: "file", path: "/a" },
  ]);
});
