import { expect, it } from "vitest";
import type { HookRow } from "#src/hooks/list-hooks";
import { describeTrial, trialReport } from "#src/hooks/describe-trial";

const ROW: HookRow = {
  id: "guard",
  name: "guard",
  dialect: "native",
  source: "api",
  event: "tool.pre",
  events: ["tool.pre"],
  target: "POST https://g.example.com/h",
  timeoutSeconds: 10,
  status: "active",
  digest: "sha256:0",
  flags: [],
};

const RESULT = {
  exit: 0,
  stdout: '{"decision":"deny"}',
  stderr: "",
  via: "http",
  status: 200,
  durationMs: 12.4,
} as const;

it("shows what was sent, what came back and what it means", () => {
  const text = describeTrial(ROW, {
    isMatched: true,
    payload: { type: "tool.pre" },
    result: RESULT,
    decision: { decision: "deny", reason: "no" },
    log: [],
  });
  expect(text).toContain('sent: `{"type":"tool.pre"}`');
  expect(text).toContain('answered in 12 ms: exit 0 `{"decision":"deny"}`');
  expect(text).toContain('means: `{"decision":"deny","reason":"no"}`');
});

it("says when the matcher would have passed it over, and what went wrong", () => {
  const log = [{ level: "warn", code: "hook.network", message: "connection refused" }] as const;
  const text = describeTrial(ROW, { isMatched: false, payload: {}, log });
  expect(text).toContain("its matcher does not take this event");
  expect(text).toContain("it was not called");
  expect(text).toContain("⚠ connection refused");
});

it("keeps a long answer short, and breaks out of no code mark", () => {
  const text = describeTrial(ROW, {
    isMatched: true,
    payload: {},
    result: { ...RESULT, stdout: `\`**bold**${"x".repeat(5000)}` },
    log: [],
  });
  expect(text.length).toBeLessThan(2500);
  expect(text).toContain("`'**bold**");
});

it("gives programs the same", () => {
  const report = trialReport({ isMatched: true, payload: { a: 1 }, result: RESULT, log: [] });
  expect(report).toEqual({
    matched: true,
    request: { a: 1 },
    response: { exit: 0, via: "http", stdout: '{"decision":"deny"}', stderr: "", duration_ms: 12, status: 200 },
    decision: null,
    log: [],
  });
});
