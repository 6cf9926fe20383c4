import { expect, it } from "vitest";
import type { JsonObject } from "#src/domain/json";
import { HOOK_EVENTS } from "#src/domain/hook-event";
import { DIALECTS } from "#src/hooks/dialects/registry";
import { occurrenceOf } from "../../../support/hook-fixtures";
import { decisionOf, hookAt, imported, matchesOf, payloadOf, ran, readOf } from "../../../support/hook-dialect";

const gate = hookAt("claude", "PreToolUse");
const call = occurrenceOf();

function read(native: string, sent: JsonObject | string, over: Parameters<typeof ran>[1] = {}) {
  const hook = hookAt("claude", native);
  return decisionOf(hook, ran(sent, over), occurrenceOf(hook.events[0]));
}

function own(native: string, fields: JsonObject): JsonObject {
  return { hookSpecificOutput: { hookEventName: native, ...fields } };
}

it.each<[string, JsonObject, object]>([
  ["PreToolUse", { permissionDecision: "allow" }, { decision: "allow" }],
  ["PreToolUse", { permissionDecision: "deny" }, { decision: "deny", reason: "Blocked by hook." }],
  ["PreToolUse", { permissionDecision: "defer", permissionDecisionReason: "r" }, { decision: "defer", reason: "r" }],
  ["PreToolUse", { updatedInput: { timeout: 2000 } }, { input: { mode: "replace", value: { timeout: 2 } } }],
  ["PreToolUse", { additionalContext: "C" }, { context: "C" }],
  [
    "SessionStart",
    { additionalContext: "C", sessionTitle: "t", initialUserMessage: "i" },
    { context: "C", meta: { sessionTitle: "t", initialUserMessage: "i" } },
  ],
  ["UserPromptSubmit", { additionalContext: "C", sessionTitle: "t" }, { context: "C", meta: { sessionTitle: "t" } }],
  ["MessageDisplay", { displayContent: "d" }, { text: "d" }],
  [
    "PermissionRequest",
    { decision: { behavior: "allow", updatedInput: { command: "x" }, updatedPermissions: [1] } },
    { permission: { behavior: "allow", input: { command: "x" }, rules: [1] } },
  ],
  [
    "PermissionRequest",
    { decision: { behavior: "deny", interrupt: true } },
    { permission: { behavior: "deny", message: "Blocked by hook.", interrupt: true } },
  ],
  ["PermissionDenied", { retry: true }, { retry: true }],
  ["PostToolUse", { updatedToolOutput: { a: 1 } }, { output: { a: 1 } }],
  ["PostToolUseFailure", { additionalContext: "C" }, { context: "C" }],
  ["SubagentStart", { additionalContext: "C" }, { context: "C" }],
  ["Stop", { additionalContext: "go on" }, { keepGoing: { message: "go on" } }],
  ["Elicitation", { action: "accept", content: { a: 1 } }, { elicitation: { action: "accept", content: { a: 1 } } }],
])("reads %s: %j", (native, fields, decision) => {
  expect(read(native, own(native, fields))).toEqual(decision);
  expect(read(native, own("SomethingElse", fields))).toEqual({});
});

it.each<[string, JsonObject, object]>([
  ["PreToolUse", { decision: "block", reason: "old" }, { decision: "deny", reason: "old" }],
  ["PreToolUse", { decision: "approve" }, { decision: "allow" }],
  ["UserPromptSubmit", { decision: "block", reason: "r" }, { decision: "deny", reason: "r" }],
  ["PostToolUse", { decision: "block", reason: "lint" }, { context: "lint" }],
  ["PostToolBatch", { decision: "block", reason: "r" }, { decision: "deny", reason: "r" }],
  ["Stop", { decision: "block", reason: "r" }, { keepGoing: { message: "r" } }],
  ["Stop", { continue: true, suppressOutput: true }, {}],
  ["PreCompact", { decision: "block", reason: "r" }, { prevent: { reason: "r" } }],
  ["PreToolUse", { continue: false, stopReason: "s" }, { stop: { message: "s" } }],
  ["PreToolUse", { systemMessage: "n", terminalSequence: "x" }, { notes: ["n"] }],
])("reads %s: %j of the whole answer", (native, sent, decision) => {
  expect(read(native, sent)).toEqual(decision);
});

