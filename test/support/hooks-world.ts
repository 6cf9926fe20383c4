// Hooks of a profile under test: added, approved and answered as operators and their receivers do.
import { env } from "cloudflare:workers";
import type { Plugin, PluginContext } from "#src/domain/plugin";
import { environmentFor } from "../../durable-objects/environment";
import { plugins } from "../../plugins/registry";
import { operate } from "./doors";
import type { World } from "./world";

/** Where the hooks of tests live. */
export const RECEIVER = "https://receiver.watch.dev/hook";

// the list is the deployment's own, which here is the test
const registered = plugins as Plugin[];

/** Deploys a plugin until {@link clearHooks}. */
export function deployPlugin(name: string, register: (context: PluginContext) => void): void {
  registered.push({ name, register });
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}

/** Takes every hook, approval and switch back. */
export async function clearHooks(): Promise<void> {
  registered.length = 0;
  const nothing = { sources: [], approvals: [], disabled: [], quarantined: [], circuits: {}, renewals: {}, isOn: true };
  await env.PROFILES.getByName("main").changeHooks(nothing, []);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}

/** Answers requests to the receiver of hooks, and lets its name be found. */
export function answerHooks(world: World, answer: (body: Readonly<Record<string, unknown>>) => Response): void {
  world.answer = (call, body) => {
    if (call.startsWith("cloudflare-dns"))
      return Response.json({
        Status: 0,
        Answer: [{ name: "receiver.watch.dev", type: 1, TTL: 60, data: "93.184.216.34" }],
      });
    return call.startsWith("receiver") ? answer(body) : undefined;
  };
}

/** One hook as the API shows it. */
export interface ShownHook {
  readonly id: string;
  readonly event: string;
  readonly target: string;
  readonly status: string;
  readonly digest: string;
  readonly source: string;
  readonly secret?: string;
  readonly flags: readonly { readonly code?: string; readonly message: string }[];
}

/** Adds hooks over the API. */
export async function addHooksByApi(native: unknown, dialect?: string): Promise<readonly ShownHook[]> {
  const response = await operate("POST", "/api/hooks", { native, ...(dialect === undefined ? {} : { dialect }) });
  if (response.status !== 201) throw new Error(await response.text());
  return (await response.json<{ hooks: ShownHook[] }>()).hooks;
}

/** Approves hooks as they were shown. */
export async function approveByApi(hooks: readonly ShownHook[]): Promise<void> {
  for (const { event, target, digest } of hooks) {
    const response = await operate("POST", "/api/hooks/approvals", { event, target, config_sha256: digest });
    if (response.status !== 201) throw new Error(await response.text());
  }
}

export async function hooksByApi(): Promise<readonly ShownHook[]> {
  return (await (await operate("GET", "/api/hooks")).json<{ hooks: ShownHook[] }>()).hooks;
}
