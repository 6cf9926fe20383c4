import type { Told, TurnHooks } from "#src/agent/turn-hooks";
import type { Hooks } from "#src/domain/hook";
import {
  type HookScope,
  type HookFields,
  type HookEventName,
  type HookOccurrence,
  NO_OPINION,
} from "#src/domain/hook-event";
import { parseSessionKey } from "#src/domain/session-key";
import type { TurnOrigin } from "#src/domain/turn";
import type { OpenHooks } from "#src/hooks/open-hooks";
import { ulid } from "#src/lib/ulid";
import type { SessionCore } from "./session-core";

/** Where an event happens: what the session adds to its data. */
export interface HookScene {
  readonly origin?: TurnOrigin;
  readonly turnId?: number;
  readonly model?: string;
}

/** The hooks of a session, for events of one scene. Owed rows go out with the session's next commit. */
export function hooksOf(core: Omit<SessionCore, "media">, hooks: Hooks | OpenHooks, scene: HookScene): TurnHooks {
  function occurrence(event: HookEventName, data: HookFields): HookOccurrence {
    const at = core.now();
    return { event, id: `evt_${ulid(at, core.random)}`, seq: core.observers.nextSeq(), at, common: common(), data };
  }

  function common(): HookScope {
    const scope = parseSessionKey(core.key);
    const { origin, turnId, model } = scene;
    return {
      session_id: `${core.key}#${core.facts().epoch}`,
      session_key: core.key,
      agent_id: scope?.profile ?? "main",
      surface: origin?.platform ?? scope?.platform ?? "unknown",
      cwd: "/workspace",
      permission_mode: core.facts().isYolo === true ? "bypassPermissions" : "default",
      ...(turnId === undefined ? {} : { turn_id: String(turnId) }),
      ...(model === undefined ? {} : { model }),
      ...(origin === undefined ? {} : { user: { id: origin.user.id, platform: origin.platform } }),
      ...(scope === undefined
        ? {}
        : {
            chat: {
              id: scope.chatId,
              type: scope.chatType,
              ...(scope.threadId === undefined ? {} : { thread_id: scope.threadId }),
            },
          }),
    };
  }

  /** The hooks as they are called here: those of a hook's own doing, and under somebody's eyes where that is needed. */
  function heard(): Hooks {
    const origin = scene.origin?.hook;
    const watch = core.suspects.watch();
    if (!("from" in hooks) || (origin === undefined && watch === undefined)) return hooks;
    return hooks.from(origin ?? { depth: 0 }, watch);
  }

  return {
    listens: (event) => hooks.listens(event),
    async fire(event, data) {
      if (!hooks.listens(event)) return NO_OPINION;
      const one = occurrence(event, data);
      const called = heard();
      const settled = await called.fire(one);
      core.observers.owe(called.owed(one));
      return settled;
    },
    tell(events): Told {
      const told = events.filter(({ event }) => hooks.listens(event)).map(({ event, data }) => occurrence(event, data));
      const called = heard();
      return {
        owed: told.flatMap((one) => called.owed(one)),
        async call() {
          for (const one of told) await called.fire(one);
        },
      };
    },
  };
}