it.each<[string, object]>([
  ["PreToolUse", { decision: "deny", reason: "E" }],
  ["UserPromptSubmit", { decision: "deny", reason: "E" }],
  ["PostToolBatch", { decision: "deny", reason: "E" }],
  ["PreCompact", { prevent: { reason: "E" } }],
  ["Stop", { keepGoing: { message: "E" } }],
  ["SubagentStop", { keepGoing: { message: "E" } }],
  ["PostToolUse", { context: "E" }],
  ["Elicitation", { elicitation: { action: "decline" } }],
  ["SessionStart", { notes: ["E"] }],
  ["Setup", { notes: ["E"] }],
  ["SubagentStart", { notes: ["E"] }],
  ["PermissionRequest", {}],
  ["Notification", {}],
])("reads exit code 2 at %s", (native, decision) => {
  expect(read(native, "", { exit: 2, stderr: "E\n" })).toEqual(decision);
});

it("lets no JSON undo exit code 2, and any other code be overridden by it", () => {
  const allow = own("PreToolUse", { permissionDecision: "allow", permissionDecisionReason: "fine" });
  expect(read("PreToolUse", allow, { exit: 2, stderr: "no" })).toEqual({ decision: "deny", reason: "no" });
  expect(readOf(gate, ran(allow, { exit: 1, stderr: "x" }), call)).toEqual({
    type: "decision",
    decision: { decision: "allow", reason: "fine" },
    log: [],
  });
  expect(readOf(gate, ran("", { exit: 1, stderr: "oops\nmore" }), call)).toMatchObject({
    type: "failed",
    log: [{ code: "hook.nonzero_exit", message: "oops" }],
  });
});

it("takes text of commands as context where Claude Code does", () => {
  expect(read("UserPromptSubmit", "branch: main\n")).toEqual({ context: "branch: main" });
  expect(read("SessionStart", "hello")).toEqual({ context: "hello" });
  expect(read("PreToolUse", "hello")).toEqual({});
  expect(read("UserPromptSubmit", "hello", { via: "http" })).toBeUndefined();
  expect(read("UserPromptSubmit", "{oops")).toBeUndefined();
});

it("takes a model's no as a block", () => {
  expect(read("PreToolUse", { ok: false, reason: "bad" }, { via: "prompt" })).toEqual({
    decision: "deny",
    reason: "bad",
  });
  expect(read("Stop", { ok: false }, { via: "prompt" })).toEqual({ keepGoing: { message: "Blocked by hook." } });
  expect(read("PreToolUse", { ok: true }, { via: "prompt" })).toEqual({});
});

it("hands over what all events carry, and the subagent's own", () => {
  const common = { ...call.common, cwd: "/p", subagent: { id: "d", type: "Explore" } };
  expect(payloadOf(gate, { ...call, common })).toEqual({
    session_id: "s",
    transcript_path: "",
    cwd: "/p",
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    agent_id: "d",
    agent_type: "Explore",
    tool_name: "Bash",
    tool_input: { command: "ls" },
    tool_use_id: "c1",
  });
});

