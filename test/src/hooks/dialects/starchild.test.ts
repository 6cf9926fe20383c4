import { expect, it } from "vitest";
import { dialectOf } from "#src/hooks/dialects/registry";
import { occurrenceOf } from "../../../support/hook-fixtures";
import { decisionOf, hookAt, imported, matchesOf, payloadOf, ran, readOf } from "../../../support/hook-dialect";

const gate = hookAt("starchild", "pre_tool_call");
const call = occurrenceOf();

function claude(fields: object) {
  return { hookSpecificOutput: { hookEventName: "PreToolUse", ...fields } };
}

it.each([
  [{ decision: "block" }, { decision: "deny", reason: "Blocked by hook." }],
  [
    { decision: "block", reason: "r" },
    { decision: "deny", reason: "r" },
  ],
  [{ decision: "allow", reason: "r" }, {}],
  [{ tool_input: { command: "x", sudo: true } }, { input: { mode: "existing", value: { command: "x", sudo: true } } }],
  [{ systemMessage: "a", add_warning: "b" }, { notes: ["a", "b"] }],
  [{ context: "only before models" }, {}],
  [claude({ permissionDecision: "deny", permissionDecisionReason: "r" }), { decision: "deny", reason: "r" }],
  [claude({ permissionDecision: "allow" }), {}],
  [claude({ updatedInput: { command: "y" } }), { input: { mode: "existing", value: { command: "y" } } }],
  [
    { continue: false, stopReason: "s" },
    { decision: "deny", reason: "s" },
  ],
  [{ continue: true, suppressOutput: true }, {}],
])("reads %j before a tool", (sent, decision) => {
  expect(decisionOf(gate, ran(sent), call)).toEqual(decision);
});

it("reads exit codes", () => {
  expect(decisionOf(gate, ran("", { exit: 2, stderr: " nope\n" }), call)).toEqual({ decision: "deny", reason: "nope" });
  expect(readOf(gate, ran("{}", { exit: 2, stderr: "nope" }), call)).toMatchObject({ type: "failed", why: "exit 2" });
  expect(readOf(gate, ran({ decision: "block" }, { exit: 1, stderr: "crash" }), call)).toMatchObject({
    type: "failed",
    log: [{ code: "hook.nonzero_exit", message: "crash" }],
  });
  expect(readOf(gate, ran("hello"), call)).toMatchObject({ log: [{ code: "hook.invalid_json" }] });
  expect(decisionOf(gate, ran(""), call)).toEqual({});
});

it("adds context before models and when a session begins, in its own words or Claude Code's", () => {
  const hook = hookAt("starchild", "pre_llm_call");
  const at = occurrenceOf("model.pre");
  expect(decisionOf(hook, ran({ context: "C" }), at)).toEqual({ context: "C" });
  expect(decisionOf(hook, ran(claude({ additionalContext: "C" })), at)).toEqual({ context: "C" });
  expect(
    decisionOf(hookAt("starchild", "on_session_start"), ran({ context: "C" }), occurrenceOf("session.start")),
  ).toEqual({
    context: "C",
  });
});

it("keeps an agent going that claims too much", () => {
  const hook = hookAt("starchild", "on_completion_claim");
  const at = occurrenceOf("completion.claim");
  expect(decisionOf(hook, ran({ decision: "block", reason: "r" }), at)).toEqual({ keepGoing: { message: "r" } });
  expect(decisionOf(hook, ran("", { exit: 2, stderr: "r" }), at)).toEqual({ keepGoing: { message: "r" } });
});

it("rewrites what goes out, and no result", () => {
  const outbound = hookAt("starchild", "on_outbound_message");
  expect(decisionOf(outbound, ran({ notification: "n" }), occurrenceOf("outbound.message"))).toEqual({ text: "n" });
  const result = hookAt("starchild", "transform_tool_result");
  expect(decisionOf(result, ran({ notification: "n", add_warning: "w" }), occurrenceOf("tool.result"))).toEqual({
    notes: ["w"],
  });
});

const ALL = { event: "x", session_id: "s", agent_id: "main", cwd: "" };

it.each([
  ["pre_tool_call", { tool_name: "bash", tool_input: { command: "ls" } }],
  ["post_tool_call", { tool_name: "bash", tool_result: "R" }],
  ["pre_llm_call", { system: "S", last_user_message: "u", model: "" }],
  ["post_llm_call", { model: "" }],
  ["on_outbound_message", { notification: "t", type: "telegram" }],
  ["on_completion_claim", { goal: "g", summary: "s", response: "r", tool_names: [] }],
  ["on_session_start", { status: "start" }],
  ["on_user_message", { message: "p", channel: "web" }],
  ["on_response_end", { response: "rt" }],
  ["on_stop", { response: "r", tool_names: [], stop_hook_active: false }],
] as const)("hands %s exactly its fields", (native, fields) => {
  const data = {
    result_text: "R",
    system: "S",
    last_user_message: "u",
    text: "t",
    channel: "telegram",
    goal: "g",
    summary: "s",
    response: "r",
    tool_names: [],
    status: "start",
    prompt: "p",
    response_text: "rt",
    stop_hook_active: false,
  };
  const hook = hookAt("starchild", native);
  const [event = "tool.pre"] = hook.events;
  expect(payloadOf(hook, occurrenceOf(event, data))).toEqual({ ...ALL, event: native, ...fields });
});

it("searches a tool's input and name, else the payload", () => {
  const takes = (matcher: string, command: string): boolean =>
    matchesOf(hookAt("starchild", "pre_tool_call", { matcher }), occurrenceOf("tool.pre", { input: { command } }));
  expect(takes("rm -rf|mkfs", "sudo mkfs.ext4")).toBe(true);
  expect(takes("rm -rf|mkfs", "ls")).toBe(false);
  expect(takes("^bash$", "ls")).toBe(true);
  expect(takes('echo "x"', 'echo "x"')).toBe(true);
  expect(takes("(", "ls")).toBe(true);
  const outbound = hookAt("starchild", "on_outbound_message", { matcher: "0x[0-9a-f]+" });
  const push = (text: string) => ({ ...occurrenceOf("outbound.message"), data: { text, channel: "telegram" } });
  expect([matchesOf(outbound, push("key 0xabc")), matchesOf(outbound, push("hello"))]).toEqual([true, false]);
});

it("sees sessions begin, and not go on", () => {
  const start = hookAt("starchild", "on_session_start");
  expect(matchesOf(start, occurrenceOf("session.start", { source: "clear" }))).toBe(true);
  expect(matchesOf(start, occurrenceOf("session.start", { source: "compact" }))).toBe(false);
});

it("only tells what Starchild only tells", () => {
  const dialect = dialectOf("starchild");
  expect(dialect.decides(hookAt("starchild", "post_tool_call"), "tool.post")).toBe(false);
  expect(dialect.decides(hookAt("starchild", "on_session_start"), "session.start")).toBe(true);
});

it("knows no event by Claude Code's names, and tells of matchers that cannot be used", () => {
  const { hooks, log } = imported("starchild", [
    { event: "PreToolUse", command: "a" },
    { event: "pre_tool_call", command: "b", matcher: "(" },
    { event: "pre_tool_call", command: "c", matcher: 5 },
  ]);
  expect(hooks.map(({ name }) => name)).toEqual(["b", "c"]);
  expect(log.map(({ code }) => code)).toEqual(["hook.unknown_event", "hook.matcher_invalid", "hook.matcher_invalid"]);
});
