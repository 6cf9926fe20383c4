import { expect, it } from "vitest";
import { loadConfig } from "#src/config/load-config";
import { readSettings, type SettingsSources } from "#src/config/settings";

/** The settings that these sources give; config.yaml as lines. */
function settingsOf({
  yaml = "",
  env = {},
  runtime = {},
}: Partial<Omit<SettingsSources, "config">> & { readonly yaml?: string }) {
  return readSettings({ env, runtime, config: loadConfig(yaml).config });
}

it("takes run time before the environment, that before config.yaml, and that before defaults", () => {
  const yaml = "model: { name: from-file }";
  const env = { MODEL: "from-environment" };
  const runtime = { "model.name": "from-run-time" };
  expect(settingsOf({ yaml, env, runtime }).model.model).toBe("from-run-time");
  expect(settingsOf({ yaml, env }).model.model).toBe("from-environment");
  expect(settingsOf({ yaml }).model.model).toBe("from-file");
  expect(settingsOf({}).model.model).toBeUndefined();
});

it("shows in the configuration what is in force", () => {
  const settings = settingsOf({
    env: { SENDER_MESSAGES_PER_MINUTE: "0", GATEWAY_ALLOWED_USERS: "1, 2," },
    runtime: { "agent.max_turns": 7, "platform_toolsets.slack": ["file"], "platforms.slack.allow_all_users": true },
  });
  expect(settings.config).toMatchObject({
    agent: { max_turns: 7, api_max_retries: 3 },
    limits: { sender_messages_per_minute: 0 },
    access: { allowed_users: ["1", "2"] },
    platform_toolsets: { webhook: ["webhook"], slack: ["file"] },
    platforms: { slack: { allow_all_users: true, allowed_users: [], accounts: {} } },
  });
  expect(settings.problems).toEqual([]);
});

it("leaves the configuration that it was given as it was", () => {
  const { config } = loadConfig("");
  readSettings({ env: { MODEL: "x" }, runtime: { "agent.max_turns": 7 }, config });
  expect(config).toEqual(loadConfig("").config);
});

it.each(["", "  ", "\n"])("takes %j for not set", (empty) => {
  const settings = settingsOf({
    env: { MODEL: empty, ADMIN_TOKEN: empty },
    yaml: "model: { name: m }",
    runtime: { "model.name": "" },
  });
  expect(settings.model.model).toBe("m");
  expect(settings.adminToken).toBeUndefined();
});

it("drops the newline that a piped secret ends in", () => {
  expect(settingsOf({ env: { ADMIN_TOKEN: "token\n" } }).adminToken).toBe("token");
});

it("reads tokens, keys and addresses", () => {
  const env = {
    TALARIA_LOCAL: "1",
    ADMIN_TOKEN: "a",
    API_SERVER_KEY: "b",
    OPENAI_API_KEY: "c",
    OPENAI_BASE_URL: "http://127.0.0.1:1/v1",
    OPENROUTER_API_KEY: "d",
    OPENROUTER_BASE_URL: "http://127.0.0.1:2/v1",
  };
  expect(settingsOf({ env })).toMatchObject({
    isLocal: true,
    adminToken: "a",
    apiServerKey: "b",
    senderMessagesPerMinute: 20,
    model: {
      model: undefined,
      openaiApiKey: "c",
      openaiBaseUrl: env.OPENAI_BASE_URL,
      openrouterApiKey: "d",
      openrouterBaseUrl: env.OPENROUTER_BASE_URL,
    },
  });
});

it.each([{}, { TALARIA_LOCAL: "true" }, { TALARIA_LOCAL: "" }, { TALARIA_SECRETS: '{"TALARIA_LOCAL":"1"}' }])(
  "is deployed with %j",
  (env) => {
    expect(settingsOf({ env }).isLocal).toBe(false);
  },
);