it.each([
  ["PostToolUse", { tool_response: { a: 1 }, duration_ms: 3 }],
  ["PostToolUseFailure", { error: "boom" }],
  ["PermissionDenied", { reason: "why" }],
  ["SessionStart", { source: "startup" }],
  ["UserPromptSubmit", { prompt: "p" }],
  ["MessageDisplay", { turn_id: "1", delta: "d" }],
  ["SubagentStop", { agent_id: "child", agent_type: "Explore", stop_hook_active: false, last_assistant_message: "s" }],
  ["TaskCompleted", { task_id: "1", task_subject: "g" }],
  ["Stop", { last_assistant_message: "r", background_tasks: [] }],
  ["StopFailure", { last_assistant_message: "a" }],
  ["PreCompact", { trigger: "auto" }],
  ["PreModelSwitch", { model: "m" }],
])("hands %s its fields", (native, fields) => {
  const data = {
    result: { a: 1 },
    duration_ms: 3,
    error: { type: "e", message: "boom" },
    reason: "why",
    source: "startup",
    prompt: "p",
    delta: "d",
    child_session_id: "child",
    child_type: "Explore",
    child_summary: "s",
    goal: "g",
    response: "r",
    assistant_response: "a",
    trigger: "auto",
    model: "m",
  };
  const hook = hookAt("claude", native);
  expect(payloadOf(hook, occurrenceOf(hook.events[0], data))).toMatchObject({ hook_event_name: native, ...fields });
});

it.each([
  ["reset", "clear"],
  ["logout", "logout"],
  ["something of ours", "other"],
])("says of a session that ended by %s: %s", (reason, theirs) => {
  const hook = hookAt("claude", "SessionEnd", { matcher: theirs });
  const ended = { ...occurrenceOf("session.end"), data: { reason } };
  expect(payloadOf(hook, ended)).toMatchObject({ reason: theirs });
  expect(matchesOf(hook, ended)).toBe(true);
});

it("takes the start of the gateway for a setup", () => {
  const hook = hookAt("claude", "Setup", { matcher: "init" });
  expect(hook.events).toEqual(["session.setup", "gateway.startup"]);
  expect(matchesOf(hook, { ...occurrenceOf("gateway.startup"), data: { platforms: [] } })).toBe(true);
});

it("hands over a batch with its results", () => {
  const data = {
    tool_calls: [
      { name: "terminal", call_id: "c1", arguments: '{"command":"ls"}' },
      { name: "todo", call_id: "c2", arguments: "oops" },
    ],
    results: [{ call_id: "c1", name: "terminal", text: "R" }],
  };
  expect(payloadOf(hookAt("claude", "PostToolBatch"), occurrenceOf("tool.batch", data))["tool_calls"]).toEqual([
    { tool_name: "Bash", tool_input: { command: "ls" }, tool_use_id: "c1", tool_response: "R" },
    { tool_name: "todo", tool_input: {}, tool_use_id: "c2" },
  ]);
});

it.each([
  ["Bash", true],
  ["*", true],
  ["", true],
  ["Edit|Bash", true],
  ["Edit, Bash", true],
  ["Ba", false],
  ["Ba.*", true],
  ["ash$", true],
  ["^Edit", false],
  ["(", true],
])("matches %s on Bash: %s", (matcher, isMatch) => {
  expect(matchesOf(hookAt("claude", "PreToolUse", { matcher }), call)).toBe(isMatch);
});

it("matches each event on its own field", () => {
  const takes = (native: string, matcher: string, data: JsonObject): boolean => {
    const hook = hookAt("claude", native, { matcher });
    return matchesOf(hook, { ...occurrenceOf(hook.events[0]), data });
  };
  expect(takes("SessionStart", "startup", { source: "startup" })).toBe(true);
  expect(takes("SessionStart", "resume", { source: "startup" })).toBe(false);
  expect(takes("PreCompact", "manual|auto", { trigger: "auto" })).toBe(true);
  expect(takes("SubagentStop", "Explore", { child_type: "Explore" })).toBe(true);
  expect(takes("Notification", "idle_prompt", { notification_type: "permission_prompt" })).toBe(false);
  expect(takes("Stop", "anything", {})).toBe(true);
});

