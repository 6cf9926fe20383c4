import { expect, it } from "vitest";
import { importHooks } from "#src/hooks/import-hooks";
import { splitHooks } from "#src/hooks/split-hooks";

it("makes one configuration of each entry of a list", () => {
  const a = { event: "tool.pre", url: "https://a.example.com" };
  const b = { event: "stop", url: "https://b.example.com" };
  expect(splitHooks([a, b])).toEqual([{ hooks: [a] }, { hooks: [b] }]);
  expect(splitHooks({ hooks: [a, b], allowedHookUrls: ["x"] })).toEqual([
    { hooks: [a], allowedHookUrls: ["x"] },
    { hooks: [b], allowedHookUrls: ["x"] },
  ]);
});

it("makes one of each handler of a group, and keeps what stands beside them", () => {
  const hooks = {
    defaultTimeout: 5,
    PreToolUse: [{ matcher: "Bash", hooks: [{ command: "a" }, { command: "b" }] }],
    Stop: [{ hooks: [{ command: "c" }] }],
  };
  expect(splitHooks({ hooks })).toEqual([
    { hooks: { defaultTimeout: 5, PreToolUse: [{ matcher: "Bash", hooks: [{ command: "a" }] }] } },
    { hooks: { defaultTimeout: 5, PreToolUse: [{ matcher: "Bash", hooks: [{ command: "b" }] }] } },
    { hooks: { defaultTimeout: 5, Stop: [{ hooks: [{ command: "c" }] }] } },
  ]);
});

it.each([
  [{ "HOOK.yaml": { name: "x", events: ["agent:start"] }, module: "m" }],
  [{ claude: { hooks: {} }, hermes: { hooks: {} } }],
  [{ plugins: { p: { register: ["pre_tool_call"] } } }],
  [{}],
  ["text"],
])("leaves %j whole", (configured) => {
  expect(splitHooks(configured)).toEqual([configured]);
});

it("reads the same hooks from the parts as from the whole", () => {
  const native = {
    hooks: {
      pre_tool_call: [{ command: "a.sh" }, { command: "b.sh", matcher: "terminal" }],
      on_session_end: [{ command: "c.sh" }],
    },
  };
  const options = { source: "api", rank: "config", dialect: "hermes" } as const;
  const whole = importHooks(native, options).hooks;
  const parts = splitHooks(native).flatMap((part) => importHooks(part, options).hooks);
  expect(whole).toHaveLength(3);
  expect(parts).toEqual(whole);
});
