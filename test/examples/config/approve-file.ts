import { env } from "cloudflare:workers";
import { parse } from "yaml";
import { environmentFor } from "../../../durable-objects/environment";

/** Gives the profile the hooks of a file, approved as the owner would approve them: exactly as they stand. */
export async function approveFile(text: string): Promise<void> {
  await change({ sources: [{ id: "example", addedAt: 0, native: parse(text) }], approvals: [] });
  const { hooksSetup } = await environmentFor(env, "main");
  const known = hooksSetup?.inventory.known ?? [];
  const approvals = known.map(({ hook, identity }) => ({
    scope: "main",
    dialect: hook.dialect,
    event: hook.nativeEvent,
    target: identity.target,
    digest: identity.digest,
    approvedBy: { principal: "owner", surface: "test", method: "ui" },
    approvedAt: 0,
  }));
  await change({ approvals });
}

/** Takes all hooks away again. */
export async function removeHooks(): Promise<void> {
  await change({ sources: [], approvals: [] });
}

async function change(changes: object): Promise<void> {
  await env.PROFILES.getByName("main").changeHooks(changes, []);
  environmentFor.forget("main", Number.POSITIVE_INFINITY);
}