it("reads the names in TALARIA_SECRETS, over which single names win", () => {
  const TALARIA_SECRETS = JSON.stringify({
    ADMIN_TOKEN: "bundled",
    API_SERVER_KEY: "bundled",
    SENDER_MESSAGES_PER_MINUTE: 5,
    X: { y: 1 },
  });
  const settings = settingsOf({ env: { TALARIA_SECRETS, ADMIN_TOKEN: "single", API_SERVER_KEY: "" } });
  expect(settings).toMatchObject({
    adminToken: "single",
    apiServerKey: "bundled",
    senderMessagesPerMinute: 5,
    problems: [],
  });
});

it.each(["{sk-secret", "[1]", '"sk-secret"', "null"])(
  "leaves out TALARIA_SECRETS that is no JSON object, and does not quote it",
  (TALARIA_SECRETS) => {
    const { problems, adminToken } = settingsOf({ env: { TALARIA_SECRETS, ADMIN_TOKEN: "a" } });
    expect(adminToken).toBe("a");
    expect(problems.map(({ path }) => path)).toEqual(["TALARIA_SECRETS"]);
    expect(JSON.stringify(problems)).not.toContain('secret"');
    expect(JSON.stringify(problems)).not.toContain("sk-");
  },
);

it("says what is wrong in the environment and at run time, and holds what is below", () => {
  const settings = settingsOf({
    yaml: "limits: { sender_messages_per_minute: 9 }",
    env: { SENDER_MESSAGES_PER_MINUTE: "abc", GATEWAY_ALLOW_ALL_USERS: "perhaps", TELEGRAM_ALLOW_ALL_USERS: "ture" },
    runtime: { "agent.max_turns": 0, "no.such": 1 },
  });
  expect(settings.senderMessagesPerMinute).toBe(9);
  expect(settings.access.allowAllUsers).toBe(false);
  expect(settings.platformAccess("telegram").allowAll).toBe(false);
  expect(settings.problems.map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'GATEWAY_ALLOW_ALL_USERS: expected true or false, found "perhaps". It is left out.',
    'SENDER_MESSAGES_PER_MINUTE: expected a whole number from 0 to 10000, found "abc". It is left out.',
    'TELEGRAM_ALLOW_ALL_USERS: expected true or false, found "ture". Did you mean "true"? It is left out.',
    "agent.max_turns: expected a whole number from 1 to 10000, found 0. It is left out.",
    "no.such: there is no such setting. It is left out.",
  ]);
});

it("lets nobody in by default", () => {
  const settings = settingsOf({});
  expect(settings.access).toEqual({ allowAllUsers: false, allowedUsers: [] });
  expect(settings.platformAccess("telegram")).toEqual({ allowAll: false, allowed: [] });
  expect(settings.platformAccess("constructor")).toEqual({ allowAll: false, allowed: [] });
  expect(settings.platformAccess("__proto__")).toEqual({ allowAll: false, allowed: [] });
});

it("takes who may talk on a platform from run time, the environment, then config.yaml", () => {
  const yaml = "platforms: { home-assistant: { allowed_users: [1], allow_all_users: true } }";
  const env = { HOME_ASSISTANT_ALLOWED_USERS: "2,3", HOME_ASSISTANT_ALLOW_ALL_USERS: "false" };
  const runtime = { "platforms.home-assistant.allowed_users": ["4"] };
  expect(settingsOf({ yaml }).platformAccess("home-assistant")).toEqual({ allowAll: true, allowed: ["1"] });
  expect(settingsOf({ yaml, env }).platformAccess("home-assistant")).toEqual({ allowAll: false, allowed: ["2", "3"] });
  expect(settingsOf({ yaml, env, runtime }).platformAccess("home-assistant")).toEqual({
    allowAll: false,
    allowed: ["4"],
  });
});

it("takes a star among the users for everyone", () => {
  const settings = settingsOf({ env: { GATEWAY_ALLOWED_USERS: "1,*", SLACK_ALLOWED_USERS: "*" } });
  expect(settings.access.allowAllUsers).toBe(true);
  expect(settings.platformAccess("slack").allowAll).toBe(true);
  expect(settings.platformAccess("telegram").allowAll).toBe(false);
});
