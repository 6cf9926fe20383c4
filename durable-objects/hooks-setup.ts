import type { Hook, HookDelivery, HookLogEntry, HookResult } from "#src/domain/hook";
import type { HookOccurrence } from "#src/domain/hook-event";
import type { JsonValue } from "#src/domain/json";
import type { OpenCircuit, ProfileHooks } from "#src/domain/profile-hooks";
import { fromBase64, toBase64 } from "#src/lib/encoding";
import { hmacSha256 } from "#src/lib/hmac";
import { type HookApproval, type KnownHook, approvalsOfAllowList, statusOf } from "#src/hooks/approvals";
import { approvalsAtLoad } from "#src/hooks/approvals-at-load";
import type { HookAuditEntry } from "#src/hooks/audit";
import type { HookRun } from "#src/hooks/call-hook";
import { identifyHook } from "#src/hooks/config-digest";
import type { HookImport } from "#src/hooks/dialect";
import { CLOSED_CIRCUIT, type CircuitState } from "#src/hooks/http/circuit-breaker";
import { createDnsOverHttps } from "#src/hooks/http/dns-over-https";
import { REDUCED_BODY_BYTES } from "#src/hooks/http/fit-body";
import { hasArrived } from "#src/hooks/http/observer-backoff";
import { httpTransport } from "#src/hooks/http/http-transport";
import { hookUrlPolicy, judgeUrl } from "#src/hooks/http/judge-url";
import { type GuardVerdict, guardUrl } from "#src/hooks/http/guard-url";
import { confirmPublic, createResolvePublic } from "#src/hooks/http/resolve-public";
import type { HookInventory } from "#src/hooks/list-hooks";
import { deliveryLog, sendDelivery } from "#src/hooks/observer-delivery";
import { type HookPorts, type OpenHooks, openHooks } from "#src/hooks/open-hooks";
import type { AllowedHook } from "#src/hooks/approvals";
import { commandTransport, type CommandPorts } from "#src/hooks/transports/command";
import { type HookModule, type ModulePorts, moduleTransport } from "#src/hooks/transports/module";
import type { RunRecord } from "#src/hooks/run-statistics";
import { promptTransport, type PromptPorts } from "#src/hooks/transports/prompt";
import type { HookTransport } from "#src/hooks/transports/transport";
import { type EventTrial, type HookTrial, tryEvent, tryHook } from "#src/hooks/try-hook";
import type { RegisteredHook } from "./plugins";
import { CONFIG_FILE, importAll, isOff, quarantineLog } from "./read-hooks";

/** What an operator says of hooks beside the hooks themselves. */
export interface HookPolicy {
  readonly allowed: readonly AllowedHook[];
  readonly allowsAutoAccept: boolean;
  readonly gateDefault: "allow" | "deny" | "ask";
  readonly allowedUrls: readonly string[];
  readonly requireHttps: boolean;
  readonly extraPorts: readonly number[];
  /** Names of secrets that hooks may put into headers. */
  readonly secrets: readonly string[];
  /** DNS over HTTPS. */
  readonly dns: string;
  /** `host:port` pairs that a local start lets through. */
  readonly allowLocal: readonly string[];
  readonly ownHosts: readonly string[];
}

export interface HookSources {
  /** `hooks:` of config.yaml. */
  readonly config: JsonValue;
  readonly profile: ProfileHooks;
  readonly plugins: readonly RegisteredHook[];
  readonly modules: ReadonlyMap<string, HookModule>;
}

export interface HookWorld {
  readonly scope: string;
  readonly version: string;
  readonly isLocal: boolean;
  readonly fetch: typeof fetch;
  readonly now: () => number;
  readonly readSecret: (name: string) => string | undefined;
  readonly validate: HookPorts["validate"];
  readonly spill: HookPorts["spill"];
  readonly exec: CommandPorts["exec"];
  readonly hasSidecar: boolean;
  /** Loads modules that were not deployed with us; absent where there is no Worker Loader. */
  readonly loadModule?: ModulePorts["load"];
  readonly askModel: PromptPorts["askModel"];
  /** Keeps what hooks did, and what follows for a hook that is gone or changed. */
  readonly onRuns: (runs: readonly object[]) => void;
  readonly onGone: (hookId: string) => void;
  readonly onTampered: (hookId: string) => void;
  /** Keeps that a hook's circuit opened; undefined: that it closed. */
  readonly onCircuit: (hookId: string, circuit: OpenCircuit | undefined) => void;
  /** Keeps how deliveries to an observer go. */
  readonly onDelivery: (hookId: string, hasArrived: boolean) => void;
  /** Hears of approvals that the configuration gave by itself, at every opening. */
  readonly onAutoApproved: (audit: readonly HookAuditEntry[]) => void;
}

