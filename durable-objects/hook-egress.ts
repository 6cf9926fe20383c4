import { WorkerEntrypoint } from "cloudflare:workers";
import { environmentFor } from "./environment";

/** Whose module asks, and by which source. */
export interface HookEgressProps {
  readonly profile: string;
  readonly sha256: string;
}

/**
 * The only way out of an isolate that a hook module runs in, where the operator granted one: every request passes the
 * guard that the addresses of HTTP hooks pass, and none is redirected.
 */
export class HookEgress extends WorkerEntrypoint<Env, HookEgressProps> {
  override async fetch(request: Request): Promise<Response> {
    const { profile, sha256 } = this.ctx.props;
    const { hooksSetup } = await environmentFor(this.env, profile);
    const verdict = await hooksSetup?.guard(request.url, `module sha256:${sha256}`);
    if (verdict?.class !== "public") throw new Error(`This address is not for hooks: ${verdict?.class ?? "no hooks"}.`);
    return fetch(new Request(request, { redirect: "manual" }));
  }
}
