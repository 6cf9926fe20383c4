import type { Config } from "#src/config/load-config";
import type { InboundEvent, PlatformAdapter } from "#src/domain/platform";
import type { SessionScope } from "#src/domain/session-key";

/** Whom an event is for, and the session that it belongs to. */
export function routeInbound(
  groups: Config["groups"],
  profile: string,
  event: InboundEvent,
  adapter: PlatformAdapter,
  account: string | undefined,
): { readonly isAddressed: boolean; readonly key: SessionScope } {
  const threadId = event.threadId ?? event.opensThread;
  const chatType = event.opensThread === undefined ? event.chatType : "thread";
  const isGroup = chatType !== "dm";
  const mode = threadId === undefined ? groups.sessions : groups.thread_sessions;
  const isOwn = isGroup && mode === "per_user" && adapter.access !== "signed";
  const isMentioned = groups.mention_patterns.some((pattern) =>
    event.text.toLowerCase().includes(pattern.toLowerCase()),
  );
  return {
    isAddressed: event.addressed || !groups.require_mention || isMentioned,
    key: {
      profile,
      platform: adapter.name,
      ...(account === undefined ? {} : { account }),
      chatType,
      chatId: event.chatId,
      ...(threadId === undefined ? {} : { threadId }),
      ...(isOwn ? { userId: event.userId } : {}),
    },
  };
}
