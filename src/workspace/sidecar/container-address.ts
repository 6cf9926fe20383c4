import { wait } from "#src/lib/abortable";
import type { SidecarAddress } from "./sidecar-door";
import { unreachable } from "./sidecar-error";

/**
 * The part of a Durable Object's container that is used here.
 * Source: https://developers.cloudflare.com/durable-objects/api/container/
 */
export interface ContainerPort {
  readonly running: boolean;
  /** Images that the object may choose from; none where wrangler.toml names the one there is. */
  readonly images?: Readonly<Record<string, string>>;
  start(options: ContainerStart): void;
  /** Settles when the container ends. */
  monitor(): Promise<void>;
  getTcpPort(port: number): { fetch(url: string, init: RequestInit): Promise<Response> };
  destroy(): Promise<void>;
  /** Hands every request of a command over port 80, or 443, to a Worker instead of the internet. */
  interceptAllOutboundHttp(egress: Fetcher): Promise<void>;
  interceptOutboundHttps(hosts: string, egress: Fetcher): Promise<void>;
  /** Absent where containers cannot be kept as they are. */
  snapshotContainer?(): Promise<{ readonly id: string }>;
}

/** How a container is started. */
export interface ContainerStart {
  readonly enableInternet: false;
  readonly env: Record<string, string>;
  readonly image?: string;
  readonly containerSnapshot?: { readonly id: string };
  readonly instance?: "lite" | "standard-1" | "standard-2" | "standard-3" | "standard-4";
}

export interface ContainerOptions {
  readonly container: ContainerPort;
  /** What the sidecar inside asks of its callers. No other secret goes in. */
  readonly token: string;
  /** Where requests of commands go; undefined: nowhere. Nothing else leaves the container. */
  readonly egress: Fetcher | undefined;
  readonly size: NonNullable<ContainerStart["instance"]>;
  /** What a container was like when it was stopped. */
  readonly snapshot: { read(): string | undefined; write(id: string | undefined): void };
  /** Milliseconds, of a clock that only counts. */
  readonly now: () => number;
}

/** A sidecar in a container: started when it is first asked, stopped when told. */
export interface ContainerSidecar {
  readonly address: SidecarAddress;
  readonly isRunning: () => boolean;
  /** Stops it, keeping what it was like where that is possible. */
  stop(): Promise<void>;
}

/** Where the sidecar listens inside its container. */
const PORT = 8790;
/** Starting takes 2 to 12 seconds. Source: reports of users, 2026. */
const START_TIMEOUT_MS = 60_000;
const POLL_MS = 250;

/** Reaches the sidecar of a container, which is started when it does not run. */
export function openContainer(options: ContainerOptions): ContainerSidecar {
  const { container, snapshot } = options;
  let starting: Promise<void> | undefined;
  let isRouted = false;

  const ensure = (): Promise<void> => {
    if (starting === undefined && container.running && isRouted) return Promise.resolve();
    starting ??= route(options)
      .then(() => {
        isRouted = true;
        return container.running ? undefined : start(options);
      })
      .finally(() => {
        starting = undefined;
      });
    return starting;
  };

  return {
    isRunning: () => container.running,
    address: {
      url: "http://sidecar",
      token: options.token,
      async fetch(url, init) {
        await ensure();
        return container.getTcpPort(PORT).fetch(url, init);
      },
    },
    async stop() {
      if (!container.running) return;
      // what is only there (packages, repositories) is back with the next start; files are kept here anyway
      const kept = await container.snapshotContainer?.().catch(() => undefined);
      snapshot.write(kept?.id);
      await container.destroy();
    },
  };
}

/** A way out is set before the start, and again in each life of the object. Source: @cloudflare/containers 0.3.7 */
async function route({ container, egress }: ContainerOptions): Promise<void> {
  if (egress === undefined) return;
  await container.interceptOutboundHttps("*", egress);
  await container.interceptAllOutboundHttp(egress);
}

async function start(options: ContainerOptions): Promise<void> {
  const kept = options.snapshot.read();
  // a snapshot is tied to its image, and may be gone
  const tries = kept === undefined ? [undefined] : [kept, undefined];
  for (const snapshotId of tries) {
    begin(options, snapshotId);
    if (await isReady(options)) return;
    options.snapshot.write(undefined);
    await options.container.destroy().catch(() => undefined);
  }
  throw unreachable("the container");
}

function begin({ container, size, token }: ContainerOptions, snapshotId: string | undefined): void {
  const [image] = Object.values(container.images ?? {});
  const env = { SIDECAR_HOST: "0.0.0.0", SIDECAR_PORT: String(PORT), SIDECAR_TOKEN: token };
  container.start({
    enableInternet: false,
    env,
    ...(image === undefined ? {} : { instance: size }),
    ...(snapshotId !== undefined ? { containerSnapshot: { id: snapshotId } } : image === undefined ? {} : { image }),
  });
  // its end is seen by `running`; a promise that nobody waits for must not fail loudly
  container.monitor().catch(() => undefined);
}

async function isReady({ container, now }: ContainerOptions): Promise<boolean> {
  const startedAt = now();
  while (now() - startedAt < START_TIMEOUT_MS) {
    const init = { signal: AbortSignal.timeout(5000) };
    const answer = await container
      .getTcpPort(PORT)
      .fetch("http://sidecar/v1/health", init)
      .catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.ok === true) return true;
    if (!container.running) return false;
    await wait(POLL_MS, new AbortController().signal);
  }
  return false;
}
