import { expect, it } from "vitest";
import type { JsonObject } from "#src/domain/json";
import { dialectOf } from "#src/hooks/dialects/registry";
import { occurrenceOf } from "../../../support/hook-fixtures";
import { decisionOf, hookAt, imported, matchesOf, payloadOf, ran, readOf } from "../../../support/hook-dialect";

const gate = hookAt("clawdcode", "PreToolUse");
const call = occurrenceOf();

it.each([
  ["PreToolUse", { permissionDecision: "deny" }, { decision: "deny", reason: "Blocked by hook." }],
  ["PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "q" }, { decision: "ask", reason: "q" }],
  ["PreToolUse", { updatedInput: { timeout: 2000 } }, { input: { mode: "merge", value: { timeout: 2 } } }],
  ["PostToolUse", { additionalContext: "A" }, { context: "A" }],
  ["PostToolUse", { updatedOutput: { a: 1 } }, { text: '{"a":1}' }],
  ["PermissionRequest", { decision: "approve", reason: "ok" }, { permission: { behavior: "allow", message: "ok" } }],
  ["PermissionRequest", { decision: "deny" }, { permission: { behavior: "deny", message: "Blocked by hook." } }],
  ["PermissionRequest", { decision: "ask" }, {}],
  ["Stop", { continue: true, reason: "more" }, { keepGoing: { message: "more" } }],
  ["Stop", { continue: false }, {}],
  ["Compaction", { prevent: true, reason: "r" }, { prevent: { reason: "r" } }],
  ["UserPromptSubmit", { additionalContext: "A" }, { context: "A" }],
  ["SessionStart", { additionalContext: "A" }, {}],
])("reads %s: %j, nested or not", (native, sent, decision) => {
  const hook = hookAt("clawdcode", native);
  const [event = "tool.pre"] = hook.events;
  expect(decisionOf(hook, ran(sent as JsonObject), occurrenceOf(event))).toEqual(decision);
  expect(decisionOf(hook, ran({ hookSpecificOutput: sent as JsonObject }), occurrenceOf(event))).toEqual(decision);
});

it("takes text for the model after tools and with prompts, and for nobody elsewhere", () => {
  const text = ran(" one \n");
  expect(decisionOf(hookAt("clawdcode", "PostToolUse"), text, occurrenceOf("tool.post"))).toEqual({ context: "one" });
  expect(decisionOf(hookAt("clawdcode", "UserPromptSubmit"), text, occurrenceOf("prompt.submit"))).toEqual({
    context: "one",
  });
  expect(decisionOf(gate, text, call)).toEqual({});
});

it("reads exit codes by event", () => {
  const exit = (native: string, code: number, stdout = "") => {
    const hook = hookAt("clawdcode", native);
    return readOf(hook, ran(stdout, { exit: code, stderr: "bad" }), occurrenceOf(hook.events[0]));
  };
  expect(exit("PreToolUse", 1)).toMatchObject({ type: "failed", log: [{ code: "hook.nonzero_exit", message: "bad" }] });
  expect(exit("PreToolUse", 2)).toMatchObject({ decision: { decision: "deny", reason: "bad" } });
  expect(exit("PreToolUse", 3)).toMatchObject({ decision: {}, log: [{ code: "hook.nonzero_exit" }] });
  expect(exit("PermissionRequest", 2)).toMatchObject({ decision: { permission: { behavior: "deny" } } });
  expect(exit("Compaction", 2)).toMatchObject({ decision: { prevent: { reason: "bad" } } });
  expect(exit("Stop", 2)).toMatchObject({ decision: {} });
  expect(exit("UserPromptSubmit", 1, "text")).toMatchObject({ type: "decision", decision: {} });
  expect(exit("PostToolUse", 1, "lint")).toMatchObject({ decision: { context: "lint" } });
  expect(decisionOf(gate, ran("", { exit: 2 }), call)?.reason).toBe("Blocking error");
});

it("lets failures count only where hooks run one after the other, and other codes by our own policy alone", () => {
  const timeout = ran("", { exit: 124, code: "hook.timeout", why: "timed out after 1s" });
  expect(readOf(gate, timeout, call)).toMatchObject({ type: "failed", isTimeout: true });
  expect(readOf(hookAt("clawdcode", "PostToolUse"), timeout, occurrenceOf("tool.post"))).toMatchObject({
    type: "decision",
  });
  const closed = hookAt("clawdcode", "PreToolUse", { extra: { hasOwnPolicy: true } });
  expect(readOf(closed, ran("", { exit: 3 }), call)).toMatchObject({ type: "failed", why: "exit 3" });
  expect(readOf(gate, ran("{oops"), call).type).toBe("failed");
});

it.each([
  ["PreToolUse", { tool_name: "Bash", tool_use_id: "c1", tool_input: { command: "ls" } }],
  ["PostToolUse", { tool_output: { success: true, llmContent: "R" } }],
  ["PostToolUseFailure", { error: "boom" }],
  ["PermissionRequest", { tool_name: "Bash", tool_input: { command: "ls" } }],
  ["UserPromptSubmit", { prompt_content: "p" }],
  ["Stop", { stop_reason: "end_turn" }],
  ["SubagentStop", { subagent_id: "child" }],
  ["Notification", { message: "m", level: "info" }],
  ["Compaction", { pre_tokens: 5, message_count: 2 }],
  ["SessionEnd", {}],
])("hands %s its fields", (native, fields) => {
  const data = {
    ok: true,
    result_text: "R",
    error: { type: "e", message: "boom" },
    prompt: "p",
    child_session_id: "child",
    message: "m",
    pre_tokens: 5,
    message_count: 2,
  };
  const hook = hookAt("clawdcode", native);
  expect(payloadOf(hook, occurrenceOf(hook.events[0], data))).toMatchObject({
    hook_event_name: native,
    hook_execution_id: "evt_1.h1",
    timestamp: "1970-01-01T00:00:00.000Z",
    session_id: "s",
    project_dir: "",
    ...fields,
  });
});

it("matches by all of tools, paths and commands, each only where there is something to test", () => {
  const takes = (matcher: JsonObject, name: string, input: JsonObject): boolean =>
    matchesOf(
      hookAt("clawdcode", "PreToolUse", { matcher }),
      occurrenceOf("tool.pre", { tool: { name, kind: "builtin", call_id: "c" }, input }),
    );
  expect(takes({ tools: "Read|Write", paths: "**/.env*" }, "read_file", { path: "config/.env" })).toBe(true);
  expect(takes({ tools: "Read", paths: "**/.env*" }, "write_file", { path: "config/.env" })).toBe(false);
  expect(takes({ paths: "**/.env*" }, "terminal", { command: "x" })).toBe(true);
  expect(takes({ paths: "*.{ts,tsx}|*.md" }, "write_file", { path: "src/a.tsx" })).toBe(true);
  expect(takes({ commands: "git push.*" }, "terminal", { command: "git push -f" })).toBe(true);
  expect(takes({ commands: "push" }, "terminal", { command: "git push -f" })).toBe(false);
  expect(takes({ tools: "Task" }, "delegate_task", { goal: "x" })).toBe(true);
  expect(takes({}, "todo", {})).toBe(true);
});

it("imports groups with what is said for all of them", () => {
  const { hooks, settings, log } = imported("clawdcode", {
    hooks: {
      enabled: false,
      defaultTimeout: 17,
      failureBehavior: "deny",
      timeoutBehavior: "ask",
      maxConcurrentHooks: 2,
      PreToolUse: [
        {
          name: "guard",
          matcher: { tools: "Bash" },
          hooks: [
            { type: "command", command: "a | b" },
            { command: "c", timeout: 3 },
          ],
        },
        { hooks: "none" },
      ],
      Stop: "nonsense",
    },
  });
  expect(hooks).toMatchObject([
    {
      name: "guard",
      matcher: { tools: "Bash" },
      target: { type: "command", shell: "a | b" },
      timeoutMs: 17_000,
      onError: "deny",
      onTimeout: "ask",
      maxConcurrent: 2,
      disabled: true,
    },
    { timeoutMs: 3000 },
  ]);
  expect(settings).toEqual({ enabled: false });
  expect(log.map(({ code }) => code)).toEqual(["hook.missing_target", "hook.missing_target"]);
});

it("tells of matchers that cannot be used, and gives no say where ClawdCode does not", () => {
  const { log } = imported("clawdcode", {
    hooks: {
      PreToolUse: [
        { matcher: "Bash", hooks: [{ command: "a" }] },
        { matcher: { commands: "(" }, hooks: [{ command: "b" }] },
      ],
    },
  });
  expect(log.map(({ code }) => code)).toEqual(["hook.matcher_invalid", "hook.matcher_invalid"]);
  expect(dialectOf("clawdcode").decides(hookAt("clawdcode", "SubagentStop"), "subagent.stop")).toBe(false);
});
