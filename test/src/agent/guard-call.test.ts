import { expect, it, vi } from "vitest";
import { type GuardPorts, admitCall, toolFields } from "#src/agent/guard-call";
import { scriptedHooks } from "../../support/scripted-hooks";
import { call, fakeTool, openGuard } from "../../support/scripted-turn";

const tool = fakeTool("terminal", async () => ({ content: "" }));
const CALL = call("c1", "terminal");
const INPUT = { command: "ls" };

function admit(over: Partial<GuardPorts>, given = INPUT) {
  return admitCall(CALL, tool, given, openGuard(over));
}

it("lets a call through that nobody objects to, with the arguments it came with", async () => {
  expect(await admit({})).toEqual({ type: "admitted", input: INPUT });
});

it("refuses what is never allowed before any hook hears of it, and tells who watches refusals", async () => {
  const hooks = scriptedHooks({ "tool.pre": { outcome: "allow" }, "tool.permission.denied": {} });
  const refused = await admit({ hooks, judge: () => ({ type: "refuse", reason: "never" }) });
  expect(refused).toEqual({ type: "refused", content: "never" });
  expect(hooks.names()).toEqual(["tool.permission.denied"]);
});

it("refuses what a hook denies, with its reason, and asks nobody", async () => {
  const approve = vi.fn();
  const hooks = scriptedHooks({ "tool.pre": { outcome: "deny", reason: "not today" } });
  expect(await admit({ hooks, approve })).toEqual({ type: "refused", content: "not today" });
  expect(approve).not.toHaveBeenCalled();
});

it("judges what the hooks made of a call, not what the model had asked for", async () => {
  const hooks = scriptedHooks({ "tool.pre": { input: { command: "rm -rf /" }, context: "careful" } });
  const judge: GuardPorts["judge"] = (_tool, input) =>
    input["command"] === "ls" ? { type: "run" } : { type: "refuse", reason: "hard no" };
  expect(await admit({ hooks, judge })).toEqual({ type: "refused", content: "hard no" });
});

it("hands on the rewritten arguments and what the hook wants the model to know", async () => {
  const hooks = scriptedHooks({ "tool.pre": { input: { command: "ls -l" }, context: "long form" } });
  expect(await admit({ hooks })).toEqual({ type: "admitted", input: { command: "ls -l" }, context: "long form" });
});

it("asks a person when a rule asks, even if a hook says allow", async () => {
  const approve = vi.fn(async () => ({ type: "denied", content: "the person said no" }) as const);
  const hooks = scriptedHooks({ "tool.pre": { outcome: "allow" } });
  const judge: GuardPorts["judge"] = () => ({ type: "ask", description: "recursive delete", keys: ["rm"] });
  expect(await admit({ hooks, judge, approve })).toEqual({ type: "refused", content: "the person said no" });
  expect(approve).toHaveBeenCalledExactlyOnceWith({
    call: CALL,
    tool,
    input: INPUT,
    description: "recursive delete",
    keys: ["rm"],
  });
});

it.each(["ask", "defer"] as const)("asks a person when a hook says %s, with the hook's own kind", async (outcome) => {
  const approve = vi.fn<GuardPorts["approve"]>(async () => ({ type: "granted" }));
  const hooks = scriptedHooks({ "tool.pre": { outcome, reason: "sure?", ruleKey: "k", by: "h" } });
  expect(await admit({ hooks, approve })).toEqual({ type: "admitted", input: INPUT });
  expect(approve.mock.calls[0]?.[0]).toMatchObject({ description: "sure?", keys: ["k"] });
});

it("lets a hook answer the permission, either way, instead of a person", async () => {
  const approve = vi.fn();
  const judge: GuardPorts["judge"] = () => ({ type: "ask", description: "d", keys: ["k"] });
  const yes = scriptedHooks({ "tool.permission": { permission: { behavior: "allow", input: { command: "pwd" } } } });
  expect(await admit({ hooks: yes, judge, approve })).toEqual({ type: "admitted", input: { command: "pwd" } });
  const no = scriptedHooks({ "tool.permission": { permission: { behavior: "deny", message: "policy" } } });
  expect(await admit({ hooks: no, judge, approve })).toEqual({ type: "refused", content: "policy" });
  expect(approve).not.toHaveBeenCalled();
});

it("does not show a call again to hooks that stood before a question which is still open", async () => {
  const hooks = scriptedHooks({ "tool.pre": { outcome: "deny" }, "tool.permission": {} });
  const judge: GuardPorts["judge"] = () => ({ type: "ask", description: "d", keys: ["k"] });
  expect(await admit({ hooks, judge, isAsked: () => true })).toEqual({ type: "admitted", input: INPUT });
  expect(hooks.fired).toEqual([]);
});

it("ends the turn when a hook stops it, with the words meant for the person", async () => {
  const stopTurn = vi.fn();
  const hooks = scriptedHooks({ "tool.pre": { outcome: "stop", reason: "enough", notes: ["n"] } });
  const notify = vi.fn();
  expect(await admit({ hooks, stopTurn, notify })).toMatchObject({ type: "refused" });
  expect(stopTurn).toHaveBeenCalledExactlyOnceWith("enough");
  expect(notify).toHaveBeenCalledExactlyOnceWith(["n"]);
});

it("says of a tool whose it is", () => {
  const of = (toolset: string) => toolFields(CALL, { ...tool, toolset }, INPUT)["tool"];
  expect(of("file")).toEqual({ name: "terminal", kind: "builtin", call_id: "c1" });
  expect(of("mcp-github")).toMatchObject({ kind: "mcp" });
  expect(of("plugin-x")).toMatchObject({ kind: "plugin" });
});
