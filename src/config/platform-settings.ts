import type { PlatformAccount, PlatformAdapter } from "#src/domain/platform";
import type { EnvironmentTexts } from "./environment-names";
import { type ConfigProblem, didYouMean } from "./problem";
import type { Config } from "./schema";
import { keysAt } from "./schema-path";

/** Ids of accounts, as they stand in `/webhooks/:platform/:account`. */
const ACCOUNT_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** The one setting that every account of a platform shares: where its API is. */
const SHARED_KEY = "api_base";

type Adapter = Pick<PlatformAdapter, "name" | "settings" | "isOn">;

/**
 * The settings of one platform account: from the environment, else from config.yaml. An account with an id has names
 * that end in it (`TELEGRAM_BOT_TOKEN__SUPPORT` for `support`) and a section under `accounts`. Undefined when it is off.
 */
export function platformAccount(
  adapter: Adapter,
  id: string | undefined,
  from: { readonly texts: EnvironmentTexts; readonly config: Config },
): PlatformAccount | undefined {
  if (id !== undefined && !ACCOUNT_ID.test(id)) return undefined;
  const suffix = id === undefined ? "" : `__${environmentWord(id)}`;
  const section = ownValue(from.config.platforms, adapter.name);
  const own = id === undefined ? section : ownValue(section?.accounts, id);
  const settings: Record<string, string> = {};
  for (const { key, env } of adapter.settings) {
    const value = from.texts.get(env + suffix) ?? textOf(own, key);
    const shared = key === SHARED_KEY ? (from.texts.get(env) ?? textOf(section, key)) : undefined;
    if (value !== undefined) settings[key] = value;
    else if (shared !== undefined) settings[key] = shared;
  }
  // an address shared by all accounts does not make one
  if (id !== undefined && Object.keys(settings).every((key) => key === SHARED_KEY)) return undefined;
  const isComplete = adapter.settings.every(({ key, required }) => required !== true || settings[key] !== undefined);
  if (!isComplete || adapter.isOn?.(settings) === false) return undefined;
  return { ...(id === undefined ? {} : { id }), settings };
}

/** A platform's or account's name as names in the environment spell it: `home-assistant` is `HOME_ASSISTANT`. */
export function environmentWord(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_");
}

/** Tells of sections and settings under `platforms` that no adapter knows. */
export function checkPlatformKeys(config: Config, adapters: readonly Adapter[]): readonly ConfigProblem[] {
  const names = adapters.map((adapter) => adapter.name);
  return Object.entries(config.platforms).flatMap(([name, section]) => {
    const adapter = adapters.find((candidate) => candidate.name === name);
    if (adapter === undefined) return [unknown(["platforms", name], "platform", names)];
    const keys = adapter.settings.map(({ key }) => key);
    const common = keysAt(["platforms", name]);
    const accounts = Object.entries(section.accounts);
    return [
      ...unknownKeys(["platforms", name], section, [...keys, ...common]),
      ...accounts.flatMap(([id, account]) => unknownKeys(["platforms", name, "accounts", id], account, keys)),
      ...accounts.filter(([id]) => !ACCOUNT_ID.test(id)).map(([id]) => badAccount(name, id)),
    ];
  });
}

function unknownKeys(path: readonly string[], section: object, known: readonly string[]): readonly ConfigProblem[] {
  const keys = Object.keys(section).filter((key) => !known.includes(key));
  return keys.map((key) => unknown([...path, key], "setting", known));
}

function unknown(path: readonly string[], what: string, known: readonly string[]): ConfigProblem {
  const hint = didYouMean(path.at(-1) ?? "", known) || ` There are: ${known.join(", ")}.`;
  return { path: path.join("."), message: `there is no such ${what}; it is left out.${hint}` };
}

function badAccount(platform: string, id: string): ConfigProblem {
  const path = `platforms.${platform}.accounts.${id}`;
  return { path, message: "the id of an account takes letters, digits, - and _, at most 64; it is left out." };
}

function textOf(section: object | undefined, key: string): string | undefined {
  const value: unknown = section === undefined ? undefined : ownValue<unknown>({ ...section }, key);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** Names come from requests: what objects inherit is nobody's setting. */
export function ownValue<T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, key) ? record[key] : undefined;
}
