import { expect, it } from "vitest";
import { dialectOf } from "#src/hooks/dialects/registry";
import { occurrenceOf } from "../../../support/hook-fixtures";
import { decisionOf, hookAt, imported, matchesOf, payloadOf, returned } from "../../../support/hook-dialect";

const common = {
  session_id: "s",
  session_key: "k",
  agent_id: "a",
  surface: "telegram",
  user: { id: "u", platform: "telegram" },
  chat: { id: "c", type: "dm" },
};

it.each([
  [
    "agent:start",
    "turn.start",
    { message: "x".repeat(600) },
    { platform: "telegram", user_id: "u", message: "x".repeat(500) },
  ],
  [
    "agent:step",
    "turn.step",
    { iteration: 2, tool_names: ["t"] },
    { iteration: 2, tool_names: ["t"], session_id: "s" },
  ],
  ["agent:end", "turn.end", { message: "m", response: "r" }, { message: "m", response: "r", chat_id: "c" }],
  ["session:start", "session.start", { source: "startup" }, { session_id: "s", session_key: "k" }],
  ["session:end", "session.end", {}, { session_key: "k", user_id: "u" }],
  ["session:reset", "session.reset", {}, { session_key: "k" }],
  [
    "session:compress",
    "compaction.post",
    { in_place: true, compression_count: 2 },
    { in_place: true, compression_count: 2 },
  ],
  ["gateway:startup", "gateway.startup", { platforms: ["telegram"] }, { platforms: ["telegram"] }],
  ["command:model", "command.received", { command: "model", args: "x" }, { command: "model", args: "x", user_id: "u" }],
  [
    "reaction:added",
    "platform.event",
    { event_type: "reaction_added", payload: { reaction: "+1" } },
    { reaction: "+1" },
  ],
] as const)("tells of %s with its context", (native, event, data, context) => {
  const hook = hookAt("hermes-gateway", native);
  const occurrence = occurrenceOf(event, data, { common });
  expect(matchesOf(hook, occurrence)).toBe(true);
  const payload = payloadOf(hook, occurrence);
  expect(payload).toMatchObject({ event_type: native, context });
  expect(Object.keys(payload)).toEqual(["event_type", "context"]);
});

it("takes all commands, or one, or all events of a kind", () => {
  const stop = occurrenceOf("command.received", { command: "stop" }, { common });
  expect(matchesOf(hookAt("hermes-gateway", "command:*"), stop)).toBe(true);
  expect(matchesOf(hookAt("hermes-gateway", "command:model"), stop)).toBe(false);
  expect(payloadOf(hookAt("hermes-gateway", "command:*"), stop)["event_type"]).toBe("command:stop");
  expect(hookAt("hermes-gateway", "agent:*").events).toEqual(["turn.start", "turn.step", "turn.end"]);
});

it("tells reactions that come from those that go", () => {
  const gone = occurrenceOf("platform.event", { event_type: "reaction_removed", payload: {} }, { common });
  expect(matchesOf(hookAt("hermes-gateway", "reaction:removed"), gone)).toBe(true);
  expect(matchesOf(hookAt("hermes-gateway", "reaction:added"), gone)).toBe(false);
});

it("has no command line, and no session that only goes on", () => {
  const start = hookAt("hermes-gateway", "session:start");
  expect(
    matchesOf(start, occurrenceOf("session.start", { source: "startup" }, { common: { ...common, surface: "cli" } })),
  ).toBe(false);
  expect(matchesOf(start, occurrenceOf("session.start", { source: "resume" }, { common }))).toBe(false);
});

it("lets a handler say nothing", () => {
  const hook = hookAt("hermes-gateway", "agent:start");
  expect(
    decisionOf(hook, returned({ action: "block", message: "no", context: "no" }), occurrenceOf("turn.start")),
  ).toEqual({});
  expect(dialectOf("hermes-gateway").decides(hook, "turn.start")).toBe(false);
});

it("imports a HOOK.yaml as one hook for each of its events", () => {
  const declared = { name: "my-hook", events: ["agent:start", "agent:strat", "command:*"] };
  const { hooks, entries, log } = imported("hermes-gateway", { "HOOK.yaml": declared, handler: "handle" });
  expect(hooks.map(({ nativeEvent, target }) => [nativeEvent, target])).toEqual([
    ["agent:start", { type: "module", module: "my-hook" }],
    ["command:*", { type: "module", module: "my-hook" }],
  ]);
  expect(entries).toEqual([hooks.map(({ id }) => id)]);
  expect(log).toMatchObject([{ code: "hook.unknown_event", suggestion: "agent:start" }]);
});

it("tells of declarations that are none", () => {
  const codes = [{}, { "HOOK.yaml": { name: "a" } }, { "HOOK.yaml": { events: ["agent:end"] } }, 5].map(
    (declaration) => imported("hermes-gateway", declaration).log[0]?.code,
  );
  expect(codes).toEqual(["hook.unknown_event", "hook.unknown_event", "hook.missing_target", "hook.missing_target"]);
});
