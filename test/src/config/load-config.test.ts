import { expect, it } from "vitest";
import { checkRuntimeSettings, loadConfig } from "#src/config/load-config";
import { allPaths, schemaAt } from "#src/config/schema-path";
import bundled from "../../../config.yaml";

const DEFAULTS = loadConfig("").config;

/** The problems of a file as lines, and its configuration. */
function load(...lines: readonly string[]) {
  const { config, problems } = loadConfig(lines.join("\n"));
  return { config, problems: problems.map(({ path, message }) => `${path}: ${message}`) };
}

it("comes with a file that says every default, and nothing else", () => {
  expect(loadConfig(bundled)).toEqual({ config: DEFAULTS, problems: [] });
});

it("comes with a file in which every setting stands below a comment", () => {
  const lines = bundled.split("\n");
  // what stands in sections of one platform is explained there, since there is none by default
  const missing = allPaths().filter((path) => {
    const name = path.split(".").at(-1) ?? "";
    const at = lines.findIndex((line) => line.trimStart().startsWith(`${name}:`));
    const isSection = at !== -1 && allPaths(path.split(".")).length > 0;
    return at === -1 || (!isSection && !(lines[at - 1] ?? "").trimStart().startsWith("#"));
  });
  expect(missing).toEqual([]);
});

it("takes what is set and leaves the rest", () => {
  const { config, problems } = load(
    "agent:",
    "  max_turns: 40",
    "streaming: { enabled: off }",
    "timezone: europe/berlin",
  );
  expect(problems).toEqual([]);
  expect(config).toEqual({
    ...DEFAULTS,
    agent: { ...DEFAULTS.agent, max_turns: 40 },
    streaming: { ...DEFAULTS.streaming, enabled: false },
    timezone: "Europe/Berlin",
  });
});

it("keeps ids as they are written", () => {
  const { config } = load("access:", "  allowed_users: [007, +4912345, 123456789012345678901, 1e3, true, U1]");
  expect(config.access.allowed_users).toEqual(["007", "+4912345", "123456789012345678901", "1e3", "true", "U1"]);
});

it.each(["7001, 7002", "[7001, 7002]", "\n    - 7001\n    - 7002"])("takes %j for a list", (list) => {
  expect(load("access:", `  allowed_users: ${list}`).config.access.allowed_users).toEqual(["7001", "7002"]);
});

it.each(["agent:", "agent: ~", "agent: { max_turns: null }", "agent:\n  max_turns:"])(
  "takes %j for not set",
  (text) => {
    expect(load(text)).toEqual({ config: DEFAULTS, problems: [] });
  },
);

it("keeps the default of a wrong value alone, and says which", () => {
  const { config, problems } = load("agent:", "  max_turns: many", "  history_tokens: 5000");
  expect(config.agent).toEqual({ ...DEFAULTS.agent, history_tokens: 5000 });
  expect(problems).toEqual([
    'agent.max_turns: expected a whole number from 1 to 10000, found "many". The default, 500, holds.',
  ]);
});

