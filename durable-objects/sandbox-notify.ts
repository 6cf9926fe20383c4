import type { NotifySession } from "./sandbox-watch";

/** The part of a session that hears of what its processes did. */
interface NoticeReader {
  /** Takes a notice in as a message of the system's. A second one with the same key changes nothing. */
  hearNotice(key: string, text: string): Promise<void>;
}

/** Tells sessions through their objects. */
export function notifySession(env: Env): NotifySession {
  return async (sessionKey, key, text) => {
    // RPC's types promise more than this method needs
    const session = env.SESSIONS.getByName(sessionKey) as unknown as NoticeReader;
    await session.hearNotice(key, text);
  };
}
