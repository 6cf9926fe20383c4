import { expect, it } from "vitest";
import { inputToOurs, namesOf, toOurs, toTheirs } from "#src/hooks/translate-tool";

it.each([
  [
    "terminal",
    { command: "ls", timeout: 5, background: true, note: 1 },
    "Bash",
    { command: "ls", timeout: 5000, run_in_background: true, note: 1 },
  ],
  ["read_file", { path: "a.ts" }, "Read", { file_path: "/w/a.ts" }],
  ["write_file", { path: "~/a", content: "x" }, "Write", { file_path: "~/a", content: "x" }],
  ["patch", { mode: "replace", path: "/a", old_string: "x" }, "Edit", { file_path: "/a", old_string: "x" }],
  ["patch", { mode: "patch", patch: "***" }, "patch", { mode: "patch", patch: "***" }],
  ["search_files", { pattern: "x", target: "content" }, "Grep", { pattern: "x" }],
  ["search_files", { pattern: "*.ts", target: "files" }, "Glob", { pattern: "*.ts" }],
  ["web_extract", { urls: ["https://a", "https://b"] }, "WebFetch", { url: "https://a" }],
  ["delegate_task", { goal: "g" }, "Agent", { prompt: "g" }],
  ["clarify", {}, "AskUserQuestion", {}],
  ["mcp__db__query", { sql: "x" }, "mcp__db__query", { sql: "x" }],
])("calls %s with %j %s", (name, input, theirs, written) => {
  expect(toTheirs({ name, input }, "claude", "/w")).toEqual({ name: theirs, input: written });
});

it("writes for Starchild's tools", () => {
  expect(
    toTheirs({ name: "patch", input: { path: "a", old_string: "x", replace_all: true } }, "starchild", "/w"),
  ).toEqual({
    name: "edit_file",
    input: { path: "a", old_string: "x" },
  });
  expect(toTheirs({ name: "send_message", input: { text: "x", target: "wechat:1" } }, "starchild", "").name).toBe(
    "send_to_wechat",
  );
  expect(toTheirs({ name: "send_message", input: { text: "x" } }, "starchild", "").name).toBe("send_to_telegram");
});

const whole = { vocabulary: "claude", cwd: "/w", isWhole: true } as const;

it("keeps what a hook gave back as it got it, and what its tool has no place for", () => {
  const shown = { name: "patch", input: { mode: "replace", path: "a.ts", old_string: "x", new_string: "y" } };
  const sent = { file_path: "/w/a.ts", old_string: "x", new_string: "z" };
  expect(inputToOurs(sent, shown, whole)).toEqual({ mode: "replace", path: "a.ts", old_string: "x", new_string: "z" });
});

it("keeps the rest of a list of addresses", () => {
  const shown = { name: "web_extract", input: { urls: ["https://a", "https://b"] } };
  expect(inputToOurs({ url: "https://c" }, shown, whole)).toEqual({ urls: ["https://c", "https://b"] });
});

it("reads units back and drops what a whole rewrite left out", () => {
  const shown = { name: "terminal", input: { command: "ls", timeout: 5 } };
  expect(inputToOurs({ timeout: 1500 }, shown, whole)).toEqual({ timeout: 1.5 });
  expect(inputToOurs({ file_path: "x" }, { name: "todo", input: {} }, whole)).toEqual({ file_path: "x" });
});

it("reads calls of other systems, by older names too", () => {
  expect(toOurs({ name: "Glob", input: { pattern: "*" } }, "claude")).toEqual({
    name: "search_files",
    input: { target: "files", pattern: "*" },
  });
  expect(toOurs({ name: "Task", input: { prompt: "g" } }, "clawdcode")).toEqual({
    name: "delegate_task",
    input: { goal: "g" },
  });
  expect(toOurs({ name: "NotebookEdit", input: {} }, "claude").name).toBe("NotebookEdit");
  expect(namesOf({ name: "delegate_task", input: {} }, "claude")).toEqual(["Agent", "Task"]);
});