/** The hooks of a profile, ready to be called, listed and tried. */
export interface HooksSetup {
  readonly open: OpenHooks;
  readonly inventory: HookInventory;
  /** What was said at run time, the latest. */
  readonly log: () => readonly HookLogEntry[];
  readonly runs: () => readonly RunRecord[];
  /** One try to bring a delivery to its observer; undefined when there is no such hook any more. */
  send(delivery: HookDelivery, attempt: number, common: HookOccurrence["common"]): Promise<HookResult | undefined>;
  trial(known: KnownHook, occurrence: HookOccurrence): Promise<HookTrial>;
  /** Lets an event happen to all hooks that may run, and nothing comes of it. */
  tryEvent(occurrence: HookOccurrence): Promise<EventTrial>;
  /** Where an HTTP hook leads, as the guard before every call sees it; undefined for all others. */
  whereabouts(known: KnownHook): Promise<GuardVerdict | undefined>;
  /**
   * Looks twice, a second apart, where the name of an HTTP hook leads. Resolves the first answer that is no hook's, and
   * undefined for all others: a name that cannot be found now is judged when it is called.
   */
  wavering(known: KnownHook): Promise<string | undefined>;
  /** Judges an address that a hook asks for, by the rules for native hooks. `scope`: on whose behalf. */
  guard(url: string, scope: string): Promise<GuardVerdict>;
  /** The secrets that a hook's requests are signed with, newest first. */
  secretsOf(hookId: string): readonly string[];
}

/** Runs and lines that are remembered. */
const MAX_KEPT = 200;
/** Milliseconds between two words about an observer that all goes well with. */
const TELL_EVERY_MS = 3_600_000;
/** Milliseconds that somebody who asks waits for a name to be looked up. */
const LOOK_UP_MS = 5000;
/** Milliseconds for which a renewed secret's forerunner signs as well. Source: docs/hooks, signing. */
const OVERLAP_MS = 86_400_000;

/** Reads, judges and opens all hooks of a profile. */
export async function setUpHooks(sources: HookSources, policy: HookPolicy, world: HookWorld): Promise<HooksSetup> {
  const urlSettings = {
    isLocal: world.isLocal,
    requireHttps: policy.requireHttps,
    extraPorts: policy.extraPorts,
    ownHosts: policy.ownHosts,
    allowLocal: policy.allowLocal,
    // "any" is no list: it takes nothing off the addresses that are never a hook's
    ...(policy.allowedUrls.includes("*") ? {} : { allowedHookUrls: policy.allowedUrls }),
  };
  const options = {
    gateDefault: policy.gateDefault,
    judgeUrl: (url: string, dialect: Parameters<typeof hookUrlPolicy>[0]) => {
      const verdict = judgeUrl(url, hookUrlPolicy(dialect, urlSettings));
      return verdict.class === "public" ? undefined : verdict.class;
    },
  };
  const imports = importAll(sources, options);
  const hooks = imports.flatMap((one) => one.hooks);
  const known = await Promise.all(
    hooks.map(async (hook): Promise<KnownHook> => ({
      hook: isOff(hook, sources) ? { ...hook, disabled: true } : hook,
      identity: await identifyHook(hook),
      ...(hook.target.type === "module" && hook.target.sha256 !== undefined
        ? { contentSha256: hook.target.sha256 }
        : {}),
      isReachable: isReachable(hook, sources, world),
    })),
  );
  const consent = await consentFor(known, imports, sources, policy, world);
  const importLog = [...imports.flatMap((one) => one.log), ...consent.log, ...quarantineLog(hooks, sources)];
  for (const entry of importLog) if (entry.level !== "debug") console.warn(`hooks: ${lineOf(entry)}`);
  const secrets = await secretsOfAll(known, sources.profile, world.now());
  return openSetup({ known, consent: consent.consent, importLog, secrets, urlSettings }, sources, policy, world);
}

function isReachable({ target }: Hook, { profile }: HookSources, { hasSidecar, loadModule }: HookWorld): boolean {
  if (target.type === "command") return hasSidecar;
  if (target.type !== "module" || target.sha256 === undefined) return true;
  return loadModule !== undefined && profile.modules.includes(target.sha256);
}

