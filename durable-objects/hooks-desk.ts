import { HOOK_EVENTS, type HookEventName, type HookOccurrence, NO_OPINION } from "#src/domain/hook-event";
import { GatewayError } from "#src/domain/errors";
import type { JsonObject } from "#src/domain/json";
import type { HookModuleSource, ProfileHooks } from "#src/domain/profile-hooks";
import { parseSessionKey } from "#src/domain/session-key";
import type { HookApproval, KnownHook } from "#src/hooks/approvals";
import type { HookAuditEntry } from "#src/hooks/audit";
import type { HooksHealth } from "#src/hooks/describe-status";
import type { GuardVerdict } from "#src/hooks/http/guard-url";
import { judgeAddress } from "#src/hooks/http/judge-address";
import type { HookInventory } from "#src/hooks/list-hooks";
import { listHooks } from "#src/hooks/list-hooks";
import type { HooksChange } from "#src/hooks/manage-hooks";
import { type RunRecord, joinRuns, runStatistics } from "#src/hooks/run-statistics";
import { type EventTrial, type HookTrial, madeUpOccurrence } from "#src/hooks/try-hook";
import { ulid } from "#src/lib/ulid";
import { environmentFor, systemSession } from "./environment";
import { hooksOfEnvironment, networkedModules } from "./hooks-of-environment";
import type { HooksSetup } from "./hooks-setup";
import { openSandbox } from "./sandbox-client";
import type { ObserverRecord } from "./session-observers";

/** The hooks of a profile as somebody looks at them. */
export interface HooksView {
  /** Of the profile: whoever changes something says which version they saw. */
  readonly version: number;
  readonly profile: ProfileHooks;
  /** Absent where there are no hooks. */
  readonly setup: HooksSetup | undefined;
  readonly inventory: HookInventory;
}

/** What somebody wants changed after they have looked, and what they are told. */
export interface HooksEdit<T> {
  readonly changes?: Partial<ProfileHooks>;
  readonly audit?: readonly HookAuditEntry[];
  readonly result: T;
}

/** A call that is owed to an observer, and by which session. */
export interface OwedObserver {
  readonly id: string;
  readonly session: string;
  readonly record: ObserverRecord;
}

/** What is known of a hook beside its definition. */
export interface HookFacts {
  readonly id: string;
  /** Of an HTTP hook: the class of its address, and what its name resolves to now. */
  readonly address?: string;
  readonly last?: RunRecord;
}

/** What a trial is made of. */
export interface TrialWish {
  readonly event: HookEventName;
  readonly tool?: string;
  readonly data?: JsonObject;
}

/** What the profile keeps of hooks, as its methods give it. */
interface ProfileRows {
  version(): Promise<number>;
  hooks(): Promise<ProfileHooks>;
  changeHooks(changes: Partial<ProfileHooks>, audit: readonly object[], expected: number): Promise<boolean>;
  hookRuns(limit: number): Promise<readonly RunRecord[]>;
  hookAudit(limit: number): Promise<readonly HookAuditEntry[]>;
  hookModules(): Promise<readonly HookModuleSource[]>;
  hookModule(sha256: string): Promise<string | undefined>;
  keepHookModule(module: HookModuleSource, source: string, audit: object): Promise<void>;
  dropHookModule(sha256: string, audit: object): Promise<void>;
  sessionsWithDeliveries(limit: number): Promise<readonly string[]>;
}

/** Where hooks are looked at and changed, whatever the surface: nothing here knows who asks. */
export type HooksDesk = ReturnType<typeof openHooksDesk>;

/** Times a change is tried anew because somebody else changed something meanwhile. */
const MAX_TRIES = 5;
/** Runs and entries of the log that are looked at. */
const MAX_LOGGED = 500;
/** Sessions asked for what they owe. */
const MAX_SESSIONS = 50;

