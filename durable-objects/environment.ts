import { COMPACTION_DEFAULTS, type CompactionSettings } from "#src/agent/compaction/compaction-limits";
import { LOOP_GUARD_DEFAULTS } from "#src/agent/guardrails/loop-guard";
import type { TurnLimits } from "#src/agent/turn-bounds";
import type { ResultBounds } from "#src/agent/bound-result";
import type { ApprovalSettings } from "#src/approvals/settle-approval";
import { findCommand, parseCommand } from "#src/commands/parse-command";
import { commands } from "#src/commands/registry";
import { type Config, checkRuntimeSettings, loadConfig } from "#src/config/load-config";
import { checkPlatformKeys } from "#src/config/platform-settings";
import { readSettings } from "#src/config/settings";
import type { AccessRules } from "#src/domain/access";
import type { Command } from "#src/domain/command";
import { GatewayError } from "#src/domain/errors";
import type { Hooks } from "#src/domain/hook";
import { NO_OPINION } from "#src/domain/hook-event";
import type { InboundEvent, PlatformAccount, PlatformAdapter } from "#src/domain/platform";
import type { ProfileSnapshot } from "#src/domain/profile";
import { formatSessionKey } from "#src/domain/session-key";
import type { AnyTool } from "#src/domain/tool";
import type { StepUsage, TurnOrigin } from "#src/domain/turn";
import { nearestWord } from "#src/lib/nearest-word";
import { platforms } from "#src/platforms/registry";
import type { CredentialPool } from "#src/providers/credentials";
import { costOf } from "#src/providers/cost";
import { findModel } from "#src/providers/find-model";
import { type ChosenModel, chooseProvider } from "#src/providers/choose-provider";
import { tools as builtIn } from "#src/tools/registry";
import { resolveToolsets } from "#src/tools/toolsets";
import yaml from "../config.yaml";
import packageJson from "../package.json";
import { fallbacksOf, openKeyRing, problemOfModel, routeOfModel } from "./model-routes";
import { openRedaction, redactLogs } from "./redaction";
import { routeInbound } from "./route-inbound";
import { REPORT, reportRoute } from "./session-reports";
import { plugins } from "../plugins/registry";
import { hooksOfEnvironment } from "./hooks-of-environment";
import type { HooksSetup } from "./hooks-setup";
import { loadPlugins } from "./plugins";
import { openHookCommands } from "./sandbox-client";
import type { Route } from "./session-deliveries";

/** Milliseconds for which an isolate trusts what it knows of a profile. Revocations do not wait for it. */
const SNAPSHOT_MS = 10_000;

/** The global fetch as a plain function: workerd refuses it as a method of another object. */
export const fetcher: typeof fetch = (input, init) => fetch(input, init);

/** Words of config.yaml for how an endpoint is spoken to. */
const API_NAMES = {
  auto: "auto",
  chat_completions: "openai",
  responses: "responses",
  anthropic_messages: "anthropic",
} as const;

/** What a model has to know of the shell that it gets. */
const VIRTUAL_SHELL = [
  "`terminal` is a virtual shell over the workspace's files in /workspace: the usual Unix text tools work; there is no network, no package manager and no root.",
];

const REAL_SHELL = [
  "`terminal` is a real shell in a container of its own, with the workspace's files in its working directory: what the file tools call /workspace/a.py is a.py there, and nothing outside /workspace is shared. Long work goes into the background and is watched with `process`.",
];

const NOBODY: Hooks = { listens: () => false, fire: async () => NO_OPINION, owed: () => [] };

/** Everything that settings decide, read once for each version of a profile and shared by the isolate. */
export interface Environment extends ReturnType<typeof composeEnvironment> {
  readonly hooks: Hooks;
  /** For lists and trials; undefined when there are no hooks. */
  readonly hooksSetup: HooksSetup | undefined;
}

interface Cached {
  readonly version: number;
  readonly environment: Environment;
  readonly at: number;
}

const cache = new Map<string, Cached>();

/** How often each profile was dropped: what was asked for before that is not kept. */
const drops = new Map<string, number>();