it.each([
  [
    "agent: { max_turns: 0 }",
    'agent.max_turns: expected a whole number from 1 to 10000, found "0". The default, 500, holds.',
  ],
  [
    "agent: { max_turns: 1.5 }",
    'agent.max_turns: expected a whole number from 1 to 10000, found "1.5". The default, 500, holds.',
  ],
  [
    "agent: { max_turns: [1] }",
    "agent.max_turns: expected a whole number from 1 to 10000, found a list. The default, 500, holds.",
  ],
  [
    "streaming: { enabled: ture }",
    'streaming.enabled: expected true or false, found "ture". Did you mean "true"? The default, true, holds.',
  ],
  [
    "display: { busy_input_mode: interupt }",
    'display.busy_input_mode: expected one of interrupt, queue, steer, found "interupt". Did you mean "interrupt"? The default, "interrupt", holds.',
  ],
  [
    "timezone: Europe/Berln",
    'timezone: expected a time zone such as Europe/Berlin, found "Europe/Berln". Did you mean "Europe/Berlin"? The default, "UTC", holds.',
  ],
  [
    "toolsets: { a: b }",
    "toolsets: expected a list of words, or words with commas between them, found a map of settings. The default, core, holds.",
  ],
  ["agent: 5", 'agent: expected a map of settings, found "5". Its defaults hold.'],
  ["agnet: { max_turns: 5 }", 'agnet: there is no such setting; it is left out. Did you mean "agent"?'],
  ["agent: { max_turn: 5 }", 'agent.max_turn: there is no such setting; it is left out. Did you mean "max_turns"?'],
  ["max_turns: 5", 'max_turns: there is no such setting; it is left out. Did you mean "agent.max_turns"?'],
  ["xyzzy: 5", "xyzzy: there is no such setting; it is left out."],
  ["platforms: { telegram: 5 }", 'platforms.telegram: expected a map of settings, found "5". Its defaults hold.'],
  ["timezone: UTC\ntimezone: Europe/Berlin", "timezone: is set twice; the last one counts."],
])("says of %j what is wrong", (text, expected) => {
  expect(load(text).problems).toEqual([expected]);
});

it("keeps a platform's tools few when only another's are set", () => {
  const { config } = load("platform_toolsets: { telegram: [all] }");
  expect(config.platform_toolsets).toEqual({ telegram: ["all"], webhook: ["webhook"] });
});

it("keeps a platform's tools few when they are set wrongly", () => {
  const { config, problems } = load("platform_toolsets: { webhook: { a: b } }");
  expect(config.platform_toolsets).toEqual({ webhook: ["webhook"] });
  expect(problems[0]).toContain("The default, webhook, holds.");
});

it("quotes nothing of a platform's section, where secrets stand", () => {
  const { problems } = load(
    "platforms:",
    "  telegram:",
    "    bot_token: [sk-secret]",
    "    allow_all_users: sk-secret",
  );
  expect(problems).toHaveLength(2);
  expect(problems.join()).not.toContain("sk-secret");
  expect(problems.join()).toContain(
    "platforms.telegram.allow_all_users: expected true or false. The default, false, holds.",
  );
});

it.each([
  ["agent: [1\nbot_token: sk-secret", "line 2, column 1: this is not valid YAML (bad indent). All defaults hold."],
  ["a: 'x", /^line 1, column \d+: this is not valid YAML/],
  ["a: 1\n---\nb: 2", /^line 2, column 1: this is not valid YAML \(multiple docs\)/],
  ["just words", 'the whole file: expected a map of settings, found "just words". All defaults hold.'],
  ["- a", "the whole file: expected a map of settings, found a list. All defaults hold."],
])("says of %j where it is broken, and starts with all defaults", (text, expected) => {
  const { config, problems } = load(text);
  expect(config).toEqual(DEFAULTS);
  expect(problems).toEqual([expected instanceof RegExp ? expect.stringMatching(expected) : expected]);
});

const BOMB = [
  "a: &a [x, x, x, x, x, x, x, x, x]",
  ..."bcdefghij".split("").map((name, i) => `${name}: &${name} [${`*${"abcdefghij"[i]}, `.repeat(9)}]`),
].join("\n");

it.each([
  ["an anchor that holds itself", "agent: &a\n  max_turns: *a"],
  ["anchors that multiply", BOMB],
  ["brackets a hundred thousand deep", "[".repeat(100_000)],
  ["maps thirty deep", `agent: ${"{a: ".repeat(30)}1${"}".repeat(30)}`],
  ["twenty thousand keys", Array.from({ length: 15_000 }, (_, i) => `k${i}: 1`).join("\n")],
  ["a file of megabytes", `a: ${"x".repeat(4_000_000)}`],
  ["an alias of nothing", "agent: *nobody"],
])("bounds %s", (_, text) => {
  const { config, problems } = load(text);
  expect(config).toEqual(DEFAULTS);
  expect(problems.length).toBeLessThanOrEqual(30);
});

