export type ChatType = "dm" | "group" | "channel" | "thread";

/** What a session is: one conversation of one profile on one platform. */
export interface SessionScope {
  readonly profile: string;
  readonly platform: string;
  /** Only for platforms that serve several accounts: `/webhooks/:platform/:account`. */
  readonly account?: string;
  readonly chatType: ChatType;
  readonly chatId: string;
  readonly threadId?: string;
  /** Present when each person of a group has a conversation of their own. */
  readonly userId?: string;
}

export const DEFAULT_PROFILE = "main";

const CHAT_TYPES: ReadonlySet<string> = new Set<ChatType>(["dm", "group", "channel", "thread"]);

/** Writes a scope as the one string that names its Durable Object, e.g. `main:telegram:dm:7001`. */
export function formatSessionKey(scope: SessionScope): string {
  const platform =
    encodeURIComponent(scope.platform) + (scope.account === undefined ? "" : `@${encodeURIComponent(scope.account)}`);
  const parts = [encodeURIComponent(scope.profile), platform, scope.chatType, encodeURIComponent(scope.chatId)];
  if (scope.threadId !== undefined) parts.push(`t=${encodeURIComponent(scope.threadId)}`);
  if (scope.userId !== undefined) parts.push(`u=${encodeURIComponent(scope.userId)}`);
  return parts.join(":");
}

/** Reads a session key back. Returns undefined for anything that {@link formatSessionKey} did not write. */
export function parseSessionKey(key: string): SessionScope | undefined {
  const [profile, platformAndAccount, chatType, chatId, ...rest] = key.split(":");
  if (!profile || !platformAndAccount || !chatType || !chatId || !CHAT_TYPES.has(chatType)) return undefined;
  const [platform, account, ...more] = platformAndAccount.split("@");
  if (!platform || more.length > 0) return undefined;
  try {
    const scope: SessionScope = {
      profile: decodeURIComponent(profile),
      platform: decodeURIComponent(platform),
      ...(account === undefined ? {} : { account: decodeURIComponent(account) }),
      // The set above has just vouched for the word.
      chatType: chatType as ChatType,
      chatId: decodeURIComponent(chatId),
      ...suffix(rest, "t=", "threadId"),
      ...suffix(rest, "u=", "userId"),
    };
    return formatSessionKey(scope) === key ? scope : undefined;
  } catch {
    return undefined; // decodeURIComponent refuses a lone percent sign
  }
}

function suffix<K extends string>(parts: readonly string[], mark: string, name: K): { [P in K]?: string } {
  const part = parts.find((candidate) => candidate.startsWith(mark));
  // A computed key widens to an index signature, so the exact shape is said here.
  return (part === undefined ? {} : { [name]: decodeURIComponent(part.slice(mark.length)) }) as { [P in K]?: string };
}