it("never runs a condition where there is no tool", () => {
  const condition = "Bash(git *)";
  expect(matchesOf(hookAt("claude", "UserPromptSubmit", { condition }), occurrenceOf("prompt.submit"))).toBe(false);
  expect(matchesOf(hookAt("claude", "PreToolUse", { condition }), call)).toBe(false);
  expect(matchesOf(hookAt("claude", "PreToolUse", { condition: "Bash(ls)" }), call)).toBe(true);
});

it("imports a settings.json", () => {
  const { hooks, settings, log } = imported("claude", {
    permissions: {},
    disableAllHooks: true,
    allowedHttpHookUrls: ["https://*.example.com/*"],
    httpHookAllowedEnvVars: ["T"],
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            { type: "command", command: "a b", if: "Bash(git *)" },
            { type: "command", command: "c", args: ["d e"], timeout: 30_000, async: true },
            {
              type: "http",
              url: "https://a.example.com",
              headers: { x: "$T" },
              allowedEnvVars: ["T"],
              onFailure: "block",
            },
            { type: "prompt", prompt: "ok?" },
            { type: "agent", prompt: "look" },
          ],
        },
      ],
      UserPromptSubmit: [{ matcher: "Bash", hooks: [{ type: "command", command: "a" }] }],
      PreModelSwitch: [{ hooks: [{ type: "command", command: "a" }] }],
      Stop: [{ matcher: "(", hooks: [{ type: "command", command: "a" }] }],
    },
  });
  expect(hooks).toMatchObject([
    { target: { shell: "a b" }, condition: "Bash(git *)", matcher: "Bash", timeoutMs: 300_000, disabled: true },
    { target: { argv: ["c", "d e"], command: "c 'd e'" }, observe: true, timeoutMs: 300_000 },
    { target: { type: "http", allowedSecrets: ["T"] }, onError: "deny", onTimeout: "deny", timeoutMs: 120_000 },
    { target: { type: "prompt" }, timeoutMs: 30_000 },
    { target: { type: "prompt" }, timeoutMs: 60_000 },
    { timeoutMs: 30_000 },
    { onError: "allow", onTimeout: "deny" },
    {},
  ]);
  expect(settings).toEqual({ enabled: false });
  expect(log.map(({ code, hint }) => [code, hint])).toEqual([
    ["hook.timeout_clamped", "seconds"],
    ["hook.matcher_ignored", undefined],
    ["hook.matcher_ignored", undefined],
  ]);
});

it("has a moment for every event of every dialect, or says that there is none", () => {
  for (const dialect of Object.values(DIALECTS)) {
    for (const native of dialect.nativeEvents) {
      expect(dialect.resolveEvent(native)?.every((event) => event in HOOK_EVENTS)).toBe(true);
    }
    expect(dialect.resolveEvent("constructor")).toBeUndefined();
  }
});

it("limits the HTTP hooks of a file to the addresses and secrets that it allows", () => {
  const handler = (url: string) => ({ type: "http", url, allowedEnvVars: ["A", "B"] });
  const hooks = { Stop: [{ hooks: [handler("https://a.example.com/h"), handler("https://b.example.net/h")] }] };
  const limits = { allowedHttpHookUrls: ["https://*.example.com/*"], httpHookAllowedEnvVars: ["A"] };
  const limited = DIALECTS.claude.importHooks({ ...limits, hooks }, { source: "s", rank: "config" });
  expect(limited.hooks.map(({ target }) => target)).toMatchObject([
    { allowedSecrets: ["A"], limitedTo: ["https://*.example.com/*"] },
    { allowedSecrets: ["A"], limitedTo: ["https://*.example.com/*"] },
  ]);
  expect(limited.log).toMatchObject([{ level: "error", code: "hook.ssrf_blocked", hook: limited.hooks[1]?.id }]);
  const free = DIALECTS.claude.importHooks({ hooks }, { source: "s", rank: "config" });
  expect(free.hooks[1]?.target).toMatchObject({ allowedSecrets: ["A", "B"] });
  expect(free.hooks[1]?.target).not.toHaveProperty("limitedTo");
  expect(free.log).toEqual([]);
});