/** What settings decide for a profile, as of at most ten seconds ago. */
async function current(env: Env, profile: string): Promise<Environment> {
  const cached = cache.get(profile);
  if (cached !== undefined && Date.now() - cached.at < SNAPSHOT_MS) return cached.environment;
  const dropped = drops.get(profile);
  // RPC's types cannot carry `unknown`, which the settings of run time are
  const snapshot = (await env.PROFILES.getByName(profile).snapshot(cached?.version, env.CF_VERSION_METADATA?.id)) as
    | ProfileSnapshot
    | undefined;
  const environment = snapshot === undefined ? cached?.environment : await readyEnvironment(env, profile, snapshot);
  if (environment === undefined) throw new GatewayError("unavailable", "The profile could not be read.");
  if (snapshot?.begins !== undefined) await tellOfStart(env, profile, environment, snapshot.begins.isRestart);
  const version = snapshot?.version ?? cached?.version ?? 0;
  // it may have changed since it was read: then whoever comes next reads it anew
  if (drops.get(profile) === dropped) cache.set(profile, { version, environment, at: Date.now() });
  return environment;
}

/** The session of a profile that events of no conversation belong to. */
export function systemSession(env: Env, profile: string) {
  return env.SESSIONS.getByName(formatSessionKey({ profile, platform: "system", chatType: "dm", chatId: "gateway" }));
}

/** Workers do not hear of their end: it is told with the next beginning. */
async function tellOfStart(env: Env, profile: string, environment: Environment, isRestart: boolean): Promise<void> {
  const data = { platforms: environment.platformsOn(), trigger: "init" };
  const events = [
    ...(isRestart ? [{ event: "gateway.shutdown", data } as const] : []),
    { event: "gateway.startup", data } as const,
    { event: "session.setup", data } as const,
  ].filter(({ event }) => environment.hooks.listens(event));
  // not waited for: that session asks for this very environment
  if (events.length > 0)
    void systemSession(env, profile)
      .raise(events)
      .catch(() => undefined);
}

/** Drops what this isolate knows of a profile before a version. */
function forget(profile: string, version: number): void {
  const cached = cache.get(profile);
  if (cached !== undefined && cached.version >= version) return;
  cache.delete(profile);
  drops.set(profile, (drops.get(profile) ?? 0) + 1);
}

export const environmentFor = Object.assign(current, { forget });

let parsed: ReturnType<typeof loadConfig> | undefined;

/** config.yaml, read once an isolate; what is wrong in it is said once, and its defaults hold. */
function configFile(): Config {
  if (parsed === undefined) {
    parsed = loadConfig(yaml);
    const problems = [...parsed.problems, ...checkPlatformKeys(parsed.config, platforms)];
    for (const problem of problems) console.warn(`config.yaml: ${problem.path}: ${problem.message}`);
  }
  return parsed.config;
}

async function readyEnvironment(env: Env, profile: string, snapshot: ProfileSnapshot): Promise<Environment> {
  const base = composeEnvironment(env, profile, snapshot);
  const hooksSetup = await hooksOfEnvironment(env, profile, base, snapshot);
  return { ...base, hooksSetup, hooks: hooksSetup?.open ?? NOBODY };
}

