import { expect, it } from "vitest";
import { imported } from "../../../support/hook-dialect";

it("costs a bad entry nothing but itself", () => {
  const { hooks, entries, log } = imported("starchild", [
    { event: "pre_tool_cal", command: "a" },
    { event: "pre_tool_call" },
    "nonsense",
    { event: "pre_tool_call", type: "mcp_tool", server: "s" },
    { event: "pre_tool_call", command: "ok" },
  ]);
  expect(hooks.map(({ name }) => name)).toEqual(["ok"]);
  expect(entries).toEqual([[], [], [], [], [hooks[0]?.id]]);
  // the suggestion is said once, by whoever shows the line
  expect(log[0]?.message).toBe('there is no event "pre_tool_cal"');
  expect(log.map(({ code, suggestion }) => [code, suggestion])).toEqual([
    ["hook.unknown_event", "pre_tool_call"],
    ["hook.missing_target", undefined],
    ["hook.unknown_event", undefined],
    ["hook.unavailable", undefined],
  ]);
});

it("gives the same definition the same id, and makes one hook of two that are the same", () => {
  const entry = { event: "pre_tool_call", command: "a", matcher: "x" };
  const first = imported("starchild", [entry]).hooks[0];
  const { hooks, entries } = imported("starchild", [{ ...entry, timeout: 3 }, entry, { ...entry, matcher: "y" }]);
  expect(hooks[0]?.id).toBe(first?.id);
  expect(hooks).toHaveLength(2);
  expect(entries.map((ids) => ids.length)).toEqual([1, 0, 1]);
});

it("reads our own policy keys in every dialect, before the system's own", () => {
  const policies = {
    onFailure: "deny",
    onTimeout: "ask",
    observe: true,
    priority: 3,
    name: "guard",
    fields: { history: "none" },
  };
  const command = { type: "command", command: "a", ...policies };
  const configurations = {
    native: [{ event: "tool.pre", ...command }],
    starchild: [{ event: "pre_tool_call", ...command }],
    hermes: { hooks: { pre_tool_call: [command] } },
    clawdcode: { hooks: { failureBehavior: "ignore", PreToolUse: [{ hooks: [command] }] } },
    claude: { hooks: { PreToolUse: [{ hooks: [command] }] } },
  } as const;
  for (const [dialect, configuration] of Object.entries(configurations)) {
    const [hook] = imported(dialect as keyof typeof configurations, configuration).hooks;
    expect(hook).toMatchObject({ onError: "deny", onTimeout: "ask", observe: true, priority: 3, name: "guard" });
    expect(hook?.fields).toEqual({ history: "none" });
  }
});

it("cuts time-outs to their caps and knows milliseconds when it sees them", () => {
  const timeouts = [undefined, 5, 600, 30_000, "7", -1, "soon"];
  const entries = timeouts.map((timeout, index) => ({
    event: "pre_tool_call",
    command: `c${index}`,
    timeout: timeout ?? null,
  }));
  const { hooks, log } = imported("starchild", entries);
  expect(hooks.map(({ timeoutMs }) => timeoutMs / 1000)).toEqual([20, 5, 120, 120, 7, 20, 20]);
  expect(log.map(({ code, hint, hook }) => [code, hint, hook])).toEqual([
    ["hook.timeout_clamped", undefined, hooks[2]?.id],
    ["hook.timeout_clamped", "seconds", hooks[3]?.id],
  ]);
});

it("reads HTTP targets with all that goes with them", () => {
  const { hooks } = imported("native", [
    {
      event: "tool.pre",
      url: "https://a.example.com",
      headers: { authorization: "Bearer ${secret:T}", bad: 1 },
      allowedSecrets: ["T"],
      signature: ["github", "unheard-of"],
      only: true,
      responseKey: "whpk_x",
      blockStatuses: [403, "404", 42],
      acceptText: true,
      retry: 1,
    },
  ]);
  expect(hooks[0]?.target).toEqual({
    type: "http",
    url: "https://a.example.com",
    headers: { authorization: "Bearer ${secret:T}" },
    allowedSecrets: ["T"],
    signature: ["github"],
    onlyCompatible: true,
    responseKey: "whpk_x",
    blockStatuses: [403],
    acceptText: true,
    retry: 1,
  });
});

it("reads commands, modules and prompts", () => {
  const { hooks } = imported("native", [
    { event: "tool.pre", command: ["python3", "a b.py"] },
    { event: "tool.pre", shell: "a | b" },
    { event: "tool.pre", module: `guard@sha256:${"A".repeat(64)}` },
    { event: "tool.pre", prompt: "Is this fine?", model: "m" },
  ]);
  expect(hooks.map(({ target }) => target)).toEqual([
    { type: "command", argv: ["python3", "a b.py"], command: "python3 'a b.py'" },
    { type: "command", shell: "a | b", command: "a | b" },
    { type: "module", module: "guard", sha256: "a".repeat(64) },
    { type: "prompt", prompt: "Is this fine?", model: "m" },
  ]);
});

it("keeps a name that a native hook was given, unless somebody else has it", () => {
  const { hooks } = imported("native", [
    { id: "guard", event: "tool.pre", module: "a" },
    { id: "guard", event: "tool.pre", module: "b" },
    { id: "not a name!", event: "tool.pre", module: "c" },
  ]);
  expect(hooks.map(({ id }) => id)).toEqual(["guard", expect.stringMatching(/^hk_/), expect.stringMatching(/^hk_/)]);
});

it("imports hooks on moments that do not exist here, and says so", () => {
  const { hooks, log } = imported("claude", {
    hooks: { WorktreeCreate: [{ hooks: [{ type: "command", command: "a" }] }] },
  });
  expect(hooks[0]?.events).toEqual([]);
  expect(log).toMatchObject([{ level: "warn", code: "hook.no_such_moment", hook: hooks[0]?.id }]);
});