it("tells a few of many mistakes", () => {
  const { config, problems } = load("agent: { max_turns: 7 }", ...Array.from({ length: 2000 }, (_, i) => `k${i}: 1`));
  expect(problems).toHaveLength(30);
  expect(config.agent.max_turns).toBe(7);
});

it.each([
  "__proto__: { polluted: 1 }",
  "agent: { __proto__: { max_turns: 1 } }",
  "platforms: { __proto__: { allow_all_users: true } }",
  "constructor: { prototype: { polluted: 1 } }",
  "platforms: { t: { __proto__: x } }",
])("changes no prototype for %j", (text) => {
  const { config } = load(text);
  expect(Object.prototype).not.toHaveProperty("polluted");
  expect({}).not.toHaveProperty("allow_all_users");
  expect(config.agent.max_turns).toBe(500);
  expect(config.access).toEqual(DEFAULTS.access);
});

it("reads its own file in a few milliseconds", () => {
  loadConfig(bundled);
  const start = performance.now();
  for (let i = 0; i < 20; i++) loadConfig(bundled);
  // workerd's clock may stand still within one event: then this says nothing, and never fails
  expect((performance.now() - start) / 20).toBeLessThan(50);
});

it("knows every section and setting by its path", () => {
  expect(allPaths()).toContain("agent.max_turns");
  for (const path of allPaths()) expect(schemaAt(path.split(".")), path).toBeDefined();
  expect(schemaAt(["agent", "constructor"])).toBeUndefined();
  expect(schemaAt(["platforms", "__proto__"])).toBeUndefined();
});

it.each([
  [{ "agent.max_turns": 5 }, []],
  [{ "agent.max_turns": "5" }, []],
  [{ "model.name": "gpt-5", "access.allowed_users": ["1"], "platform_toolsets.slack": ["file"] }, []],
  [{ "platforms.telegram.allowed_users": [7001] }, []],
  [{ "agent.max_turns": null, "no.such": null }, []],
  [{ "agent.max_turns": -1 }, ["agent.max_turns: expected a whole number from 1 to 10000, found -1."]],
  [
    { "agent.max_turns": { $gt: 1 } },
    ["agent.max_turns: expected a whole number from 1 to 10000, found a map of settings."],
  ],
  [{ agent: { max_turns: 5 } }, ["agent: is a section; set what is in it, such as agent.max_turns."]],
  [{ "agent.max_turn": 5 }, ['agent.max_turn: there is no such setting. Did you mean "agent.max_turns"?']],
  [{ "agent.colour_of_hats": 5 }, ["agent.colour_of_hats: there is no such setting."]],
  [{ "": 5 }, [": there is no such setting."]],
  [{ "__proto__.x": 5 }, ["__proto__.x: there is no such setting."]],
  [
    { "platforms.telegram.bot_token": "sk-secret" },
    [
      "platforms.telegram.bot_token: platforms are set up in the environment or in config.yaml, where their secrets belong.",
    ],
  ],
])("says of %j at run time what is wrong", (changes, expected) => {
  expect(checkRuntimeSettings(changes).map(({ path, message }) => `${path}: ${message}`)).toEqual(expected);
});

it("gives hooks and plugins the values that JSON would hold, and keeps as text what is quoted or would lose digits", () => {
  const yaml = `hooks:
  - event: tool.pre
    url: https://hooks.example.com/
    observe: true
    priority: 10
    timeout: 2.5
    blockStatuses: [403]
    matcher: ~
    quoted: "5"
    zeros: 007
    long: 9007199254740993
plugins:
  today: { count: 3, on: false }
access:
  allowed_users: [007]`;
  const { config, problems } = loadConfig(yaml);
  expect(problems).toEqual([]);
  expect(config.hooks).toEqual([
    {
      event: "tool.pre",
      url: "https://hooks.example.com/",
      observe: true,
      priority: 10,
      timeout: 2.5,
      blockStatuses: [403],
      matcher: null,
      quoted: "5",
      zeros: "007",
      long: "9007199254740993",
    },
  ]);
  expect(config.plugins).toEqual({ today: { count: 3, on: false } });
  expect(config.access.allowed_users).toEqual(["007"]);
});
