import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { JsonValue } from "#src/domain/json";
import { DIALECTS } from "#src/hooks/dialects/registry";
import { detectDialect, importHooks } from "#src/hooks/import-hooks";

const options = { source: "config.yaml", rank: "config" } as const;

it.each<[string, JsonValue]>([
  ["native", { hooks: [{ event: "tool.pre", module: "a" }] }],
  ["native", [{ event: "stop", module: "a" }]],
  ["native", { hooks: { "tool.pre": [{ module: "a" }] } }],
  ["native", {}],
  ["native", "nonsense"],
  ["starchild", { hooks: [{ event: "pre_tool_call", command: "a" }] }],
  ["hermes", { hooks: { pre_tool_call: [{ command: "a" }] } }],
  ["clawdcode", { hooks: { PreToolUse: [{ matcher: { tools: "Bash" }, hooks: [] }] } }],
  ["clawdcode", { hooks: { enabled: true, PreToolUse: [{ hooks: [] }] } }],
  ["claude", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [] }] } }],
  ["hermes-gateway", { "HOOK.yaml": { name: "a", events: [] } }],
  ["claude", { dialect: "claude", hooks: {} }],
])("takes for %s: %j", (dialect, configured) => {
  expect(detectDialect(configured)).toBe(dialect);
});

it("reads several dialects side by side, in their order", () => {
  const { hooks, entries } = importHooks(
    {
      hermes: { hooks: { pre_llm_call: [{ command: "h" }] } },
      starchild: { hooks: [{ event: "pre_llm_call", command: "s" }] },
    },
    { ...options, dialect: "native" },
  );
  expect(hooks.map(({ dialect, events }) => [dialect, events])).toEqual([
    ["hermes", ["turn.context"]],
    ["starchild", ["model.pre"]],
  ]);
  expect(entries).toEqual(hooks.map(({ id }) => [id]));
});

it("reads a list whose entries name their dialects", () => {
  const { hooks } = importHooks(
    [
      { event: "tool.pre", module: "a" },
      { dialect: "claude", event: "PreToolUse", matcher: "Bash", type: "command", command: "b" },
      { dialect: "hermes", event: "pre_tool_call", command: "c", matcher: "terminal" },
      { dialect: "hermes-gateway", event: "agent:end", module: "d" },
    ],
    options,
  );
  expect(hooks.map(({ dialect, nativeEvent, matcher }) => [dialect, nativeEvent, matcher])).toEqual([
    ["native", "tool.pre", undefined],
    ["claude", "PreToolUse", "Bash"],
    ["hermes", "pre_tool_call", "terminal"],
    ["hermes-gateway", "agent:end", undefined],
  ]);
});

it("reads lists under the names of their events", () => {
  const { hooks } = importHooks(
    { hooks: { "tool.pre": [{ module: "a" }], "turn.end": [{ module: "b" }, 5] } },
    options,
  );
  expect(hooks.map(({ nativeEvent, name }) => [nativeEvent, name])).toEqual([
    ["tool.pre", "a"],
    ["turn.end", "b"],
  ]);
});

it("tells of addresses that may not be called, and keeps their hooks", () => {
  const { hooks, log } = importHooks([{ event: "tool.pre", url: "http://127.0.0.1/h", onFailure: "deny" }], {
    ...options,
    judgeUrl: (url, dialect) => `${dialect} loopback ${url.length}`,
  });
  expect(hooks).toHaveLength(1);
  expect(log).toMatchObject([{ level: "error", code: "hook.ssrf_blocked", hook: hooks[0]?.id }]);
});

it("lets an operator close native gates, and those alone", () => {
  const given = { ...options, gateDefault: "deny" } as const;
  const native = [
    { event: "tool.pre", module: "a" },
    { event: "turn.context", module: "b" },
  ];
  expect(importHooks(native, given).hooks.map(({ onError }) => onError)).toEqual(["deny", "allow"]);
  expect(importHooks([{ event: "pre_tool_call", command: "a" }], given).hooks[0]?.onError).toBe("allow");
});

it("throws at nothing, in no dialect", () => {
  const words = fc.constantFrom(
    "hooks",
    "event",
    "tool.pre",
    "PreToolUse",
    "pre_tool_call",
    "matcher",
    "command",
    "url",
    "timeout",
    "outbound",
    "plugins",
    "register",
    "__proto__",
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: "small" },
      fc.constant(null),
      fc.boolean(),
      fc.integer(),
      words,
      tie("list"),
      tie("object"),
    ),
    list: fc.array(tie("value"), { maxLength: 3 }),
    object: fc.dictionary(words, tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(json.value, (value) => {
      // made of what JSON can say
      const configured = value as JsonValue;
      importHooks(configured, options);
      for (const dialect of Object.values(DIALECTS)) {
        const { hooks } = dialect.importHooks(configured, options);
        for (const hook of hooks) dialect.matcher(hook);
      }
    }),
    { numRuns: 150 },
  );
});
