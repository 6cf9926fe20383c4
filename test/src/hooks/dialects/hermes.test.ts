import { expect, it } from "vitest";
import { occurrenceOf } from "../../../support/hook-fixtures";
import {
  decisionOf,
  hookAt,
  imported,
  matchesOf,
  payloadOf,
  ran,
  readOf,
  returned,
} from "../../../support/hook-dialect";
import { dialectOf } from "#src/hooks/dialects/registry";

const shell = hookAt("hermes", "pre_tool_call");
const call = occurrenceOf();

it.each([
  [
    { decision: "block", reason: "no" },
    { decision: "deny", reason: "no" },
  ],
  [
    { action: "block", message: "no" },
    { decision: "deny", reason: "no" },
  ],
  [
    { action: "block", reason: "other field" },
    { decision: "deny", reason: "other field" },
  ],
  [{ action: "block" }, { decision: "deny", reason: "Blocked by shell hook." }],
  [
    { action: "approve", message: "sure?", rule_key: "k" },
    { decision: "ask", reason: "sure?", ruleKey: "k" },
  ],
  [{ decision: "approve" }, {}],
  [{ action: "modify", args: { command: "x" } }, { input: { mode: "merge", value: { command: "x" } } }],
  [{ decision: "modify", tool_input: { a: 1 } }, { input: { mode: "merge", value: { a: 1 } } }],
  [{ action: "modify", args: "x" }, {}],
  [{ context: "ignored here" }, {}],
])("reads %j before a tool", (sent, decision) => {
  expect(decisionOf(shell, ran(sent), call)).toEqual(decision);
});

it("wants a reason of plugins that block", () => {
  expect(decisionOf(shell, returned({ action: "block", message: "" }), call)).toEqual({});
  expect(decisionOf(shell, returned({ action: "block", message: "m" }), call)).toEqual({
    decision: "deny",
    reason: "m",
  });
  expect(decisionOf(shell, returned("nope"), call)).toEqual({});
  expect(decisionOf(shell, returned(true), call)).toEqual({});
});

it("blocks a tool on exit code 2, and only tells of it elsewhere", () => {
  expect(decisionOf(shell, ran({ action: "block", message: "json" }, { exit: 2, stderr: "e" }), call)?.reason).toBe(
    "json",
  );
  expect(decisionOf(shell, ran("", { exit: 2, stderr: "e" }), call)?.reason).toBe("e");
  const context = hookAt("hermes", "pre_llm_call");
  const reading = readOf(
    context,
    ran({ context: "C" }, { exit: 2, stderr: "oops\nmore" }),
    occurrenceOf("turn.context"),
  );
  expect(reading).toMatchObject({
    decision: { context: "C" },
    log: [{ code: "hook.nonzero_exit", message: "oops" }],
  });
});

it("uses what a failing command printed, and fails when that is nothing", () => {
  expect(decisionOf(shell, ran({ decision: "block", reason: "r" }, { exit: 1 }), call)?.decision).toBe("deny");
  expect(readOf(shell, ran("", { exit: 3 }), call)).toMatchObject({ type: "failed", why: "exit 3" });
  expect(readOf(shell, ran("Traceback"), call)).toMatchObject({
    type: "failed",
    why: "unparseable stdout (expected a JSON object)",
  });
});

it("adds context from JSON, and from a plugin's text", () => {
  const hook = hookAt("hermes", "pre_llm_call");
  const at = occurrenceOf("turn.context");
  expect(decisionOf(hook, ran({ context: "C" }), at)).toEqual({ context: "C" });
  expect(decisionOf(hook, ran({ context: " " }), at)).toEqual({});
  expect(decisionOf(hook, returned("C"), at)).toEqual({ context: "C" });
  expect(readOf(hook, ran("C"), at).type).toBe("failed");
});

it("lets plugins replace texts, and shell hooks not", () => {
  const hook = hookAt("hermes", "transform_tool_result");
  expect(decisionOf(hook, returned(""), occurrenceOf("tool.result"))).toEqual({ text: "" });
  expect(decisionOf(hook, returned({ text: "x" }), occurrenceOf("tool.result"))).toEqual({});
  expect(decisionOf(hook, ran({ text: "x" }), occurrenceOf("tool.result"))).toEqual({});
});