/** What settings alone decide. */
export function composeEnvironment(env: Env, profile: string, snapshot: ProfileSnapshot) {
  // secrets and variables are whatever the operator set: read by name, never spread
  const settings = readSettings({ env: { ...env }, config: configFile(), runtime: snapshot.runtime });
  const { config } = settings;
  for (const problem of settings.problems) console.warn(`${problem.path}: ${problem.message}`);
  const byName = new Map(platforms.map((adapter) => [adapter.name, adapter]));
  const loaded = loadPlugins(plugins, config.plugins, {
    tools: new Set(builtIn.map((tool) => tool.name)),
    commands: new Set(commands.flatMap((command) => [command.name, ...(command.aliases ?? [])])),
  });
  const tools = [...builtIn, ...loaded.tools];
  const all = [...commands, ...loaded.commands];
  const toolsByPlatform = new Map<string, readonly AnyTool[]>();

  // a real shell: the sidecar, or a container of this deployment
  const hasSidecar =
    config.terminal.backend === "container" ||
    (config.terminal.backend !== "virtual" && settings.environmentText("SIDECAR_URL") !== undefined);
  const redaction = openRedaction(config.security.redact_secrets, settings.model.environment);
  redactLogs(redaction);
  const ring = openKeyRing(
    { strategy: config.credentials.strategy, now: Date.now, random: Math.random },
    // only `keepCredentials` writes them
    snapshot.credentials as unknown as Readonly<Record<string, CredentialPool>>,
  );

  function adapterOf(name: string): PlatformAdapter | undefined {
    return byName.get(name);
  }

  function accountOf(adapter: PlatformAdapter, id?: string): PlatformAccount | undefined {
    return settings.platformAccount(adapter, id);
  }

  const chosen = new Map<string | undefined, ChosenModel>();

  /** Who answers: looked up once for each name, for settings do not change under one environment. */
  function chooseModel(override: string | undefined): ChosenModel {
    const known = chosen.get(override);
    if (known !== undefined) return known;
    const found = findChosen(override);
    chosen.set(override, found);
    return found;
  }

  function findChosen(override: string | undefined): ChosenModel {
    return chooseProvider({
      ...settings.model,
      ...(override === undefined ? {} : { model: override }),
      vendor: config.model.vendor,
      api: API_NAMES[config.model.api_mode],
      storesResponses: config.model.store_responses,
      aliases: config.model.aliases,
      // the operator's word; a field of another name or type is simply not there for who reads it
      overrides: config.model.overrides,
      isLocal: settings.isLocal,
      ai: env.AI,
    });
  }

  return {
    version: packageJson.version,
    settings,
    tokens: { adminToken: settings.adminToken, apiServerKey: settings.apiServerKey },
    senderMessagesPerMinute: settings.senderMessagesPerMinute,
    busyMode: config.display.busy_input_mode,
    timeZone: config.timezone,
    agent: {
      persona: config.agent.system_prompt,
      maxTries: config.agent.api_max_retries,
      ...(config.agent.reasoning_effort === "" ? {} : { reasoningEffort: config.agent.reasoning_effort }),
      historyTokens: config.agent.history_tokens,
      maxParallel: config.agent.max_parallel_tools,
      maxInterruptions: config.agent.interruptions,
    },
    results: {
      maxChars: config.tool_results.max_chars,
      turnMaxChars: config.tool_results.turn_max_chars,
      previewChars: config.tool_results.preview_chars,
    } satisfies ResultBounds,
    streaming: { enabled: config.streaming.enabled, threshold: config.streaming.buffer_threshold },
    delivery: {
      maxAttempts: config.delivery.max_attempts,
      giveUpAfterMs: config.delivery.give_up_after_hours * 3_600_000,
    },
    approvals: {
      settings: {
        mode: config.approvals.mode,
        deny: config.approvals.deny,
        unattended: "refuse",
        timeoutMs: config.approvals.timeout_seconds * 1000,
      } satisfies ApprovalSettings,
      /** Kinds of danger that are always allowed: by the operator, and by a person. */
      always: [...config.approvals.allow, ...snapshot.allowedAlways],
    },
    compaction: {
      ...COMPACTION_DEFAULTS,
      threshold: config.compaction.threshold,
      thresholdTokens: config.agent.history_tokens,
      protectFirst: config.compaction.protect_first,
      protectLast: config.compaction.protect_last,
    } satisfies CompactionSettings,
    isCompacting: config.compaction.enabled,
    summaryModel: config.compaction.model === "" ? undefined : config.compaction.model,
    limits: {
      maxSteps: config.agent.max_turns,
      wallTimeMs: config.budgets.turn_minutes * 60_000,
      money: { turn: config.budgets.turn_usd, session: config.budgets.session_usd, day: config.budgets.day_usd },
      loops: LOOP_GUARD_DEFAULTS,
    } satisfies TurnLimits,
    /** What a call used, with what it cost where the price is known. */
    priced({ provider, model, usage }: Pick<StepUsage, "provider" | "model" | "usage">): StepUsage {
      const { price } = findModel(model, config.model.overrides);
      return { provider, model, usage, ...(price === undefined ? {} : { costUsd: costOf(usage, price) }) };
    },
    redaction,
    redact: (text: string) => redaction.text(text, "log"),
    shellHints: hasSidecar ? REAL_SHELL : VIRTUAL_SHELL,
    delegation: {
      maxDepth: config.delegation.max_spawn_depth,
      maxConcurrent: config.delegation.max_concurrent_children,
      maxSummaryChars: config.delegation.max_summary_chars,
    },
    media: { maxBytes: config.media.max_bytes },
    adapterOf,
    accountOf,

    /** How an origin's platform is reached; undefined when it is off. */
    routeOf(origin: TurnOrigin): Route | undefined {
      if (origin.platform === REPORT) return reportRoute(env);
      const adapter = adapterOf(origin.platform);
      const account = adapter === undefined ? undefined : accountOf(adapter, origin.account);
      if (adapter === undefined || account === undefined) return undefined;
      return { adapter, client: adapter.open(account, { fetch: fetcher, now: Date.now }) };
    },

    accessRules(platform: string): AccessRules {
      return {
        allowAllUsers: settings.access.allowAllUsers,
        allowedUsers: settings.access.allowedUsers,
        platform: settings.platformAccess(platform),
        approved: snapshot.approved,
        strangers: config.access.unauthorized_dm_behavior,
      };
    },
    /** Somebody is known to be the owner: what counts for everybody is theirs to decide. */
    hasOwners: config.access.owners.length + snapshot.owners.length > 0,
    isOwner(platform: string, userId: string): boolean {
      const person = `${platform}:${userId}`;
      return config.access.owners.includes(person) || snapshot.owners.includes(person);
    },

    /** Whom an event is for, and the session that it belongs to. */
    routeInbound: (event: InboundEvent, adapter: PlatformAdapter, account: string | undefined) =>
      routeInbound(config.groups, profile, event, adapter, account),

    chooseModel,
    /** The chosen model with those to fall back on, and the keys of all of them. */
    async routesOf(override: string | undefined, onFailedKey: (pool: CredentialPool) => void) {
      const first = chooseModel(override);
      const fallbacks = config.model.fallbacks;
      const all = fallbacks.length === 0 ? [first] : [first, ...fallbacksOf(fallbacks, chooseModel, first)];
      for (const one of all) if (!ring.isLoaded(one)) await ring.load(one);
      const context = {
        fetch: fetcher,
        requestTimeoutMs: config.agent.request_timeout_seconds * 1000,
        stallTimeoutMs: config.agent.stall_timeout_seconds * 1000,
      };
      return {
        routes: all.map((one) => routeOfModel(one, ring, context, onFailedKey)),
        blockedUntil: ring.blockedUntil(first),
        overloadWaitsMs: first.overloadWaitsMs,
      };
    },
    describeModel(override: string | undefined): { readonly provider: string; readonly name: string } {
      try {
        const { provider, model } = chooseModel(override);
        return { provider: provider.name, name: model };
      } catch (error) {
        if (error instanceof GatewayError) return { provider: "none", name: "none" };
        throw error;
      }
    },
    models: config.model.choices,
    /** Why a model that somebody names would not answer; undefined when it may. */
    modelProblem: (name: string) => problemOfModel(name, findChosen),
    toolsFor(platform: string): readonly AnyTool[] {
      const known = toolsByPlatform.get(platform);
      if (known !== undefined) return known;
      const names = new Map<string, readonly string[]>(Object.entries(config.platform_toolsets)).get(platform);
      const asked = names ?? [...config.toolsets, ...loaded.tools.map((tool) => tool.toolset)];
      const resolved = resolveToolsets(asked, tools);
      toolsByPlatform.set(platform, resolved);
      return resolved;
    },

    plugins: loaded,
    fetcher,
    hasSidecar,
    execInSidecar: hasSidecar ? openHookCommands(env, profile) : async () => "unavailable" as const,
    /** What is wrong with a tool's input, naming the field; undefined when it takes it. */
    problemWithInput(name: string, input: object): string | undefined {
      try {
        tools.find((tool) => tool.name === name)?.parse(input);
        return undefined;
      } catch (error) {
        return error instanceof GatewayError ? error.message : "it does not fit the tool's schema";
      }
    },
    commands: all,
    parseCommand,
    findCommand: (name: string): Command | undefined => findCommand(name, all),
    unknownCommand(name: string): string {
      const near = nearestWord(
        name,
        all.map((command) => command.name),
      );
      return `There is no /${name}.${near === undefined ? "" : ` Did you mean /${near}?`} /help lists the commands.`;
    },

    platformsOn(): string[] {
      return platforms.filter((adapter) => accountOf(adapter) !== undefined).map((adapter) => adapter.name);
    },
    describePlatforms(): object[] {
      return platforms.map((adapter) => ({
        name: adapter.name,
        label: adapter.label,
        on: accountOf(adapter) !== undefined,
        webhook: `/webhooks/${adapter.name}`,
        settings: adapter.settings.map(({ key, env: variable, required, secret, describe }) => ({
          key,
          env: variable,
          required: required === true,
          secret: secret === true,
          describe,
        })),
      }));
    },
    /** Settings in force, without secrets, and where run-time ones differ. */
    describeConfig(): object {
      return { version: snapshot.version, config: { ...config, platforms: undefined }, runtime: snapshot.runtime };
    },
    /** @throws GatewayError `bad_request`, naming the setting */
    checkRuntime(changes: Readonly<Record<string, unknown>>): void {
      const [problem] = checkRuntimeSettings(changes);
      if (problem !== undefined) throw new GatewayError("bad_request", `${problem.path}: ${problem.message}`);
    },
  };
}
