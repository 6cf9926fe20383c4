import { expect, it } from "vitest";
import type { HookDecision, HookEventName } from "#src/domain/hook-event";
import { keepSupported, supports } from "#src/hooks/decision-fields";

function kept(event: HookEventName, decision: HookDecision): readonly string[] {
  return Object.keys(keepSupported(decision, event, "h1").decision);
}

const EVERYTHING: HookDecision = {
  decision: "deny",
  reason: "r",
  stop: {},
  keepGoing: { message: "m" },
  prevent: {},
  skip: {},
  input: { mode: "merge", value: {} },
  text: "t",
  output: 1,
  context: "c",
  notes: ["n"],
  permission: { behavior: "allow" },
  elicitation: { action: "cancel" },
  retry: true,
  ruleKey: "k",
  meta: {},
};

it.each([
  ["tool.pre", ["decision", "reason", "stop", "input", "context", "notes", "ruleKey"]],
  ["turn.context", ["reason", "stop", "context", "notes"]],
  ["tool.post", ["reason", "stop", "text", "output", "context", "notes"]],
  ["tool.result", ["reason", "stop", "text", "output", "notes"]],
  ["message.received", ["decision", "reason", "stop", "skip", "text", "notes"]],
  ["tool.permission", ["reason", "stop", "notes", "permission"]],
  ["stop", ["decision", "reason", "stop", "keepGoing", "notes"]],
  ["compaction.pre", ["decision", "reason", "stop", "prevent", "context", "notes", "ruleKey"]],
  ["outbound.message", ["decision", "reason", "stop", "text", "notes", "ruleKey"]],
  ["turn.end", ["reason", "stop", "notes"]],
] as const)("keeps at %s what that event understands", (event, fields) => {
  expect(kept(event, EVERYTHING)).toEqual(fields);
});

it("tells of every field that it drops, for whoever looks closely", () => {
  const { log } = keepSupported({ keepGoing: { message: "m" }, notes: [] }, "tool.pre", "h1");
  expect(log).toEqual([
    { level: "debug", code: "hook.field_ignored", hook: "h1", message: "keepGoing means nothing at tool.pre" },
  ]);
});

it("knows what can be prevented", () => {
  expect(supports("compaction.pre", "prevent")).toBe(true);
  expect(supports("tool.pre", "prevent")).toBe(false);
});
