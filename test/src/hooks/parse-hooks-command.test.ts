import { expect, it } from "vitest";
import { parseHooksArguments, parseHooksCommandLine } from "#src/hooks/parse-hooks-command";

const DIGEST = `sha256:${"a".repeat(64)}`;

it.each([
  ["", { type: "list" }],
  ["list tool.pre", { type: "list", event: "tool.pre" }],
  ["status", { type: "status" }],
  ["ON", { type: "switch", isOn: true }],
  ["off", { type: "switch", isOn: false }],
  ["approve pre_tool_call /data/h.py", { type: "approve", event: "pre_tool_call", target: "/data/h.py" }],
  ["approve pre_tool_call python3 /x.py --y", { type: "approve", event: "pre_tool_call", target: "python3 /x.py --y" }],
  [
    `approve stop POST https://a.example.com/h ${DIGEST}`,
    { type: "approve", event: "stop", target: "POST https://a.example.com/h", digest: DIGEST },
  ],
  ["revoke ~/h.sh", { type: "revoke", words: "~/h.sh" }],
  ["revoke ~/h.sh --x pre_tool_call", { type: "revoke", words: "~/h.sh --x pre_tool_call" }],
  ["enable h1", { type: "enable", id: "h1" }],
  ["disable h1", { type: "disable", id: "h1" }],
  ["show h1", { type: "show", id: "h1" }],
  ["doctor", { type: "doctor" }],
  ["doctor h1", { type: "doctor", id: "h1" }],
  ["log", { type: "log" }],
  ["deliveries", { type: "deliveries" }],
  ["deliveries replay 7", { type: "deliveries", replay: "7" }],
  [
    'test tool.pre --tool terminal --payload {"a": 1}',
    { type: "test", event: "tool.pre", tool: "terminal", payload: '{"a": 1}' },
  ],
  ["review", { type: "review" }],
  ["help", { type: "help" }],
])("reads /hooks %s", (text, command) => {
  expect(parseHooksArguments(text)).toEqual(command);
});

it.each([
  "approve",
  "approve pre_tool_call",
  `approve pre_tool_call ${DIGEST}`,
  "revoke",
  "enable",
  "show",
  "test",
  "deliveries replay",
])("says how to write /hooks %s", (text) => {
  expect(parseHooksArguments(text)).toEqual({ type: "unknown", why: expect.stringMatching(/^Usage: \/hooks /) });
});

it("says what it does not know", () => {
  expect(parseHooksArguments("constructor")).toMatchObject({ type: "unknown" });
  expect(parseHooksArguments("explode")).toEqual({
    type: "unknown",
    why: 'There is no "/hooks explode". Try /hooks help.',
  });
});

it("reads a command line, with quotes as a shell has them", () => {
  expect(parseHooksCommandLine("hermes hooks revoke ~/h.sh")).toEqual({ type: "revoke", words: "~/h.sh" });
  expect(parseHooksCommandLine('talaria hooks approve pre_tool_call "python3 /x.py"')).toEqual({
    type: "approve",
    event: "pre_tool_call",
    target: "python3 /x.py",
  });
  expect(parseHooksCommandLine("talaria hooks list --json")).toEqual({ type: "list" });
  expect(parseHooksCommandLine("talaria status")).toBeUndefined();
});