it("reads what is to become of a message, and whether a turn may end", () => {
  const hook = hookAt("hermes", "pre_gateway_dispatch");
  const at = occurrenceOf("message.received");
  expect(decisionOf(hook, returned({ action: "skip", reason: "r" }), at)).toEqual({ skip: { reason: "r" } });
  expect(decisionOf(hook, returned({ action: "rewrite", text: "t" }), at)).toEqual({ text: "t" });
  expect(decisionOf(hook, returned({ action: "allow" }), at)).toEqual({ decision: "allow" });
  expect(decisionOf(hook, returned({ action: "else" }), at)).toEqual({});
  const verify = hookAt("hermes", "pre_verify");
  expect(decisionOf(verify, ran({ decision: "block", reason: "r" }), occurrenceOf("stop"))).toEqual({
    keepGoing: { message: "r" },
  });
  expect(decisionOf(verify, ran({ action: "continue" }), occurrenceOf("stop"))).toEqual({});
});

it("hands shell hooks one JSON object and plugins their arguments", () => {
  const data = { task_id: "t1", extra: { when: new Date(0), tool_name: "terminal" } };
  expect(payloadOf(shell, occurrenceOf("tool.pre", data))).toEqual({
    hook_event_name: "pre_tool_call",
    tool_name: "terminal",
    tool_input: { command: "ls" },
    session_id: "s",
    cwd: "",
    extra: { task_id: "t1", tool_call_id: "c1", turn_id: "1", when: "1970-01-01T00:00:00.000Z" },
  });
  const plugin = hookAt("hermes", "pre_tool_call", { target: { type: "module", module: "p" } });
  expect(payloadOf(plugin, call)).toMatchObject({ tool_name: "terminal", args: { command: "ls" }, task_id: "" });
});

it("names no tool where there is none, and the parent for what a child did", () => {
  const data = {
    parent_session_id: "p",
    child_role: "leaf",
    child_summary: "s",
    child_status: "completed",
    duration_ms: 1,
  };
  const stopped = { ...occurrenceOf("subagent.stop"), data };
  expect(payloadOf(hookAt("hermes", "subagent_stop"), stopped)).toMatchObject({
    tool_name: null,
    tool_input: null,
    session_id: "p",
    extra: { child_role: "leaf", duration_ms: 1 },
  });
});

const DATA = {
  result_text: "R",
  duration_ms: 2.4,
  ok: false,
  error: { type: "e", message: "m" },
  user_message: "u",
  history: [],
  is_first_turn: true,
  assistant_response: "a",
  completed: true,
  interrupted: false,
  command: "c",
  description: "d",
  pattern_keys: ["k"],
  choice: "once",
  response_text: "r",
  output: "o",
  exit_code: 1,
  cwd: "/w",
  response: "x",
  reason: "why",
  event_type: "reaction",
  payload: {},
  key: "k",
  value: "v",
  args: "-f",
  messages: [1],
  tools: ["t"],
  tool_calls: [],
  attempt: 1,
  status: 500,
  child_summary: "s",
  child_goal: "g",
};

it.each([
  ["post_tool_call", { result: "R", duration_ms: 2, status: "error", error_type: "e" }],
  ["transform_tool_result", { arguments: { command: "ls" }, result: "R", task_id: null }],
  ["transform_terminal_output", { command: "c", output: "o", exit_code: 1, cwd: "/w" }],
  ["pre_llm_call", { user_message: "u", conversation_history: [], is_first_turn: true }],
  ["post_llm_call", { assistant_response: "a" }],
  ["on_session_start", { session_id: "s", platform: "web" }],
  ["on_session_end", { completed: true, interrupted: false }],
  ["on_session_finalize", { session_id: "s" }],
  ["on_session_reset", { session_id: "s", reason: "why" }],
  ["subagent_start", { child_goal: "g", parent_subagent_id: null }],
  ["pre_gateway_dispatch", { event: {} }],
  ["pre_approval_request", { command: "c", session_key: "main:web:dm:1", surface: "gateway" }],
  ["post_approval_response", { choice: "once" }],
  ["transform_llm_output", { response_text: "r" }],
  ["pre_verify", { final_response: "x", attempt: 1 }],
  ["agent_loop_stopped", { reason: "why" }],
  ["pre_api_request", { message_count: 1, tool_count: 1 }],
  ["post_api_request", { assistant_content_chars: 1 }],
  ["api_request_error", { status_code: 500 }],
  ["pre_command", { command: "c", args: "-f" }],
  ["gateway_platform_event", { event_type: "reaction" }],
  ["on_memory_write", { key: "k", value: "v" }],
  ["on_delegation", { task: "g", result: "s" }],
  ["on_stream_delta", { command: "c" }],
  ["on_pre_compress", {}],
])("gives %s its arguments", (native, wanted) => {
  const { events } = hookAt("hermes", native);
  const [event = "tool.pre"] = events;
  const plugin = hookAt("hermes", native, { target: { type: "module", module: "p" } });
  expect(payloadOf(plugin, occurrenceOf(event, DATA))).toMatchObject(wanted);
});

