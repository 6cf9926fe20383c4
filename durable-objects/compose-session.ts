import type { Hooks } from "#src/domain/hook";
import type { JsonValue } from "#src/domain/json";
import type { SessionScope } from "#src/domain/session-key";
import { type Environment, environmentFor } from "./environment";
import { openLiveHub } from "./live-hub";
import { readOutboundFile } from "./outbound-file";
import { tellOwner } from "./owner-notes";
import { openMemory } from "./profile-client";
import { openSandbox } from "./sandbox-client";
import { SUBAGENT } from "./session-children";
import { type SessionCore, openWindow } from "./session-core";
import { openDeliveries } from "./session-deliveries";
import { openSessionMedia } from "./session-media";
import { judgeDelivery, openObservers } from "./session-observers";
import { keepNotes, keepWithheld, passOutbound, tellSent } from "./session-outbound";
import { openSessionStore } from "./session-store";
import { openSuspects } from "./session-suspects";

/** Platforms that nobody delivers to: who asked reads the conversation itself. */
export const DIRECT: ReadonlySet<string> = new Set(["web", "api", SUBAGENT]);

/** Puts a session's parts together: they share this core, and nothing else. */
export function composeSession(
  ctx: DurableObjectState,
  env: Env,
  scope: SessionScope,
  key: string,
  arm: () => void,
): SessionCore {
  const { profile, platform, chatType, userId } = scope;
  const store = openSessionStore(ctx.storage);
  const hub = openLiveHub(ctx);
  const now = (): number => Date.now();
  const window = openWindow(store, now, key);
  let hooksNow: Hooks | undefined;
  const suspects = openSuspects({
    store,
    sync: () => ctx.storage.sync(),
    async quarantine({ module, hookId }) {
      const audit = { at: now(), action: "quarantine", principal: "system", surface: key, note: hookId };
      await env.PROFILES.getByName(profile).keepOff("quarantined", module, audit);
      environmentFor.forget(profile, Number.POSITIVE_INFINITY);
      const words = `⚠️ The hook \`${hookId}\` was running when I died, twice in a row: it is not called any more. \`/hooks enable ${hookId}\` brings it back.`;
      const told = environmentFor(env, profile).then((current) => tellOwner(env, profile, current, words, key));
      keepAlive(told.catch((error: unknown) => console.error(words, error)));
    },
  });
  const environment = async (): Promise<Environment> => {
    // hooks are read without whoever was found
    await suspects.settled();
    const current = await environmentFor(env, profile);
    hooksNow = current.hooks;
    return current;
  };
  const routeOf: SessionCore["routeOf"] = async (origin) => (await environment()).routeOf(origin);
  const keepAlive = (work: Promise<unknown>): void => ctx.waitUntil(work);
  const workspace = (): ReturnType<SessionCore["workspace"]> => openSandbox(env, profile);
  const deliveries = openDeliveries({
    store,
    routeOf,
    readFile: (path) => readOutboundFile(workspace(), path),
    async limits() {
      const { delivery, streaming } = await environment();
      return { ...delivery, threshold: streaming.threshold };
    },
    // who listens is not known before the first look: what cannot wait for that is looked at when it is sent
    isGated: () => hooksNow?.listens("outbound.message") !== false,
    pass: (record) => passOutbound(core, record),
    onSent: (record) => tellSent(core, record),
    onWithheld: (record, reason) => keepWithheld(core, record, reason),
    onNotes: (record, notes) => keepNotes(core, record, notes),
    transaction: (work) => core.commit(work),
    arm,
    keepAlive,
    now,
    random: Math.random,
  });
  const observers = openObservers({
    store,
    async send(delivery, attempt) {
      const { hooksSetup } = await environment();
      const common = { session_id: key, session_key: key, agent_id: profile, surface: platform };
      return hooksSetup?.send(delivery, attempt, common);
    },
    judge: judgeDelivery,
    transaction: (work) => store.transaction(work),
    arm,
    keepAlive,
    now,
  });
  const core: Omit<SessionCore, "media"> = {
    ...window,
    key,
    bootId: crypto.randomUUID(),
    isShared: chatType !== "dm" && userId === undefined,
    isPersonal: platform !== "webhook",
    store,
    hub,
    deliveries,
    environment,
    hooksNow: () => hooksNow,
    moveToEnd(message) {
      window.moveToEnd(message);
      hub.send({ type: "reload" });
    },
    observers,
    suspects,
    commit(work) {
      try {
        const [result, forget] = store.transaction(() => [work(), observers.flush()] as const);
        forget();
        return result;
      } catch (error) {
        window.forgetRows();
        throw error;
      }
    },
    arm,
    sync: () => ctx.storage.sync(),
    keepAlive,
    workspace,
    childSession: (child) => env.SESSIONS.getByName(child),
    memory: () => openMemory(env, profile),
    async allowAlways(keys) {
      await env.PROFILES.getByName(profile).allowAlways([...keys]);
      environmentFor.forget(profile, Number.POSITIVE_INFINITY);
    },
    async noteWaiting(isWaiting) {
      const noted = env.PROFILES.getByName(profile).noteWaiting(key, isWaiting);
      await noted.catch((error: unknown) => console.error(`${key}: the profile was not told of a question`, error));
    },
    spentToday: () => env.PROFILES.getByName(profile).spentOn(new Date(now()).toISOString().slice(0, 10)),
    async keepCredentials(pool) {
      // plain JSON: RPC's types cannot tell
      await env.PROFILES.getByName(profile).keepCredentials(pool.vendor, pool as unknown as JsonValue);
    },
    routeOf,
    isMessenger: (origin) => !DIRECT.has(origin.platform),
    now,
    random: Math.random,
  };
  return Object.assign(core, { media: openSessionMedia(core, env.MEDIA) });
}