export function openHooksDesk(env: Env, profile: string, now: () => number = Date.now) {
  // RPC's types cannot carry JSON of any depth
  const profileOf = () => env.PROFILES.getByName(profile) as unknown as ProfileRows;

  function viewOf(version: number, hooks: ProfileHooks, setup: HooksSetup | undefined): HooksView {
    const empty: HookInventory = {
      known: [],
      // only `changeHooks` writes them, with what `approve` made
      consent: { scope: profile, master: { agent: hooks.isOn }, approvals: approvalsIn(hooks), now: now() },
      importLog: [],
      signed: new Set(),
    };
    const inventory = setup?.inventory ?? empty;
    // what was opened a while ago is judged by the clock of whoever looks
    return {
      version,
      profile: hooks,
      setup,
      inventory: { ...inventory, consent: { ...inventory.consent, now: now() } },
    };
  }

  async function look(): Promise<HooksView> {
    const version = await profileOf().version();
    const hooks = await profileOf().hooks();
    environmentFor.forget(profile, version);
    const { hooksSetup } = await environmentFor(env, profile);
    return viewOf(version, hooks, hooksSetup);
  }

  /** The view if this were the profile's: nothing is kept. */
  async function rehearse(hooks: ProfileHooks): Promise<HooksView> {
    const environment = await environmentFor(env, profile);
    return viewOf(0, hooks, await hooksOfEnvironment(env, profile, environment, { hooks }));
  }

  function madeUp({ event, tool, data }: TrialWish): HookOccurrence {
    return madeUpOccurrence(event, {
      at: now(),
      id: `evt_${ulid(now(), Math.random)}`,
      ...(tool === undefined ? {} : { tool }),
      ...(data === undefined ? {} : { data }),
    });
  }

  return {
    look,
    rehearse,

    /**
     * Changes something after a look. `expected`: the version that whoever asks has seen. Resolves undefined, and
     * changes nothing, when it is another one by now.
     */
    async edit<T>(
      decide: (view: HooksView) => HooksEdit<T> | Promise<HooksEdit<T>>,
      expected?: number,
    ): Promise<{ readonly result: T; readonly version: number } | undefined> {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const view = await look();
        if (expected !== undefined && expected !== view.version) return undefined;
        const { changes, audit = [], result } = await decide(view);
        if (changes === undefined) return { result, version: view.version };
        if (await profileOf().changeHooks(changes, [...audit], view.version)) {
          environmentFor.forget(profile, Number.POSITIVE_INFINITY);
          return { result, version: await profileOf().version() };
        }
      }
      throw new GatewayError("conflict", "The profile is being changed all the time; try again.");
    },

    /** Calls one hook with a made-up event, the way that real events go. */
    async trial({ setup }: HooksView, known: KnownHook, wish: TrialWish): Promise<HookTrial> {
      if (setup === undefined) throw new TypeError("there are no hooks to try");
      return setup.trial(known, madeUp(wish));
    },

    /** Lets a made-up event happen to all hooks that may run, and settles what they want. */
    async tryEvent({ setup }: HooksView, wish: TrialWish): Promise<EventTrial> {
      return setup?.tryEvent(madeUp(wish)) ?? { settlement: NO_OPINION, trials: new Map(), log: [] };
    },

    /** What hooks did, latest first: all that mattered, and the rest as far as it happened here. */
    async runs({ setup }: HooksView, limit: number, hookId?: string): Promise<readonly RunRecord[]> {
      const kept = await profileOf().hookRuns(MAX_LOGGED);
      return joinRuns(kept, setup?.runs() ?? [])
        .filter(({ hook }) => hookId === undefined || hook === hookId)
        .slice(0, limit);
    },

    audit(limit: number): Promise<readonly HookAuditEntry[]> {
      return profileOf().hookAudit(Math.min(limit, MAX_LOGGED));
    },

    /** A file of the profile's workspace. */
    readFile: (path: string) => openSandbox(env, profile).readFile(path),

    /** The sources of hook modules that are kept, oldest first. */
    modules: () => profileOf().hookModules(),
    module: (sha256: string) => profileOf().hookModule(sha256),
    /** Hashes of the modules that the operator lets reach the network, kept or not. */
    networked: async () => networkedModules((await environmentFor(env, profile)).settings),

    async keepModule(module: HookModuleSource, source: string, audit: HookAuditEntry): Promise<void> {
      await profileOf().keepHookModule(module, source, audit);
      environmentFor.forget(profile, Number.POSITIVE_INFINITY);
    },

    async dropModule(sha256: string, audit: HookAuditEntry): Promise<void> {
      await profileOf().dropHookModule(sha256, audit);
      environmentFor.forget(profile, Number.POSITIVE_INFINITY);
    },

    /** What is known of hooks beside their definition: where they lead, and when they were called last. */
    async facts(view: HooksView, hookId?: string): Promise<readonly HookFacts[]> {
      const runs = await this.runs(view, MAX_LOGGED);
      const known = view.inventory.known.filter(({ hook }) => hookId === undefined || hook.id === hookId);
      return Promise.all(
        known.map(async (one) => {
          const verdict = await view.setup?.whereabouts(one);
          const last = runs.find(({ hook }) => hook === one.hook.id);
          return {
            id: one.hook.id,
            ...(verdict === undefined ? {} : { address: describeVerdict(verdict) }),
            ...(last === undefined ? {} : { last }),
          };
        }),
      );
    },

    /** How all of them are doing. */
    async health(view: HooksView): Promise<HooksHealth> {
      const hooks: Partial<Record<string, number>> = {};
      for (const { status } of listHooks(view.inventory)) hooks[status] = (hooks[status] ?? 0) + 1;
      const owed = await this.deliveries();
      return {
        isOn: view.profile.isOn,
        hooks,
        events: runStatistics(await this.runs(view, MAX_LOGGED)),
        openCircuits: Object.keys(view.profile.circuits).filter((id) =>
          view.inventory.known.some(({ hook }) => hook.id === id),
        ),
        quarantined: view.profile.quarantined,
        deliveries: {
          owed: owed.filter(({ record }) => record.state === "owed").length,
          dead: owed.filter(({ record }) => record.state === "dead").length,
        },
      };
    },

    /** What the sessions of this profile owe to observers; those of `session` alone when it is given. */
    async deliveries(session?: string): Promise<readonly OwedObserver[]> {
      const system = systemSession(env, profile).name ?? "";
      const keys = session === undefined ? await profileOf().sessionsWithDeliveries(MAX_SESSIONS) : [session];
      const asked = session === undefined ? [...new Set([...keys, system])] : keys;
      const lists = await Promise.all(
        asked.map(async (key) => {
          const records = await env.SESSIONS.getByName(key).observerDeliveries();
          return records.map((record) => ({ id: `${key}#${record.id}`, session: key, record }));
        }),
      );
      return lists.flat();
    },

    /** Tries again to bring a delivery that was given up. False when there is none with this id here. */
    async replay(id: string): Promise<boolean> {
      const [, key = "", number = ""] = /^(.+)#(\d{1,15})$/.exec(id) ?? [];
      if (parseSessionKey(key)?.profile !== profile) return false;
      return env.SESSIONS.getByName(key).replayObserver(Number(number));
    },
  };
}

