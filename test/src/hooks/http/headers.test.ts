import { expect, it } from "vitest";
import { hookRequestHeaders, mayFireAtDepth, newTraceparent, readHookDepth } from "#src/hooks/http/headers";

const FACTS = {
  version: "1.2.3",
  hookId: "hook ü",
  dialect: "native",
  event: "tool.pre",
  nativeEvent: "tool.pre",
  eventId: "evt_1",
  mode: "decision",
  attempt: 2,
  deadlineAt: 1_800_000_010_000,
  depth: 1,
  traceparent: "00-1-2-01",
} as const;

it("says what is called, for whom and until when", () => {
  expect(hookRequestHeaders(FACTS)).toEqual({
    "content-type": "application/json; charset=utf-8",
    "user-agent": "talaria-hooks/1.2.3",
    "x-agent-hook-event": "tool.pre",
    "x-agent-hook-dialect": "native",
    "x-agent-hook-hook-id": "hook%20%C3%BC",
    "x-agent-hook-attempt": "2",
    "x-agent-hook-mode": "decision",
    "x-agent-hook-deadline": "1800000010000",
    "x-agent-hook-depth": "1",
    traceparent: "00-1-2-01",
  });
});

it("gives Hermes' receivers the names they know", () => {
  const headers = hookRequestHeaders({ ...FACTS, dialect: "hermes", nativeEvent: "pre_tool_call" });
  expect(headers).toMatchObject({ "x-hermes-event": "pre_tool_call", "x-hermes-delivery": "evt_1" });
});

it("makes a trace context of random bytes", () => {
  expect(newTraceparent((bytes) => new Uint8Array(bytes).fill(0xab))).toBe(
    `00-${"ab".repeat(16)}-${"ab".repeat(8)}-01`,
  );
});

it.each([
  [{}, 0],
  [{ "x-agent-hook-depth": "1" }, 1],
  [{ "x-agent-hook-depth": "12" }, 12],
  [{ "x-agent-hook-depth": "-1" }, 0],
  [{ "x-agent-hook-depth": "soon" }, 0],
])("reads the depth of %j as %i", (headers, depth) => {
  expect(readHookDepth(new Headers(headers))).toBe(depth);
});

it("never tells a hook of what it caused, and nobody of what that caused in turn", () => {
  expect(mayFireAtDepth(0, "a", undefined)).toBe(true);
  expect(mayFireAtDepth(1, "a", "a")).toBe(false);
  expect(mayFireAtDepth(1, "a", "b")).toBe(true);
  expect(mayFireAtDepth(2, "a", "b")).toBe(false);
});