it("matches whole names of tools, and takes a broken pattern as a name", () => {
  const takes = (matcher: string): boolean => matchesOf(hookAt("hermes", "pre_tool_call", { matcher }), call);
  expect(["terminal", " term.* ", "term", "terminal(", ""].map(takes)).toEqual([true, true, false, false, true]);
  expect(matchesOf(hookAt("hermes", "pre_llm_call", { matcher: "x" }), occurrenceOf("turn.context"))).toBe(true);
});

it("knows only sessions that begin, and asks to verify only what changed files", () => {
  const start = hookAt("hermes", "on_session_start");
  const takes = (source: string): boolean => matchesOf(start, occurrenceOf("session.start", { source }));
  expect(["startup", "clear", "resume", "compact"].map(takes)).toEqual([true, true, false, false]);
  const verify = hookAt("hermes", "pre_verify");
  expect(matchesOf(verify, occurrenceOf("stop", { changed_paths: [] }))).toBe(false);
  expect(matchesOf(verify, occurrenceOf("stop", { changed_paths: ["a"] }))).toBe(true);
});

it("gives a say only where Hermes does", () => {
  const decides = (native: string): boolean => dialectOf("hermes").decides(hookAt("hermes", native), "tool.pre");
  expect(["pre_tool_call", "transform_llm_output"].map(decides)).toEqual([true, true]);
  expect(["post_tool_call", "subagent_stop", "on_session_start", "pre_approval_request"].map(decides)).toEqual(
    Array.from({ length: 4 }, () => false),
  );
});

it("imports plugins by their folders, then entries, then webhooks that are only told", () => {
  const { hooks, entries, settings, log } = imported("hermes", {
    hooks_auto_accept: "yes",
    plugins: {
      p1: { dir: "zeta", register: ["pre_llm_call", "on_session_end"] },
      p2: { dir: "alpha", register: ["pre_llm_call"] },
    },
    hooks: {
      pre_tool_call: [{ command: "a", fail_closed: true, timeout: 301 }],
      post_tool_call: [{ command: "b", fail_closed: true }],
      pre_llm_call: [{ command: "c", matcher: "terminal" }],
      outbound: [
        { name: "n", url: "https://ci.example.com", events: ["pre_tool_call", "subagent_stop"], timeout: 90 },
        { url: "x" },
      ],
      output_spill: { max: 1 },
    },
  });
  expect(hooks.map(({ name, nativeEvent }) => `${name} ${nativeEvent}`)).toEqual([
    "p2 pre_llm_call",
    "p1 pre_llm_call",
    "p1 on_session_end",
    "a pre_tool_call",
    "b post_tool_call",
    "c pre_llm_call",
    "n pre_tool_call",
    "n subagent_stop",
  ]);
  expect(entries.map((ids) => ids.length)).toEqual([2, 1, 1, 1, 1, 2, 0]);
  expect(hooks[0]).toMatchObject({ rank: "plugin", target: { type: "module", module: "p2" } });
  expect(hooks.slice(3, 5).map(({ onError }) => onError)).toEqual(["deny", "allow"]);
  expect(hooks[3]?.timeoutMs).toBe(300_000);
  expect(hooks[6]).toMatchObject({ observe: true, timeoutMs: 60_000, target: { type: "http", signature: ["hermes"] } });
  expect(hooks[4]?.events).toEqual(["tool.post", "tool.failure"]);
  expect(settings).toEqual({ autoAccept: true });
  expect(log.map(({ code }) => code)).toEqual([
    "hook.timeout_clamped",
    "hook.matcher_ignored",
    "hook.timeout_clamped",
    "hook.timeout_clamped",
    "hook.missing_target",
  ]);
});

it("adds to outbound webhooks what their format has", () => {
  const [hook] = imported("hermes", { hooks: { outbound: [{ url: "https://a", events: ["pre_tool_call"] }] } }).hooks;
  expect(hook && payloadOf(hook, call)).toMatchObject({ delivery_id: "evt_1", timestamp: "1970-01-01T00:00:00.000Z" });
});

it("knows names of moments that do not exist here", () => {
  const { log } = imported("hermes", {
    hooks: { pre_transcription: [{ command: "a" }], kanban_task_claimed: [{ command: "b" }] },
  });
  expect(log.map(({ code }) => code)).toEqual(["hook.no_such_moment", "hook.no_such_moment"]);
});
