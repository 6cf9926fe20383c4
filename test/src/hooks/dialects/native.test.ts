import { expect, it } from "vitest";
import { aHook, httpTarget, occurrenceOf } from "../../../support/hook-fixtures";
import { decisionOf, hookAt, imported, payloadOf, ran, readOf, returned } from "../../../support/hook-dialect";

const gate = hookAt("native", "tool.pre");
const call = occurrenceOf();

it("hands over Standard Webhooks' body with what all events carry", () => {
  const body = payloadOf(gate, occurrenceOf("tool.pre", { big: 5n, extra: { own: 1 } }, { at: 1000, seq: 7 }));
  expect(body).toMatchObject({
    type: "tool.pre",
    timestamp: "1970-01-01T00:00:01.000Z",
    data: { event_id: "evt_1", session_id: "s", agent_id: "main", seq: 7, big: "5", own: 1, input: { command: "ls" } },
  });
  expect(Object.keys(body)).toEqual(["type", "timestamp", "data"]);
});

it("takes decisions as they are, and an input without a mode as a merge", () => {
  expect(decisionOf(gate, ran({ decision: "ask", reason: "q", ruleKey: "k", notes: "n", unknown: 1 }), call)).toEqual({
    decision: "ask",
    reason: "q",
    ruleKey: "k",
    notes: ["n"],
  });
  expect(decisionOf(gate, returned({ input: { command: "x" } }), call)?.input).toEqual({
    mode: "merge",
    value: { command: "x" },
  });
  expect(decisionOf(gate, returned({ input: { mode: "replace", value: { a: 1 } } }), call)?.input).toEqual({
    mode: "replace",
    value: { a: 1 },
  });
  expect(decisionOf(gate, returned({ input: { mode: "w", value: "v" } }), call)?.input?.mode).toBe("merge");
});

it("leaves out what has not its type, and says so", () => {
  const sent = {
    decision: null,
    reason: 5,
    text: 1,
    output: null,
    stop: false,
    permission: { behavior: "no" },
    meta: [],
  };
  expect(decisionOf(gate, ran(sent), call)).toEqual({});
  const { log } = readOf(gate, ran({ ...sent, context: [1] }), call);
  expect(log.map(({ message }) => message)).toEqual([
    "its reason is not a text",
    "its context is not a text",
    "its text is not a text",
  ]);
});

it.each([17, "block", true, {}])("takes no decision that it does not know for no opinion: %j", (decision) => {
  expect(readOf(gate, ran({ decision }), call)).toMatchObject({
    type: "failed",
    why: "its decision is none of deny, defer, ask, allow",
    log: [{ code: "hook.invalid_json" }],
  });
});

it("reads every other part of a decision", () => {
  const sent = {
    stop: { message: "m" },
    keepGoing: "again",
    prevent: true,
    skip: { reason: "r" },
    permission: { behavior: "deny", message: "m", interrupt: true, input: { a: 1 }, rules: [1] },
    elicitation: { action: "accept", content: { a: 1 } },
    retry: true,
    meta: { sessionTitle: "t", watchPaths: ["a", 1], reloadSkills: true },
  };
  expect(decisionOf(gate, ran(sent), call)).toEqual({
    ...sent,
    keepGoing: { message: "again" },
    prevent: {},
    meta: { sessionTitle: "t", watchPaths: ["a"], reloadSkills: true },
  });
});

it("blocks on exit code 2 with the best reason there is", () => {
  const exit = { exit: 2, stderr: ` ${"x".repeat(500)}` };
  expect(decisionOf(gate, ran({ reason: "r" }, exit), call)).toEqual({ decision: "deny", reason: "r" });
  expect(decisionOf(gate, ran("", exit), call)?.reason).toHaveLength(400);
  expect(decisionOf(gate, ran("", { exit: 2 }), call)?.reason).toBe("Blocked by hook.");
  expect(readOf(gate, ran("", { exit: 3 }), call)).toMatchObject({ type: "failed", why: "exit 3", isTimeout: false });
});

it("takes text of modules, and of HTTP hooks that say so", () => {
  const http = ran("words", { via: "http", contentType: "text/plain" });
  expect(decisionOf(gate, returned("words"), call)).toEqual({ context: "words" });
  expect(decisionOf(gate, returned("words"), occurrenceOf("response.transform"))).toEqual({ text: "words" });
  expect(readOf(aHook({ target: httpTarget() }), http, call).type).toBe("failed");
  expect(decisionOf(aHook({ target: httpTarget({ acceptText: true }) }), http, call)).toEqual({ context: "words" });
  expect(readOf(gate, ran("{oops"), call)).toMatchObject({ type: "failed", log: [{ code: "hook.invalid_json" }] });
});

it("passes on what the call itself failed by", () => {
  const timeout = ran("", { exit: 124, code: "hook.timeout", why: "timed out after 5s" });
  expect(readOf(gate, timeout, call)).toEqual({ type: "failed", isTimeout: true, why: "timed out after 5s", log: [] });
});

it("gives gates 10 s and observers 15 s", () => {
  const { hooks } = imported("native", [
    { event: "tool.pre", module: "a" },
    { event: "tool.pre", module: "b", observe: true },
    { event: "turn.end", module: "c" },
  ]);
  expect(hooks.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 15_000, 15_000]);
});

it("tells of matchers that cannot be used", () => {
  const entry = { event: "tool.pre", module: "a" };
  const { hooks, log } = imported("native", [
    { ...entry, matcher: "terminal" },
    { ...entry, matcher: { tools: "x" } },
    { ...entry, matcher: { command: "(" } },
    { ...entry, matcher: { tool: "terminal" } },
  ]);
  expect(log.map(({ code }) => code)).toEqual(Array.from({ length: 3 }, () => "hook.matcher_invalid"));
  expect(hooks[0]?.matcher).toBeUndefined();
});
