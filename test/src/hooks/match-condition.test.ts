import { expect, it } from "vitest";
import { conditionMatcher } from "#src/hooks/match-condition";
import { occurrenceOf } from "../../support/hook-fixtures";

function holds(condition: string, name: string, input: object): boolean {
  const common = { session_id: "s", session_key: "k", agent_id: "a", surface: "web", cwd: "/p" };
  const data = { tool: { name, kind: "builtin", call_id: "c" }, input: { ...input } };
  return conditionMatcher(condition)(occurrenceOf("tool.pre", data, { common }));
}

it.each([
  ["Bash(git *)", "git status", true],
  ["Bash(git *)", "git", true],
  ["Bash(git *)", "gitk", false],
  ["Bash(npm run test:*)", "npm run test -- -u", true],
  ["Bash(rm *)", "ls && rm -rf x", true],
  ["Bash(rm *)", "FOO=1 BAR='a b' rm x", true],
  ["Bash(rm *)", "echo $(rm x)", true],
  ["Bash(rm *)", "echo `rm x`", true],
  ["Bash(rm *)", "echo rm x", false],
  ["Bash(git *push*)", "git status; echo push", false],
  ["Bash(rm *)", "echo 'never closed", true],
  ["Bash", "anything", true],
  ["Bash(*)", "anything", true],
])("%s on %s: %s", (condition, command, isMatch) => {
  expect(holds(condition, "terminal", { command })).toBe(isMatch);
});

it("looks at files from the working directory, from the root and by name", () => {
  expect(holds("Edit(src/**)", "patch", { path: "/p/src/a/b.ts" })).toBe(true);
  expect(holds("Edit(src/**)", "patch", { path: "/other/src/a.ts" })).toBe(false);
  expect(holds("Read(//etc/**)", "read_file", { path: "/etc/passwd" })).toBe(true);
  expect(holds("Write(*.ts)", "write_file", { path: "deep/a.ts" })).toBe(true);
  expect(holds("Read(*.ts)", "write_file", { path: "a.ts" })).toBe(false);
});

it("looks at hosts, kinds of agents and tools of servers", () => {
  expect(holds("WebFetch(domain:example.com)", "web_extract", { urls: ["https://example.com/a"] })).toBe(true);
  expect(holds("WebFetch(domain:example.com)", "web_extract", { urls: ["https://evil.test/?example.com"] })).toBe(
    false,
  );
  expect(holds("Task(Explore)", "delegate_task", { goal: "x", subagent_type: "Explore" })).toBe(true);
  expect(holds("mcp__db__*", "mcp__db__query", {})).toBe(true);
});

it("never holds for what is no tool call", () => {
  expect(conditionMatcher("Bash(*)")({ ...occurrenceOf("prompt.submit"), data: { prompt: "x" } })).toBe(false);
});
