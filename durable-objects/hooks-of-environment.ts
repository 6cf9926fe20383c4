import { exports } from "cloudflare:workers";
import { askOnce } from "#src/agent/call-model";
import type { JsonValue } from "#src/domain/json";
import type { ProfileSnapshot } from "#src/domain/profile";
import type { HookAuditEntry } from "#src/hooks/audit";
import { hashWords } from "#src/lib/hash-words";
import { utf8 } from "#src/lib/encoding";
import { openDynamicModules } from "./dynamic-modules";
import type { composeEnvironment } from "./environment";
import type { HookPolicy, HooksSetup } from "./hooks-setup";
import { tellOwner } from "./owner-notes";
import { openSandbox } from "./sandbox-client";

type Base = ReturnType<typeof composeEnvironment>;

/** The hooks of a profile; undefined when it has none, and then nothing of their code is even loaded. */
export async function hooksOfEnvironment(
  env: Env,
  profile: string,
  base: Base,
  snapshot: Pick<ProfileSnapshot, "hooks">,
): Promise<HooksSetup | undefined> {
  const { settings, plugins } = base;
  const { config } = settings;
  // YAML gives JSON
  const configured = (config.hooks ?? []) as JsonValue;
  const hasHooks = typeof configured === "object" && configured !== null && Object.keys(configured).length > 0;
  if (!hasHooks && snapshot.hooks.sources.length === 0 && plugins.hooks.length === 0) return undefined;
  const { setUpHooks } = await import("./hooks-setup");
  const profileOf = () => env.PROFILES.getByName(profile);
  const audit = (action: HookAuditEntry["action"], hook: string): HookAuditEntry => ({
    at: Date.now(),
    action,
    principal: "system",
    surface: "hooks",
    note: hook,
  });
  /** Tells the owner of a hook that was switched off, if it was. */
  const tellIf = async (isOff: Promise<boolean>, hookId: string, why: string): Promise<void> => {
    if (!(await isOff)) return;
    const words = `⚠️ The hook \`${hookId}\` ${why}: it is not called any more. \`/hooks enable ${hookId}\` brings it back.`;
    await tellOwner(env, profile, base, words);
  };
  return setUpHooks(
    { config: configured, profile: snapshot.hooks, plugins: plugins.hooks, modules: plugins.modules },
    policyOf(base),
    {
      scope: profile,
      version: base.version,
      isLocal: settings.isLocal,
      fetch: base.fetcher,
      now: Date.now,
      readSecret: settings.environmentText,
      validate: (name, input) => base.problemWithInput(name, input),
      async spill(text) {
        const path = `/workspace/.talaria/hooks/${hashWords(text)}.txt`;
        await openSandbox(env, profile).writeFile(path, utf8(text), `hook#${hashWords(text)}`);
        return path;
      },
      exec: base.execInSidecar,
      hasSidecar: base.hasSidecar,
      ...(env.LOADER === undefined ? {} : { loadModule: loadModules(env.LOADER, env, profile, base) }),
      askModel: (prompt, model, signal) => askModel(base, prompt, model, signal),
      onRuns: (runs) => noted(profileOf().recordHookRuns(runs)),
      onGone: (hookId) =>
        noted(
          tellIf(
            profileOf().keepOff("disabled", hookId, audit("auto_disable", hookId)),
            hookId,
            "says that it is gone",
          ),
        ),
      onDelivery: (hookId, hasArrived) =>
        noted(
          tellIf(
            profileOf().noteDelivery(hookId, hasArrived, Date.now(), audit("auto_disable", hookId)),
            hookId,
            "took nothing for three days",
          ),
        ),
      onTampered: (hookId) => noted(profileOf().changeHooks({}, [audit("mismatch", hookId)])),
      onCircuit: (hookId, circuit) => noted(profileOf().keepCircuit(hookId, circuit)),
      onAutoApproved: (entries) => noted(profileOf().auditHooksOnce(entries)),
    },
  );
}

/** Hashes of the modules that may reach the network. */
export function networkedModules({ config }: Base["settings"]): ReadonlySet<string> {
  return new Set(config.hook_policy.module_network.map((one) => one.replace(/^sha256:/, "")));
}

function loadModules(loader: WorkerLoader, env: Env, profile: string, { settings }: Base) {
  const granted = networkedModules(settings);
  return openDynamicModules({
    loader,
    sourceOf: (sha256) => env.PROFILES.getByName(profile).hookModule(sha256),
    outboundOf: (sha256) => (granted.has(sha256) ? exports.HookEgress({ props: { profile, sha256 } }) : null),
  });
}

/** What is told to the profile beside the work: nothing waits for it. */
function noted(telling: Promise<unknown>): void {
  telling.catch((error: unknown) => console.error("the profile could not be told of a hook", error));
}

function policyOf({ settings }: Base): HookPolicy {
  const policy = settings.config.hook_policy;
  return {
    allowed: policy.approvals.flatMap(({ event, target, config_sha256: digest, content_sha256: content }) =>
      event === undefined || target === undefined || digest === undefined
        ? []
        : [
            {
              event,
              target,
              digest: digest.startsWith("sha256:") ? digest : `sha256:${digest}`,
              ...(content === undefined ? {} : { contentSha256: content }),
            },
          ],
    ),
    allowsAutoAccept: policy.allow_auto_accept,
    gateDefault: policy.gate_default,
    allowedUrls: policy.allowed_urls,
    requireHttps: policy.require_https,
    extraPorts: policy.extra_ports.map(Number).filter((port) => Number.isInteger(port) && port > 0 && port < 65_536),
    // what opens the gateway itself is never a hook's
    secrets: policy.secrets.filter((name) => !NEVER.has(name)),
    dns: policy.dns,
    allowLocal: settings.hooksAllowLocal,
    ownHosts: policy.own_hosts,
  };
}

const NEVER: ReadonlySet<string> = new Set(["ADMIN_TOKEN", "API_SERVER_KEY", "TALARIA_SECRETS", "SIDECAR_TOKEN"]);

/** Puts a hook's question to a model: one answer, no tools, no history. */
async function askModel(base: Base, prompt: string, model: string | undefined, signal: AbortSignal): Promise<string> {
  const chosen = base.chooseModel(model);
  const outcome = await askOnce(
    (request, ended) =>
      chosen.provider.stream(request, chosen.connection, {
        fetch: base.fetcher,
        signal: ended,
        requestTimeoutMs: 60_000,
        stallTimeoutMs: 30_000,
      }),
    { model: chosen.model, messages: [{ role: "user", content: prompt }], tools: [], maxOutputTokens: 1024 },
    { onText: () => undefined, signal },
  );
  if (outcome.type === "failed") throw new Error(outcome.failure.message);
  return outcome.answer.text;
}
