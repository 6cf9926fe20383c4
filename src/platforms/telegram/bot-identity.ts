import type { PlatformAccount, PlatformIo } from "#src/domain/platform";
import { callPlatform } from "../call-platform";
import { apiUrl } from "./api-url";
import { field, textField } from "./read-field";

/** Who the bot of an account is. */
export interface BotIdentity {
  /** Absent when neither setting nor token says it. */
  readonly id: string | undefined;
  /** Whether `@name` in a message is this bot. */
  isNamed(name: string): boolean;
}

/** Milliseconds to wait for Telegram to say the bot's name: a webhook waits too. */
const LOOKUP_TIMEOUT_MS = 3000;
/** Milliseconds before a lookup that failed is tried again. */
const LOOKUP_PAUSE_MS = 60_000;

interface Lookup {
  readonly name: string | undefined;
  readonly at: number;
}

/**
 * Names learned in this isolate, by API host and bot id: they hardly ever change, and asking costs a request. Answers
 * only, never promises: workerd lets no request wait for what another one began.
 */
const lookups = new Map<string, Lookup>();

/** The bot's id: the setting, else the digits before the colon of its token. */
function botId({ settings }: PlatformAccount): string | undefined {
  return settings["bot_user_id"] ?? /^(\d+):/.exec(settings["bot_token"] ?? "")?.[1];
}

/**
 * Who the bot is. Its name is the setting, else asked of Telegram when `needsName`. Never throws: when the name that is
 * needed cannot be learned, every name that ends in "bot" counts as ours, for with its privacy mode on, as bots have it, a bot in a
 * group is told of its own commands and mentions alone.
 */
export async function identifyBot(account: PlatformAccount, needsName: boolean, io: PlatformIo): Promise<BotIdentity> {
  const known = account.settings["bot_username"]?.replace(/^@/, "");
  const username = known ?? (needsName ? await lookUpName(account, io) : undefined);
  return {
    id: botId(account),
    isNamed: (name) =>
      username === undefined ? needsName && /bot$/i.test(name) : name.toLowerCase() === username.toLowerCase(),
  };
}

async function lookUpName(account: PlatformAccount, io: PlatformIo): Promise<string | undefined> {
  const key = `${account.settings["api_base"] ?? ""} ${botId(account) ?? ""}`;
  const before = lookups.get(key);
  if (before?.name !== undefined) return before.name;
  if (before !== undefined && io.now() - before.at < LOOKUP_PAUSE_MS) return undefined;
  const name = await askName(account, io);
  lookups.set(key, { name, at: io.now() });
  return name;
}

async function askName(account: PlatformAccount, io: PlatformIo): Promise<string | undefined> {
  try {
    const { signal } = new AbortController();
    const call = { url: apiUrl(account, "getMe"), init: {}, signal, timeoutMs: LOOKUP_TIMEOUT_MS, label: "Telegram" };
    const answer: unknown = await (await callPlatform(io, call)).json();
    return textField(field(answer, "result"), "username");
  } catch {
    return undefined; // a message must not be lost because a name could not be asked
  }
}
