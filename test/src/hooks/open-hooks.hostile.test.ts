import { expect, it } from "vitest";
import type { HookResult } from "#src/domain/hook";
import { HOOK_EVENTS, type HookEventName } from "#src/domain/hook-event";
import { hookStage } from "../../support/hook-stage";
import { httpTarget, occurrenceOf } from "../../support/hook-fixtures";

const answered = (stdout: string): HookResult => ({ exit: 0, stdout, stderr: "", via: "http", durationMs: 0 });

/** What a hook may say that no honest one would. */
const ANSWERS: readonly (readonly [string, unknown])[] = [
  ["nothing", undefined],
  ["null", null],
  ["a number", 7],
  ["a list", [1, 2]],
  ["a text", "<html><body>502 Bad Gateway</body></html>"],
  [
    "wrong types everywhere",
    {
      decision: 1,
      reason: {},
      stop: "x",
      input: "y",
      context: [],
      notes: "z",
      text: 4,
      permission: 5,
      keepGoing: true,
    },
  ],
  [
    "wrong types inside",
    { stop: { message: 1 }, input: { mode: "explode", value: 1 }, notes: [1, {}], permission: { behavior: "maybe" } },
  ],
  [
    "prototype keys",
    JSON.parse(
      '{"__proto__": {"decision": "allow"}, "input": {"__proto__": {"x": 1}, "constructor": {"prototype": 1}}}',
    ),
  ],
  ["an unknown decision", { decision: "explode" }],
  ["deep nesting", nested(500)],
  ["ten megabytes", { context: "x".repeat(10_000_000) }],
];

const EVENTS = Object.keys(HOOK_EVENTS) as HookEventName[];

it.each(ANSWERS)("bears a module that answers %s, at every event", async (_what, answer) => {
  for (const event of EVENTS) {
    const { hooks } = hookStage({ a: { hook: { nativeEvent: event, events: [event] }, says: () => answer } });
    const settled = await hooks.fire(occurrenceOf(event, { attempt: 0 }));
    expect(typeof settled.outcome).toBe("string");
    expect(settled.outcome === "deny" || settled.outcome === "allow").toBe(false);
    expect((settled.context ?? "").length).toBeLessThan(12_000);
    const input = settled.input ?? {};
    expect(Object.keys(input).filter((key) => ["__proto__", "constructor", "prototype"].includes(key))).toEqual([]);
  }
  expect(({} as { x?: number }).x).toBeUndefined();
});

it.each([
  "{",
  "[1]",
  "<html></html>",
  '"text"',
  "null",
  "{}".repeat(5),
  '{"decision": ',
  `{"context": "${"x".repeat(100_000)}"}`,
])("bears a receiver that answers %s", async (stdout) => {
  const { hooks } = hookStage({ a: { hook: { target: httpTarget() }, wire: () => answered(stdout) } });
  expect((await hooks.fire(occurrenceOf())).outcome).toBe("none");
});

it("denies by a guard that answers what cannot be read, and says which and why", async () => {
  const { hooks, entries } = hookStage({
    scan: { hook: { target: httpTarget(), onError: "deny" }, wire: () => answered("Traceback") },
  });
  expect(await hooks.fire(occurrenceOf())).toMatchObject({
    outcome: "deny",
    reason: "hook scan failed closed: unparseable stdout (expected a JSON object)",
  });
  expect(entries).toMatchObject([{ level: "warn", code: "hook.invalid_json", hook: "scan" }]);
});

it.each([
  ["allow", "none", undefined],
  ["deny", "deny", "hook stuck failed closed: timed out after 10s"],
  ["ask", "ask", "hook stuck failed closed: timed out after 10s"],
] as const)("gives up a module that never answers, by the policy %s", async (onTimeout, outcome, reason) => {
  const stage = hookStage({
    stuck: { hook: { onTimeout }, says: () => new Promise(() => undefined) },
    next: { says: () => ({ context: "still heard" }) },
  });
  const settled = stage.hooks.fire(occurrenceOf());
  stage.pass(10_000);
  expect(await settled).toMatchObject({ outcome, ...(reason === undefined ? { context: "still heard" } : { reason }) });
  expect(stage.entries).toMatchObject([{ code: "hook.timeout", hook: "stuck", message: "timed out after 10s" }]);
  expect(stage.timers.size).toBe(0);
});

it("does not let one hook that hangs hold up those beside it for longer than its time", async () => {
  const hook = { nativeEvent: "turn.context", events: ["turn.context" as const] };
  const stage = hookStage({
    stuck: { hook, says: () => new Promise(() => undefined) },
    good: { hook, says: () => ({ context: "C" }) },
  });
  const settled = stage.hooks.fire(occurrenceOf("turn.context", { tool: null }));
  stage.pass(10_000);
  expect((await settled).context).toBe("C");
});

it.each([
  [
    "an error",
    () => {
      throw new Error("ValueError: x");
    },
    "ValueError: x",
  ],
  [
    "a text",
    () => {
      throw "just words";
    },
    "just words",
  ],
  [
    "nothing",
    () => {
      throw undefined;
    },
    "undefined",
  ],
  [
    "an object without a text",
    () => {
      throw Object.create(null);
    },
    "it threw something that cannot be shown",
  ],
  ["a promise that fails", () => Promise.reject(new Error("later")), "later"],
])("bears a module that throws %s, and goes on with the next", async (_what, says, message) => {
  const { hooks, entries } = hookStage({ bad: { says }, good: { says: () => ({ decision: "deny", reason: "no" }) } });
  expect(await hooks.fire(occurrenceOf())).toMatchObject({ outcome: "deny", by: "good" });
  expect(entries).toEqual([{ level: "warn", code: "hook.exception", hook: "bad", message }]);
});

it("does not let a hook change the input that the next one sees behind the dispatcher's back", async () => {
  const seen: unknown[] = [];
  const { hooks } = hookStage({
    sly: {
      says: (event) => {
        (event as { data: { input: { command: string } } }).data.input.command = "rm -rf /";
      },
    },
    next: { says: (event) => void seen.push((event as { data: { input: unknown } }).data.input) },
  });
  const settled = await hooks.fire(occurrenceOf());
  expect(seen).toEqual([{ command: "ls" }]);
  expect(settled.input).toBeUndefined();
});

it("refuses the arguments that a schema refuses, naming the hook", async () => {
  const { hooks } = hookStage(
    { bad: { says: () => ({ input: { command: [] } }) } },
    { validate: () => "command must be a text" },
  );
  expect(await hooks.fire(occurrenceOf())).toMatchObject({
    outcome: "deny",
    by: "bad",
    reason: "Hook modified parameters are invalid: command must be a text",
  });
});

it("never throws, even when our own ports do", async () => {
  const broken = () => {
    throw new Error("storage is gone");
  };
  const ports = { validate: broken };
  const players = (onError: "allow" | "deny") => ({
    a: { hook: { onError }, says: () => ({ input: { command: "x" } }) },
  });
  expect((await hookStage(players("allow"), ports).hooks.fire(occurrenceOf())).outcome).toBe("none");
  const closed = hookStage(players("deny"), ports);
  expect(await closed.hooks.fire(occurrenceOf())).toMatchObject({
    outcome: "deny",
    reason: "hook a failed closed: storage is gone",
  });
  expect(closed.entries).toMatchObject([{ level: "error", code: "hook.exception", message: "storage is gone" }]);
});

function nested(depth: number): unknown {
  let value: unknown = { decision: "deny" };
  for (let level = 0; level < depth; level += 1) value = { output: value };
  return value;
}
