import { GatewayError } from "#src/domain/errors";
import { type SessionScope, formatSessionKey, parseSessionKey } from "#src/domain/session-key";

/** Longest session key in bytes, all of them ASCII. The ids of no platform come near it, and it stands in every log. */
const MAX_KEY_BYTES = 1024;

/**
 * The session that a key names.
 * @throws GatewayError `bad_request`
 */
export function sessionAt(env: Env, key: string) {
  if (parseSessionKey(key) === undefined) throw new GatewayError("bad_request", "key: that is not a session key.");
  if (key.length > MAX_KEY_BYTES)
    throw new GatewayError("bad_request", `key: longer than ${MAX_KEY_BYTES} bytes in its encoded form.`);
  return env.SESSIONS.getByName(key);
}

/**
 * The session of a scope that came from outside.
 * @throws GatewayError `bad_request` when its ids cannot be written as a key
 */
export function sessionIn(env: Env, scope: SessionScope) {
  const parts = [scope.chatId, scope.threadId, scope.userId];
  if (parts.some((part) => part?.isWellFormed() === false))
    throw new GatewayError("bad_request", "The id of a chat, thread or person is not Unicode.");
  return sessionAt(env, formatSessionKey(scope));
}
