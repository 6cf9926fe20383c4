import type { PlatformAccount, PlatformAdapter } from "#src/domain/platform";
import { type EnvironmentTexts, readEnvironment, SETTING_NAMES } from "./environment-names";
import { environmentWord, ownValue, platformAccount } from "./platform-settings";
import type { ConfigProblem } from "./problem";
import type { Config } from "./schema";
import { complain, flag, texts as textList } from "./setting";
import { checkSetting, withSetting } from "./setting-path";

/** What reaches models: addresses, and keys by their names in the environment. */
export interface ModelSettings {
  readonly model: string | undefined;
  readonly openaiBaseUrl: string | undefined;
  readonly openaiApiKey: string | undefined;
  readonly openrouterApiKey: string | undefined;
  readonly openrouterBaseUrl: string | undefined;
  /** Where vendors' other keys and addresses are read. */
  readonly environment: EnvironmentTexts;
}

/** Everything that an operator can set, as it is in force. Holds secrets: never logged or shown whole. */
export interface Settings {
  /** config.yaml with the environment and what was set at run time laid over it; without secrets but `platforms`. */
  readonly config: Config;
  /** What is wrong in the environment and in what was set at run time; all of it is left out. */
  readonly problems: readonly ConfigProblem[];
  /** Started by `npm start`, on the owner's own machine. */
  readonly isLocal: boolean;
  readonly adminToken: string | undefined;
  readonly apiServerKey: string | undefined;
  /** Messages of one verified sender; 0 is no limit. */
  readonly senderMessagesPerMinute: number;
  readonly model: ModelSettings;
  readonly access: { readonly allowAllUsers: boolean; readonly allowedUsers: readonly string[] };
  /** Who may talk on one platform alone. */
  platformAccess(platform: string): { readonly allowAll: boolean; readonly allowed: readonly string[] };
  /** `host:port` pairs that hooks may call on this machine: none but locally. */
  readonly hooksAllowLocal: readonly string[];
  /** A text of the environment by name. It may be a secret. */
  readonly environmentText: (name: string) => string | undefined;
  /** The settings of a platform account; undefined when it is off. */
  platformAccount(
    adapter: Pick<PlatformAdapter, "name" | "settings" | "isOn">,
    accountId?: string,
  ): PlatformAccount | undefined;
}

/** Where settings come from; run time wins over the environment, and that over config.yaml. */
export interface SettingsSources {
  /** The Worker's environment, bindings and all. */
  readonly env: Readonly<Record<string, unknown>>;
  readonly config: Config;
  /** Set at run time, by config path. */
  readonly runtime: Readonly<Record<string, unknown>>;
}

/** Stands in a list of users for everyone. */
const EVERYONE = "*";

/** Puts the settings in force together. Never throws: what is wrong is told as a problem and left out. */
export function readSettings({ env, config: file, runtime }: SettingsSources): Settings {
  const { texts, problems: environmentProblems } = readEnvironment(env);
  const named = Array.from(SETTING_NAMES, ([name, path]) => ({ source: name, path, value: texts.get(name) }));
  const changed = Object.entries(runtime).map(([path, value]) => ({ source: path, path, value }));
  const fromEnvironment = overlay(file, named);
  const { config, problems } = overlay(fromEnvironment.config, changed);
  const { access, limits, model } = config;
  return {
    config,
    problems: [...environmentProblems, ...fromEnvironment.problems, ...wrongFlags(texts), ...problems],
    isLocal: env["TALARIA_LOCAL"] === "1",
    adminToken: texts.get("ADMIN_TOKEN"),
    apiServerKey: texts.get("API_SERVER_KEY"),
    senderMessagesPerMinute: limits.sender_messages_per_minute,
    model: {
      model: model.name === "" ? undefined : model.name,
      openaiBaseUrl: model.base_url === "" ? undefined : model.base_url,
      openaiApiKey: texts.get("OPENAI_API_KEY"),
      openrouterApiKey: texts.get("OPENROUTER_API_KEY"),
      openrouterBaseUrl: texts.get("OPENROUTER_BASE_URL"),
      environment: texts,
    },
    access: {
      allowAllUsers: access.allow_all_users || access.allowed_users.includes(EVERYONE),
      allowedUsers: access.allowed_users,
    },
    hooksAllowLocal: env["TALARIA_LOCAL"] === "1" ? (textList.read(texts.get("HOOKS_ALLOW_LOCAL")) ?? []) : [],
    environmentText: texts.get,
    platformAccess: (platform) => platformAccess(platform, { texts, config, runtime }),
    platformAccount: (adapter, accountId) => platformAccount(adapter, accountId, { texts, config }),
  };
}

interface Overlaid {
  /** The setting as the operator knows it: a name in the environment, or the path. */
  readonly source: string;
  readonly path: string;
  readonly value: unknown;
}

/** Lays values over a configuration; an empty text is not set, and a wrong value is left out. */
function overlay(
  base: Config,
  values: readonly Overlaid[],
): { readonly config: Config; readonly problems: readonly ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  let config = base;
  for (const { source, path, value } of values) {
    if (value === undefined || value === null || value === "") continue;
    const checked = checkSetting(path, value);
    if ("value" in checked) config = withSetting(config, path, checked.value);
    else problems.push({ path: source, message: `${checked.problem.message} It is left out.` });
  }
  return { config, problems };
}

function platformAccess(
  platform: string,
  from: {
    readonly texts: EnvironmentTexts;
    readonly config: Config;
    readonly runtime: Readonly<Record<string, unknown>>;
  },
): { readonly allowAll: boolean; readonly allowed: readonly string[] } {
  const prefix = environmentWord(platform);
  const section = ownValue(from.config.platforms, platform);
  const named = (key: string, name: string): string | undefined =>
    ownValue(from.runtime, `platforms.${platform}.${key}`) === undefined
      ? from.texts.get(`${prefix}_${name}`)
      : undefined;
  const allowAll = flag.read(named("allow_all_users", "ALLOW_ALL_USERS")) ?? section?.allow_all_users ?? false;
  const allowed = textList.read(named("allowed_users", "ALLOWED_USERS")) ?? section?.allowed_users ?? [];
  return { allowAll: allowAll || allowed.includes(EVERYONE), allowed };
}

/** Names such as `SLACK_ALLOW_ALL_USERS` are read when their platform is: what is wrong with them is said at once. */
function wrongFlags(texts: EnvironmentTexts): readonly ConfigProblem[] {
  return texts.names
    .filter((name) => name.endsWith("_ALLOW_ALL_USERS") && !SETTING_NAMES.has(name))
    .filter((name) => flag.read(texts.get(name)) === undefined)
    .map((name) => ({ path: name, message: `${complain(texts.get(name), flag)} It is left out.` }));
}
