import { expect, it, vi } from "vitest";
import { type RanCall, concludeCall, withContext } from "#src/agent/conclude-call";
import { type HookScript, scriptedHooks } from "../../support/scripted-hooks";
import { call, fakeTool, openGuard } from "../../support/scripted-turn";

const RAN: RanCall = {
  call: call("c1", "terminal"),
  tool: fakeTool("terminal", async () => ({ content: "" })),
  input: { command: "ls" },
  durationMs: 7,
};

function conclude(script: HookScript, settled = { content: "out" }, ran = RAN) {
  const hooks = scriptedHooks(script);
  const notes: string[] = [];
  const stops: string[] = [];
  const ports = openGuard({
    hooks,
    notify: (more) => void notes.push(...more),
    stopTurn: (message) => void stops.push(message),
  });
  return concludeCall(ran, settled, ports).then((result) => ({ result, hooks, notes, stops }));
}

it("leaves a result as it is when nobody has anything to say", async () => {
  expect((await conclude({})).result).toEqual({ content: "out" });
});

it("tells of a success and of a failure by different events, with what came of it", async () => {
  const script: HookScript = { "tool.post": {}, "tool.failure": {}, "tool.result": {} };
  const good = await conclude(script, { content: '{"a":1}' });
  expect(good.hooks.names()).toEqual(["tool.post", "tool.result"]);
  expect(good.hooks.fired[0]?.data).toMatchObject({
    tool: { name: "terminal", call_id: "c1" },
    input: { command: "ls" },
    ok: true,
    result: { a: 1 },
    result_text: '{"a":1}',
    duration_ms: 7,
  });
  const settled = { content: "boom", isError: true };
  const bad = await conclude(script, settled);
  expect(bad.hooks.names()).toEqual(["tool.failure", "tool.result"]);
  expect(bad.hooks.fired[0]?.data).toMatchObject({ ok: false, error: { message: "boom" } });
  expect(bad.result).toEqual(settled);
});

it("replaces the result first, then adds every context in order", async () => {
  const { result } = await conclude(
    { "tool.post": { context: "after" }, "tool.result": { text: "new", context: "last" } },
    { content: "out" },
    { ...RAN, context: "before" },
  );
  expect(result.content).toBe("new\n\n[Hook Context]\nbefore\n\nafter\n\nlast");
});

it("writes a structured replacement as JSON", async () => {
  expect((await conclude({ "tool.result": { output: { ok: true } } })).result.content).toBe('{"ok":true}');
});

it("keeps what hooks say to the person out of the result", async () => {
  const { result, notes } = await conclude({ "tool.post": { notes: ["a"] }, "tool.result": { notes: ["b"] } });
  expect(result.content).toBe("out");
  expect(notes).toEqual(["a", "b"]);
});

it("takes a text that only looks like JSON as text", async () => {
  const { hooks } = await conclude({ "tool.post": {} }, { content: "{not json" });
  expect(hooks.fired[0]?.data["result"]).toBe("{not json");
});

it("adds nothing where there is nothing to add", () => {
  const notify = vi.fn();
  expect(withContext("x", [])).toBe("x");
  expect(notify).not.toHaveBeenCalled();
});

it("ends the turn when a hook after the call wants it, and keeps the result", async () => {
  const { result, stops } = await conclude({ "tool.post": { outcome: "stop", reason: "enough" }, "tool.result": {} });
  expect(result.content).toBe("out");
  expect(stops).toEqual(["enough"]);
  expect((await conclude({ "tool.result": { outcome: "stop" } })).stops).toEqual([""]);
});
