import { WorkerEntrypoint } from "cloudflare:workers";
import { toHex } from "#src/lib/encoding";
import { sha256 as digest } from "#src/lib/hmac";
import type { HookModuleContext, ModulePorts } from "#src/hooks/transports/module";

/** What runs hook modules that were not deployed with the Worker: an isolate for each source, named by its hash. */
export interface DynamicModulePorts {
  readonly loader: WorkerLoader;
  /** The source of a hash; undefined when nobody has kept it. */
  readonly sourceOf: (sha256: string) => Promise<string | undefined>;
  /** What a module reaches the network by, where the operator granted it; null for nothing at all. */
  readonly outboundOf: (sha256: string) => Fetcher | null;
}

/** Newest date that every runtime in use knows. */
const COMPATIBILITY_DATE = "2026-10-15";
/** CPU milliseconds of one call; Cloudflare ends what takes longer, a local runtime does not. */
const CPU_MS = 1000;
/** Requests of one call of a module that may reach the network. */
const SUBREQUESTS = 20;
/** UTF-16 units of an answer: what answers over HTTP may have, for every character. Source: hooks.md 3.4. */
const MAX_ANSWER = 65_536;

/** What calls the module inside its isolate: answers leave it as JSON, so that nothing of it stays behind with us. */
const RUNNER = `import { WorkerEntrypoint } from "cloudflare:workers";
import * as exported from "./hook.js";
const functions = { ...exported, ...exported.default };
export default class extends WorkerEntrypoint {
  async run(payload, context) {
    const named = Object.hasOwn(functions, context.event) ? functions[context.event] : undefined;
    const { handle, onHook } = functions;
    if (typeof named !== "function" && typeof handle !== "function" && typeof onHook !== "function")
      throw new TypeError("the module has no function for " + context.event);
    const returned =
      typeof named === "function" ? await named(payload)
      : typeof handle === "function" ? await handle(payload.event_type, payload.context)
      : await onHook(payload, context);
    return returned === undefined ? undefined : JSON.stringify(returned);
  }
}
`;

interface Runner extends WorkerEntrypoint {
  run(payload: unknown, context: HookModuleContext): Promise<string | undefined>;
}

/** Loads modules by the SHA-256 of their source. Isolates are shared by all who name the same source. */
export function openDynamicModules(ports: DynamicModulePorts): NonNullable<ModulePorts["load"]> {
  return async (sha256) => ({ onHook: (payload, context) => run(ports, sha256, payload, context) });
}

async function run(
  { loader, sourceOf, outboundOf }: DynamicModulePorts,
  sha256: string,
  payload: unknown,
  context: HookModuleContext,
): Promise<unknown> {
  const globalOutbound = outboundOf(sha256);
  const worker = loader.get(`${sha256}:${globalOutbound === null ? "alone" : "networked"}`, async () => {
    const source = await sourceOf(sha256);
    if (source === undefined || toHex(await digest(source)) !== sha256)
      throw new Error(`nobody has kept the module sha256:${sha256}`);
    return {
      compatibilityDate: COMPATIBILITY_DATE,
      mainModule: "runner.js",
      modules: { "runner.js": RUNNER, "hook.js": source },
      env: {},
      globalOutbound,
      limits: { cpuMs: CPU_MS, subRequests: globalOutbound === null ? 0 : SUBREQUESTS },
    };
  });
  const answer = await worker.getEntrypoint<Runner>().run(payload, context);
  if (answer === undefined) return undefined;
  if (answer.length > MAX_ANSWER) throw new Error(`its answer is larger than ${MAX_ANSWER} characters`);
  return JSON.parse(answer) as unknown;
}
