import type { Hook, HookDialectName, HookFailurePolicy, HookLogEntry, HookTarget } from "#src/domain/hook";
import type { JsonObject, JsonValue } from "#src/domain/json";
import type { HookImport } from "#src/hooks/dialect";
import { dialectOf } from "#src/hooks/dialects/registry";
import {
  type Consent,
  type HookApproval,
  type KnownHook,
  approvalsOf,
  approve,
  isTarget,
  statusOf,
} from "#src/hooks/approvals";
import { approvalsAtLoad } from "#src/hooks/approvals-at-load";
import { identifyHook } from "#src/hooks/config-digest";
import { type Examination, examineHooks } from "#src/hooks/examine-hooks";
import type { CallPorts } from "#src/hooks/call-hook";
import { CLOSED_CIRCUIT, type CircuitState } from "#src/hooks/http/circuit-breaker";
import { REDUCED_BODY_BYTES } from "#src/hooks/http/fit-body";
import type { HttpHookPorts } from "#src/hooks/http/http-transport";
import { type HookUrlSettings, hookUrlPolicy, judgeUrl } from "#src/hooks/http/judge-url";
import { createResolvePublic } from "#src/hooks/http/resolve-public";
import type { HookInventory } from "#src/hooks/list-hooks";
import { type HooksChange, type ManagingCommand, manageHooks } from "#src/hooks/manage-hooks";
import { type OpenHooks, openHooks } from "#src/hooks/open-hooks";
import { type HooksCommand, parseHooksArguments, parseHooksCommandLine } from "#src/hooks/parse-hooks-command";
import { hookTransports } from "#src/hooks/transports/registry";
import type { HookTransport } from "#src/hooks/transports/transport";
import { madeUpOccurrence, tryHook } from "#src/hooks/try-hook";
import type { HookCase, Simulation, Step } from "./case-file";
import { APPROVED_SHA256, CHANGED_SHA256, type HookWorld, hookWorld } from "./hook-world";
import { schemaProblem } from "./json-schema";
import type { CaseEvent } from "./scene";
import type { VirtualClock } from "./virtual-clock";

/** The hooks of one case, loaded, approved and ready. */
export interface HookSystem {
  readonly world: HookWorld;
  /** As they are now: a step may have opened them anew. */
  readonly hooks: () => OpenHooks;
  readonly log: HookLogEntry[];
  readonly spilled: readonly string[];
  readonly inventory: () => HookInventory;
  readonly gone: Set<string>;
  /** What the operator says of addresses. */
  readonly urlSettings: HookUrlSettings;
  readonly hookOf: (hookId: string) => Hook | undefined;
  readonly transportOf: (type: HookTarget["type"]) => HookTransport | undefined;
  /** Hooks of the system by the case's id, in order. */
  readonly hooksById: ReadonlyMap<string, readonly Hook[]>;
  /** What doctor said, when a step ran it. */
  readonly examined: () => Examination | undefined;
  examine(id?: string): Promise<Examination>;
  take(step: Step): Promise<void>;
}

const SCOPE = "main";
const SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