/** Changes of a command in the profile's own terms. */
export function profileChanges(changes: readonly HooksChange[], view: HooksView): Partial<ProfileHooks> {
  const { disabled, quarantined } = view.profile;
  return Object.assign(
    {},
    ...changes.map((change): Partial<ProfileHooks> => {
      if (change.type === "master") return { isOn: change.isOn };
      // what comes with every opening is not the profile's to keep
      if (change.type === "approvals") return { approvals: toJson(change.approvals.filter(isOwn)) };
      const others = disabled.filter((id) => id !== change.hookId);
      if (change.isDisabled) return { disabled: [...others, change.hookId] };
      const target = view.inventory.known.find(({ hook }) => hook.id === change.hookId)?.hook.target;
      const module = target?.type === "module" ? target.module : undefined;
      return { disabled: others, quarantined: quarantined.filter((one) => one !== module) };
    }),
  ) as Partial<ProfileHooks>;
}

/** Whether a person gave an approval: the others are given anew whenever hooks are opened. */
export function isOwn({ approvedBy }: HookApproval): boolean {
  return approvedBy.method !== "gitops" && approvedBy.method !== "auto";
}

/** Our name of an event that may be written in a dialect's; undefined for one that has no moment here. */
export function canonicalEvent(written: string, known?: KnownHook): HookEventName | undefined {
  const named = Object.hasOwn(HOOK_EVENTS, written) ? [written as HookEventName] : known?.hook.events;
  return named?.find((event) => !("absent" in HOOK_EVENTS[event]));
}

function describeVerdict(verdict: GuardVerdict): string {
  const place = verdict.class === "public" ? judgeAddress(verdict.url.hostname) : undefined;
  if (verdict.class === "public" && place !== undefined && place !== "public")
    return `${place} (${verdict.url.host}), which HOOKS_ALLOW_LOCAL lets through`;
  const addresses = "addresses" in verdict ? ` (${[...new Set(verdict.addresses)].join(", ")})` : "";
  const answer = "answer" in verdict ? ` (${verdict.answer})` : "";
  return `${verdict.class}${addresses}${answer}`;
}

function approvalsIn(hooks: ProfileHooks): readonly HookApproval[] {
  return hooks.approvals as unknown as readonly HookApproval[];
}

function toJson(approvals: readonly HookApproval[]): ProfileHooks["approvals"] {
  // plain JSON by its contract
  return approvals as unknown as ProfileHooks["approvals"];
}