async function consentFor(
  known: readonly KnownHook[],
  imports: readonly HookImport[],
  { profile }: HookSources,
  policy: HookPolicy,
  { scope, now, onAutoApproved }: HookWorld,
) {
  const at = now();
  // what came with the deployment was approved with it
  const deployed = known.filter(({ hook }) => hook.rank === "plugin").map((one) => approvalOf(one, scope, at));
  const base = {
    scope,
    master: { agent: profile.isOn },
    // only `changeHooks` writes them, with what `approve` made
    approvals: [
      ...(profile.approvals as unknown as readonly HookApproval[]),
      ...approvalsOfAllowList(policy.allowed, known, { scope, now: at }),
      ...deployed,
    ],
    now: at,
  };
  // what was added at run time waits for a person, whatever it says of itself
  const deployedFile = known.filter(({ hook }) => hook.source === CONFIG_FILE);
  const loaded = approvalsAtLoad(deployedFile, base, {
    asksAutoAccept: imports.some(
      ({ hooks, settings }) => settings.autoAccept === true && hooks.some(({ source }) => source === CONFIG_FILE),
    ),
    allowsAutoAccept: policy.allowsAutoAccept,
    isInteractive: true,
  });
  if (loaded.audit.length > 0) onAutoApproved(loaded.audit);
  return { consent: { ...base, approvals: loaded.approvals }, log: loaded.log };
}

function approvalOf({ hook, identity }: KnownHook, scope: string, at: number): HookApproval {
  return {
    scope,
    dialect: hook.dialect,
    event: hook.nativeEvent,
    target: identity.target,
    digest: identity.digest,
    approvedBy: { principal: "deployment", surface: "config", method: "gitops" },
    approvedAt: at,
  };
}

/** Signing secrets of native hooks: made of the profile's seed, so that they need no row each. */
async function secretsOfAll(
  known: readonly KnownHook[],
  { seed, renewals }: ProfileHooks,
  now: number,
): Promise<ReadonlyMap<string, readonly string[]>> {
  const key = fromBase64(seed);
  const secrets = new Map<string, readonly string[]>();
  if (key === undefined) return secrets;
  for (const { hook } of known) {
    if (hook.target.type !== "http" || hook.dialect !== "native") continue;
    const { count = 0, at = 0 } = renewals[hook.id] ?? {};
    const generations = count > 0 && now - at < OVERLAP_MS ? [count, count - 1] : [count];
    const made = await Promise.all(generations.map((one) => hmacSha256(key, `${hook.id}:${one}`)));
    secrets.set(
      hook.id,
      made.map((bytes) => `whsec_${toBase64(bytes)}`),
    );
  }
  return secrets;
}

interface Judged {
  readonly known: readonly KnownHook[];
  readonly consent: HookInventory["consent"];
  readonly importLog: readonly HookLogEntry[];
  readonly secrets: ReadonlyMap<string, readonly string[]>;
  readonly urlSettings: Parameters<typeof hookUrlPolicy>[1];
}