/** Loads a case's configuration through the importer and sets its gates. */
export async function loadSystem(test: HookCase, about: CaseEvent, clock: VirtualClock): Promise<HookSystem> {
  const settings = settingsOf(test);
  const imports = importAll(test, settings);
  const hooks = imports.flatMap((one) => one.hooks);
  const entries = imports.flatMap((one) => one.entries);
  const byId = new Map(test.hook_config.ids.map((id, index) => [id, hooksNamed(hooks, entries[index] ?? [])] as const));
  const idOfHook = new Map([...byId].toReversed().flatMap(([id, own]) => own.map((hook) => [hook.id, id] as const)));
  const changed = test.gates?.content_changed ?? [];
  const { _simulate: simulate } = test.input as { readonly _simulate?: Simulation };
  const alwaysBlocks = simulate?.hook_always_blocks === true;
  const world = hookWorld({
    clock,
    responses: test.hook_response,
    idOf: (id) => idOfHook.get(id),
    changed,
    alwaysBlocks,
  });
  const log: HookLogEntry[] = imports.flatMap((one) => one.log);
  const importLog = [...log];
  const spilled: string[] = [];
  const gone = new Set<string>();
  const limits = new Map<string, number>();
  const circuits = new Map<string, CircuitState>();
  const signed = new Set(
    hooks.filter(({ dialect, target }) => dialect === "native" && target.type === "http").map(({ id }) => id),
  );
  const transports = hookTransports({
    module: { bundled: world.bundled },
    http: { ...httpPorts(test, world, clock, settings, signed), maxBytesOf: (id) => limits.get(id) },
    command: {
      exec: world.exec,
      pinOf: (id) => pins.get(id),
    },
    prompt: { askModel: world.askModel },
  });
  const transportOf = (type: HookTarget["type"]) => world.watch(transports(type));
  const pins = new Map<string, string>();
  const callPorts: CallPorts = {
    now: clock.now,
    after: clock.after,
    transportOf,
    circuits: { read: (id) => circuits.get(id) ?? CLOSED_CIRCUIT, write: (id, state) => void circuits.set(id, state) },
    log: (entry) => void log.push(entry),
    spill: async (text) => {
      spilled.push(text);
      return `/workspace/.talaria/hooks/${spilled.length}.txt`;
    },
    onRun: ({ hook, result }) => {
      if (result.status === 413) limits.set(hook.id, REDUCED_BODY_BYTES);
    },
    onGone: (hook) => void gone.add(hook.id),
    onTampered: () => undefined,
  };
  const identified = await Promise.all(hooks.map(async (hook) => ({ hook, identity: await identifyHook(hook) })));
  const contentOf = (hook: Hook, isNow: boolean) =>
    changed.includes(idOfHook.get(hook.id) ?? "") ? { contentSha256: isNow ? CHANGED_SHA256 : APPROVED_SHA256 } : {};
  const known = (isNow = true): readonly KnownHook[] =>
    identified.map((one) => ({ ...one, ...contentOf(one.hook, isNow), isReachable: true }));
  const before: Consent = {
    scope: SCOPE,
    master: test.gates?.master === false ? { agent: false } : {},
    approvals: approvedBefore(test, known(false), idOfHook),
    now: clock.now(),
  };
  const loaded = approvalsAtLoad(known(), before, {
    asksAutoAccept: imports.some((one) => one.settings.autoAccept === true),
    allowsAutoAccept: test.global_config?.["allowAutoAccept"] === true,
    isInteractive: test.gates?.interactive !== false,
  });
  log.push(...loaded.log);
  let consent: Consent = { ...before, approvals: loaded.approvals };
  const disabled = new Map<string, boolean>();
  const validate = (_tool: string, input: JsonObject) =>
    schemaProblem(test.input["_tool_schema"] ?? { type: "object" }, about.inputAsWritten(input));
  const nowKnown = (): readonly KnownHook[] =>
    known().map((one) => {
      const isOff = disabled.get(one.hook.id);
      return isOff === undefined ? one : { ...one, hook: withDisabled(one.hook, isOff) };
    });
  const open = (): OpenHooks => {
    for (const one of known()) {
      const pinned = approvalsOf(one, consent).at(-1)?.contentSha256;
      if (pinned !== undefined) pins.set(one.hook.id, pinned);
    }
    return openHooks(
      nowKnown().map((one) => ({ hook: one.hook, status: statusOf(one, consent) })),
      { ...callPorts, validate },
      test.global_config?.["askInBypass"] === "allow" ? { askInBypass: "allow" } : {},
    );
  };
  let opened = open();
  let examined: Examination | undefined;
  const inventory = (): HookInventory => ({ known: nowKnown(), consent, importLog, signed });
  const tryOut = ({ hook }: KnownHook) =>
    tryHook(hook, madeUpOccurrence(hook.events[0] ?? about.event, { at: clock.now(), id: "evt_trial" }), callPorts);
  const examine = (id?: string): Promise<Examination> => examineHooks(inventory(), tryOut, id);

  async function obey(command: HooksCommand): Promise<void> {
    if (command.type === "doctor") {
      examined = await examine(command.id);
      log.push(
        ...examined.hooks.flatMap(({ flags }) =>
          flags.flatMap(({ code, message }) => (code === undefined ? [] : [{ level: "warn" as const, code, message }])),
        ),
      );
      return;
    }
    if (command.type === "test") {
      const meant = nowKnown().filter(({ hook }) => hook.nativeEvent === command.event);
      for (const one of meant) log.push(...(await tryOut(one)).log);
      return;
    }
    if (command.type === "status" || command.type === "log" || command.type === "deliveries") return;
    const outcome = manageHooks(command as ManagingCommand, inventory(), OWNER);
    for (const change of outcome.changes) {
      if (change.type === "disabled") disabled.set(change.hookId, change.isDisabled);
      else consent = changedConsent(consent, change);
    }
    opened = open();
  }

  return {
    world,
    hooks: () => opened,
    log,
    spilled,
    inventory,
    gone,
    urlSettings: settings,
    hookOf: (id) => hooks.find((hook) => hook.id === id),
    transportOf,
    hooksById: byId,
    examined: () => examined,
    examine,
    async take({ actor, text, stub }) {
      // what a model or a tool writes is never a command
      if (actor !== "human") return;
      const command = text.startsWith("/hooks")
        ? parseHooksArguments(text.slice("/hooks".length))
        : parseHooksCommandLine(text);
      if (command !== undefined) await world.during(stub, () => obey(command));
    },
  };
}

const OWNER = { principal: "owner", surface: "web", method: "slash", mayChange: true } as const;

interface Settings extends HookUrlSettings {
  readonly gateDefault?: HookFailurePolicy;
  /** Names that headers may draw on. */
  readonly secrets?: readonly string[];
}

