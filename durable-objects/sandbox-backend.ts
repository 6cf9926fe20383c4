import { exports } from "cloudflare:workers";
import { readEnvironment } from "#src/config/environment-names";
import type { Config } from "#src/config/schema";
import { GatewayError } from "#src/domain/errors";
import { type ContainerPort, type ContainerSidecar, openContainer } from "#src/workspace/sidecar/container-address";
import type { SidecarAddress } from "#src/workspace/sidecar/sidecar-door";
import { environmentFor, fetcher } from "./environment";

/** A real shell, and how it is reached. */
export interface RealShell {
  readonly address: SidecarAddress;
  readonly hasInternet: boolean;
  /** Present when the shell is a container of this object's own. */
  readonly container?: { readonly sidecar: ContainerSidecar; readonly idleMs: number };
}

/** Chooses where the commands of a workspace run; undefined: in the simulated shell. */
export type ChooseShell = () => Promise<RealShell | undefined>;

/** Names under which a container's facts are kept. */
const TOKEN_KEY = "container:token";
const SNAPSHOT_KEY = "container:snapshot";

/**
 * By the settings in force. @throws GatewayError `not_configured`, naming the setting that is missing; from the
 * returned function
 */
export function openBackend(ctx: DurableObjectState, env: Env, profile: string): ChooseShell {
  let container: { readonly settings: string; readonly sidecar: ContainerSidecar } | undefined;

  function containerOf(terminal: Config["terminal"]): ContainerSidecar {
    const settings = `${terminal.internet} ${terminal.container_size}`;
    // one for all: it knows that it is being started
    if (container?.settings !== settings) container = { settings, sidecar: newContainer(ctx, profile, terminal) };
    return container.sidecar;
  }

  return async () => {
    const { terminal } = (await environmentFor(env, profile)).settings.config;
    const { backend, internet: hasInternet } = terminal;
    if (backend === "virtual") return undefined;
    if (backend === "container") {
      const idleMs = terminal.container_idle_minutes * 60_000;
      const sidecar = containerOf(terminal);
      return { address: sidecar.address, hasInternet, container: { sidecar, idleMs } };
    }
    const address = addressOf(env);
    if (address === undefined && backend === "sidecar")
      throw new GatewayError("not_configured", "Commands are to run in the sidecar, and SIDECAR_URL is not set.");
    return address && { address, hasInternet };
  };
}

/** @throws GatewayError `not_configured` */
function addressOf(env: Env): SidecarAddress | undefined {
  const { texts } = readEnvironment({ ...env });
  const given = texts.get("SIDECAR_URL");
  if (given === undefined) return undefined;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "" || url.search !== "")
    throw new GatewayError("not_configured", "SIDECAR_URL is no address such as https://sidecar.example.org.");
  return { url: url.href.replace(/\/+$/, ""), token: texts.get("SIDECAR_TOKEN") ?? "", fetch: fetcher };
}

function newContainer(ctx: DurableObjectState, profile: string, terminal: Config["terminal"]): ContainerSidecar {
  // what is used of it has the same shape in both ways that containers are scheduled
  const container = ctx.container as ContainerPort | undefined;
  if (container === undefined)
    throw new GatewayError("not_configured", "Commands are to run in a container, and this deployment has none.");
  const { kv } = ctx.storage;
  return openContainer({
    container,
    token: tokenOf(kv),
    egress: terminal.internet ? exports.ContainerEgress({ props: { profile } }) : undefined,
    size: terminal.container_size,
    snapshot: {
      read: () => kv.get<string>(SNAPSHOT_KEY),
      write: (id) => (id === undefined ? void kv.delete(SNAPSHOT_KEY) : kv.put(SNAPSHOT_KEY, id)),
    },
    now: Date.now,
  });
}

function tokenOf(kv: SyncKvStorage): string {
  const kept = kv.get<string>(TOKEN_KEY);
  if (kept !== undefined) return kept;
  const made = `${crypto.randomUUID()}${crypto.randomUUID()}`;
  kv.put(TOKEN_KEY, made);
  return made;
}