function openSetup(judged: Judged, sources: HookSources, policy: HookPolicy, world: HookWorld): HooksSetup {
  const { known, consent, importLog, secrets, urlSettings } = judged;
  const byId = new Map(known.map((one) => [one.hook.id, one]));
  const log: HookLogEntry[] = [];
  const runs: RunRecord[] = [];
  const circuits = new Map<string, CircuitState>(
    Object.entries(sources.profile.circuits).map(([id, open]) => [id, { ...CLOSED_CIRCUIT, ...open }]),
  );
  const tooLarge = new Set<string>();
  const arrivals = new Map<string, number>();
  const after = (ms: number, callback: () => void): (() => void) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  };
  const wait = (ms: number): Promise<void> => new Promise((resolved) => void after(ms, resolved));
  const resolve = createDnsOverHttps({ fetch: world.fetch, endpoint: policy.dns });
  const resolvePublic = createResolvePublic({ resolve, now: world.now });
  const transports: readonly HookTransport[] = [
    httpTransport({
      fetch: world.fetch,
      resolvePublic,
      now: world.now,
      after,
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      version: world.version,
      policyOf: (dialect) => hookUrlPolicy(dialect, urlSettings),
      secretsOf: (hookId) => secrets.get(hookId) ?? [],
      readSecret: (name) => (policy.secrets.includes(name) ? world.readSecret(name) : undefined),
      scopeOf: (hookId) => byId.get(hookId)?.identity.digest ?? hookId,
      maxBytesOf: (hookId) => (tooLarge.has(hookId) ? REDUCED_BODY_BYTES : undefined),
    }),
    moduleTransport({
      bundled: (name) => sources.modules.get(name),
      ...(world.loadModule === undefined ? {} : { load: world.loadModule }),
    }),
    commandTransport({
      exec: world.exec,
      pinOf: (hookId) =>
        consent.approvals.find((one) => one.digest === byId.get(hookId)?.identity.digest)?.contentSha256,
    }),
    promptTransport({ askModel: world.askModel }),
    // each takes the target of its own type, by which it is looked up
  ] as readonly HookTransport[];
  const transportOf: HookPorts["transportOf"] = (type) => transports.find((one) => one.type === type);
  const guard = (url: string, scope: string, dialect: Hook["dialect"]): Promise<GuardVerdict> =>
    guardUrl(url, {
      policy: hookUrlPolicy(dialect, urlSettings),
      resolvePublic,
      scope,
      signal: AbortSignal.timeout(LOOK_UP_MS),
    });
  const tell = (entry: HookLogEntry): void => {
    keep(log, entry);
    if (entry.level !== "debug") console.warn(`hooks: ${lineOf(entry)}`);
  };
  /** All failures are told of, and what comes between them. */
  const noteDelivery = (hookId: string, isThere: boolean): void => {
    const now = world.now();
    if (isThere && now - (arrivals.get(hookId) ?? 0) < TELL_EVERY_MS) return;
    arrivals.set(hookId, isThere ? now : 0);
    world.onDelivery(hookId, isThere);
  };
  const callPorts = { now: world.now, after, transportOf, spill: world.spill };
  const listed = known.map((one) => ({ hook: one.hook, status: statusOf(one, consent) }));
  const open = openHooks(listed, {
    ...callPorts,
    validate: world.validate,
    circuits: {
      read: (hookId) => circuits.get(hookId) ?? CLOSED_CIRCUIT,
      write(hookId, state) {
        const { openedAt, openMs, consecutive } = state;
        const isChanged = openedAt !== circuits.get(hookId)?.openedAt;
        circuits.set(hookId, state);
        const isOpen = openedAt !== undefined && openMs !== undefined;
        if (isChanged) world.onCircuit(hookId, isOpen ? { consecutive, openedAt, openMs } : undefined);
      },
    },
    log: tell,
    onRun(run) {
      if (run.result.status === 413) tooLarge.add(run.hook.id);
      const record = recordOf(run, world.now());
      keep(runs, record);
      if (run.decision !== undefined || run.result.code !== undefined) world.onRuns([record]);
    },
    onGone: (hook) => world.onGone(hook.id),
    onTampered: (hook) => world.onTampered(hook.id),
  });
  return {
    open,
    inventory: { known, consent, importLog, signed: new Set(secrets.keys()) },
    log: () => log,
    runs: () => runs,
    async send(delivery, attempt, common) {
      const one = byId.get(delivery.hookId);
      if (one === undefined || statusOf(one, consent) !== "active") return undefined;
      const signal = AbortSignal.timeout(one.hook.timeoutMs);
      const now = world.now();
      const transport = transportOf(one.hook.target.type);
      const result = await sendDelivery({ hook: one.hook, delivery, common, at: now, attempt, now, signal }, transport);
      keep(runs, { ...recordOf({ hook: one.hook, result }, now), event: delivery.event, mode: "observe" });
      deliveryLog(one.hook, result).forEach(tell);
      if (result.gone === true) world.onGone(one.hook.id);
      else noteDelivery(one.hook.id, hasArrived(result));
      return result;
    },
    trial: (one, occurrence) => tryHook(one.hook, occurrence, callPorts),
    tryEvent: (occurrence) => tryEvent(listed, occurrence, { ...callPorts, validate: world.validate }),
    async whereabouts({ hook, identity }) {
      return hook.target.type === "http" ? guard(hook.target.url, identity.digest, hook.dialect) : undefined;
    },
    async wavering({ hook }) {
      if (hook.target.type !== "http") return undefined;
      const judged = judgeUrl(hook.target.url, hookUrlPolicy(hook.dialect, urlSettings));
      if (judged.class !== "public" || judged.resolve === undefined) return undefined;
      const looked = await confirmPublic(judged.resolve, { resolve, wait }, AbortSignal.timeout(LOOK_UP_MS));
      return looked.class === "dns-private" ? `${looked.answer} (${looked.answerClass})` : undefined;
    },
    guard: (url, scope) => guard(url, scope, "native"),
    secretsOf: (hookId) => secrets.get(hookId) ?? [],
  };
}

function keep<T>(list: T[], one: T): void {
  list.push(one);
  if (list.length > MAX_KEPT) list.shift();
}

function recordOf(run: Pick<HookRun, "hook" | "result"> & Partial<HookRun>, at: number): RunRecord {
  const { decision, result, hook } = run;
  const said = decision?.decision ?? (decision === undefined ? undefined : Object.keys(decision)[0]);
  return {
    at,
    hook: hook.id,
    name: hook.name,
    event: run.occurrence?.event ?? hook.nativeEvent,
    mode: run.mode ?? "observe",
    exit: result.exit,
    durationMs: result.durationMs,
    ...(result.code === undefined ? {} : { code: result.code }),
    ...(said === undefined ? {} : { decision: said }),
  };
}

/** A line of the hooks' log for people. */
function lineOf({ code, hook, message, hint, suggestion }: HookLogEntry): string {
  const meant = suggestion === undefined ? "" : ` (did you mean ${suggestion}?)`;
  return `${hook === undefined ? "" : `${hook}: `}${message ?? code}${meant}${hint === undefined ? "" : ` (it counts ${hint})`} [${code}]`;
}
