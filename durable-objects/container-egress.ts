import { WorkerEntrypoint } from "cloudflare:workers";
import { environmentFor } from "./environment";

/** Whose commands ask. */
export interface ContainerEgressProps {
  readonly profile: string;
}

/**
 * The only way from a container of ours to the internet: requests of its commands end here and go on to public
 * addresses alone, as `global_fetch_strictly_public` has it, for as long as the operator lets commands out at all.
 * Source: https://developers.cloudflare.com/containers/configuration/outbound-traffic/
 */
export class ContainerEgress extends WorkerEntrypoint<Env, ContainerEgressProps> {
  override async fetch(request: Request): Promise<Response> {
    const { settings } = await environmentFor(this.env, this.ctx.props.profile);
    if (!settings.config.terminal.internet)
      return new Response("Commands may not reach the internet: terminal.internet is false.\n", { status: 403 });
    // a redirect is the command's to follow, through here again
    return fetch(new Request(request, { redirect: "manual" }));
  }
}