function settingsOf({ global_config = {} }: HookCase): Settings {
  const { requireHttps, allowedHookUrls, allowedHttpHookUrls, httpHookAllowedEnvVars, ...others } =
    global_config as Readonly<Record<string, never>>;
  const gateDefault = others["gateDefault"] ?? others["hooks.gateDefault"];
  const allowed = allowedHookUrls ?? allowedHttpHookUrls;
  return {
    isLocal: false,
    ...(gateDefault === undefined ? {} : { gateDefault }),
    ...(httpHookAllowedEnvVars === undefined ? {} : { secrets: httpHookAllowedEnvVars }),
    ...(requireHttps === undefined ? {} : { requireHttps }),
    ...(allowed === undefined ? {} : { allowedHookUrls: allowed }),
  };
}

function importAll({ dialect, hook_config: { native } }: HookCase, settings: Settings): readonly HookImport[] {
  const { gateDefault } = settings;
  return configurations(dialect as HookDialectName, native).map(([name, config]) =>
    dialectOf(name).importHooks(config, {
      source: "config.yaml",
      rank: "config",
      ...(gateDefault === undefined ? {} : { gateDefault }),
      judgeUrl: (url, of) => {
        const verdict = judgeUrl(url, hookUrlPolicy(of, settings));
        return verdict.class === "public" ? undefined : verdict.class;
      },
    }),
  );
}

const DIALECTS: ReadonlySet<string> = new Set([
  "hermes",
  "hermes-gateway",
  "starchild",
  "clawdcode",
  "claude",
  "native",
]);

/** The configurations of a case: one, or a map of dialect names to theirs. */
function configurations(
  dialect: HookDialectName,
  native: JsonObject,
): readonly (readonly [HookDialectName, JsonValue])[] {
  const entries = Object.entries(native);
  const isMap = entries.length > 0 && entries.every(([name]) => DIALECTS.has(name));
  return isMap ? entries.map(([name, config]) => [name as HookDialectName, config] as const) : [[dialect, native]];
}

function hooksNamed(hooks: readonly Hook[], ids: readonly string[]): readonly Hook[] {
  return ids.flatMap((id) => hooks.find((hook) => hook.id === id) ?? []);
}

function withDisabled(hook: Hook, isDisabled: boolean): Hook {
  const { disabled: _before, ...rest } = hook;
  return isDisabled ? { ...rest, disabled: true } : rest;
}

function changedConsent(consent: Consent, change: Exclude<HooksChange, { readonly type: "disabled" }>): Consent {
  if (change.type === "approvals") return { ...consent, approvals: change.approvals };
  return { ...consent, master: change.isOn ? {} : { agent: false } };
}

/** The approval store as the case gives it. */
function approvedBefore(
  { gates = {}, dialect }: HookCase,
  known: readonly KnownHook[],
  idOfHook: ReadonlyMap<string, string>,
): readonly HookApproval[] {
  const { approved = "all", approved_pairs } = gates;
  const by: HookApproval["approvedBy"] = { principal: "owner", surface: "web", method: "slash" };
  const consent: Consent = { scope: SCOPE, master: {}, approvals: [], now: 0 };
  const isMeant = ({ hook, identity }: KnownHook): boolean => {
    if (approved_pairs !== undefined)
      return approved_pairs.some(([event, target]) => event === hook.nativeEvent && isTarget(identity.target, target));
    return approved === "all" || approved.includes(idOfHook.get(hook.id) ?? "");
  };
  const meant = known.filter(isMeant);
  const done = meant.length === 0 ? consent : approve(meant, consent, by);
  const approvals = "conflict" in done ? [] : done.approvals;
  const others = (approved_pairs ?? [])
    .filter(([event, target]) => !approvals.some((one) => one.event === event && isTarget(one.target, target)))
    .map(([event, target]): HookApproval => {
      const rest = { digest: "", approvedBy: by, approvedAt: 0 };
      return { scope: SCOPE, dialect: dialect as HookDialectName, event, target, ...rest };
    });
  return [...approvals, ...others];
}

function httpPorts(
  { input }: HookCase,
  world: HookWorld,
  clock: VirtualClock,
  settings: Settings,
  signed: ReadonlySet<string>,
): HttpHookPorts {
  const env = (input["_env"] ?? {}) as Readonly<Record<string, string>>;
  const isAllowed = (name: string): boolean => settings.secrets?.includes(name) ?? true;
  return {
    fetch: world.fetch,
    resolvePublic: createResolvePublic({ resolve: world.resolve, now: clock.now }),
    now: clock.now,
    after: clock.after,
    random: (bytes) => new Uint8Array(bytes).fill(7),
    version: "1",
    policyOf: (dialect) => hookUrlPolicy(dialect, settings),
    secretsOf: (id) => (signed.has(id) ? [SECRET] : []),
    readSecret: (name) => (isAllowed(name) ? env[name] : undefined),
    scopeOf: (id) => id,
  };
}
