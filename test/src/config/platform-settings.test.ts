import { expect, it } from "vitest";
import { loadConfig } from "#src/config/load-config";
import { checkPlatformKeys } from "#src/config/platform-settings";
import { readSettings } from "#src/config/settings";
import type { PlatformAdapter } from "#src/domain/platform";

const PIGEON: Pick<PlatformAdapter, "name" | "settings" | "isOn"> = {
  name: "pigeon",
  settings: [
    { key: "bot_token", env: "PIGEON_BOT_TOKEN", required: true, secret: true, describe: "Token." },
    { key: "api_base", env: "PIGEON_API_BASE", describe: "Address." },
    { key: "loft", env: "PIGEON_LOFT", describe: "Loft." },
  ],
};

/** The account of an adapter that these sources give. */
function accountOf(sources: {
  readonly env?: object;
  readonly yaml?: string;
  readonly id?: string;
  readonly adapter?: typeof PIGEON;
}) {
  const settings = readSettings({
    env: { ...sources.env },
    runtime: {},
    config: loadConfig(sources.yaml ?? "").config,
  });
  return settings.platformAccount(sources.adapter ?? PIGEON, sources.id);
}

it("is off until every required setting is set", () => {
  expect(accountOf({})).toBeUndefined();
  expect(accountOf({ env: { PIGEON_LOFT: "north" } })).toBeUndefined();
  expect(accountOf({ env: { PIGEON_BOT_TOKEN: "" } })).toBeUndefined();
  expect(accountOf({ env: { PIGEON_BOT_TOKEN: "t" } })).toEqual({ settings: { bot_token: "t" } });
});

it("takes each setting from the environment, else from config.yaml", () => {
  const yaml = 'platforms: { pigeon: { bot_token: file, loft: south, allowed_users: [1], api_base: "" } }';
  expect(accountOf({ yaml, env: { PIGEON_BOT_TOKEN: "environment" } })).toEqual({
    settings: { bot_token: "environment", loft: "south" },
  });
});

it("asks the adapter where required settings cannot say it", () => {
  const adapter = {
    ...PIGEON,
    settings: PIGEON.settings.map((setting) => ({ ...setting, required: false })),
    isOn: (settings: Readonly<Record<string, string>>) => settings["loft"] === "north",
  };
  expect(accountOf({ adapter, env: { PIGEON_LOFT: "south" } })).toBeUndefined();
  expect(accountOf({ adapter, env: { PIGEON_LOFT: "north" } })).toEqual({ settings: { loft: "north" } });
});

it("gives an account settings of its own, by the end of their names and by its section", () => {
  const yaml = "platforms: { pigeon: { loft: south, accounts: { support-1: { loft: east } } } }";
  const env = { PIGEON_BOT_TOKEN: "t", PIGEON_BOT_TOKEN__SUPPORT_1: "s" };
  expect(accountOf({ yaml, env, id: "support-1" })).toEqual({
    id: "support-1",
    settings: { bot_token: "s", loft: "east" },
  });
  expect(accountOf({ yaml, env })).toEqual({ settings: { bot_token: "t", loft: "south" } });
});

it("gives an account the address of the platform's API, and no secret of another's", () => {
  const env = { PIGEON_BOT_TOKEN: "t", PIGEON_API_BASE: "http://127.0.0.1:1", PIGEON_BOT_TOKEN__B: "b" };
  expect(accountOf({ env, id: "b" })).toEqual({
    id: "b",
    settings: { bot_token: "b", api_base: "http://127.0.0.1:1" },
  });
  expect(accountOf({ env, id: "c" })).toBeUndefined();
});

it("is off for an account that nobody has set up, even where nothing is required", () => {
  const adapter = { name: "pigeon", settings: PIGEON.settings.map((setting) => ({ ...setting, required: false })) };
  expect(accountOf({ adapter, id: "any", env: { PIGEON_API_BASE: "http://127.0.0.1:1" } })).toBeUndefined();
  expect(accountOf({ adapter, id: "any", env: { PIGEON_LOFT__ANY: "north" } })).toBeDefined();
});

it.each(["", "..", "a/b", "__proto__", "constructor", "a".repeat(65), "é"])("knows no account %j", (id) => {
  const yaml = "platforms: { pigeon: { bot_token: t } }";
  expect(accountOf({ yaml, env: { PIGEON_BOT_TOKEN: "t" }, id })).toBeUndefined();
});

it("tells of platforms and settings that nobody knows", () => {
  const { config } = loadConfig(
    "platforms: { pigeno: {}, pigeon: { bot_tokn: sk-secret, loft: x, allowed_users: [1], accounts: { a: { loft: x, lofft: x }, 'b/c': { loft: x } } }, owl: {} }",
  );
  expect(checkPlatformKeys(config, [PIGEON]).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'platforms.pigeno: there is no such platform; it is left out. Did you mean "pigeon"?',
    'platforms.pigeon.bot_tokn: there is no such setting; it is left out. Did you mean "bot_token"?',
    'platforms.pigeon.accounts.a.lofft: there is no such setting; it is left out. Did you mean "loft"?',
    "platforms.pigeon.accounts.b/c: the id of an account takes letters, digits, - and _, at most 64; it is left out.",
    "platforms.owl: there is no such platform; it is left out. There are: pigeon.",
  ]);
});

it("finds nothing wrong with a file without platforms", () => {
  expect(checkPlatformKeys(loadConfig("").config, [PIGEON])).toEqual([]);
});
