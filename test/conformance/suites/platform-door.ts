import { GatewayError } from "#src/domain/errors";
import type { PlatformAdapter, PlatformIo, Received, WebhookRequest } from "#src/domain/platform";
import { platforms } from "#src/platforms/registry";
import { show } from "../result";
import type { PlatformFile, Sample } from "./platform-request";

/** What came of a request: the answer, and the events that a session would get. */
export interface Outcome {
  readonly status: number;
  readonly received?: Received;
  readonly problem?: string;
  /** How long it took. */
  readonly ms?: number;
}

/** What the samples of a file go in by. */
export interface Door {
  readonly transport: Sample["transport"];
  /** `now` is in epoch milliseconds. */
  deliver(request: WebhookRequest, now: number): Promise<Outcome>;
}

/** Status that the Worker answers with for each code that an adapter may throw while it receives. */
const STATUS: Readonly<Partial<Record<GatewayError["code"], number>>> = {
  bad_request: 400,
  signature_invalid: 401,
  forbidden: 403,
  not_found: 404,
  too_large: 413,
  rate_limited: 429,
  not_configured: 503,
  unavailable: 503,
};

/** The door of a file's platform: its adapter, or our own API; undefined when there is neither. */
export async function openDoor({ platform, config }: PlatformFile): Promise<Door | undefined> {
  // the whole Worker is loaded for it
  if (platform === "openai_api") return (await import("./platform-api")).openApiDoor(config);
  const adapter = platforms.find(({ name }) => name === platform);
  return adapter === undefined ? undefined : openAdapterDoor(adapter, config);
}

function openAdapterDoor(adapter: PlatformAdapter, config: PlatformFile["config"]): Door {
  const settings = settingsOf(config, adapter);
  return {
    transport: "webhook",
    async deliver(request, now) {
      if (request.body.length > adapter.limits.bodyBytes) return { status: 413, problem: "413 too large" };
      const io: PlatformIo = {
        fetch: () => Promise.reject(new TypeError("there is no network here")),
        now: () => now,
      };
      try {
        const received = await adapter.receive(request, { settings }, io);
        return { status: received.response?.status ?? 200, received };
      } catch (error) {
        const status = error instanceof GatewayError ? (STATUS[error.code] ?? 500) : 500;
        return { status, problem: `${status} ${show(error instanceof Error ? error.message : error)}` };
      }
    },
  };
}

/** The file's config by the names of the adapter's settings; what it does not know is left out. */
function settingsOf(config: PlatformFile["config"], adapter: PlatformAdapter): Record<string, string> {
  const known = adapter.settings.flatMap(({ key }) => {
    const value = config[key];
    if (Array.isArray(value)) return [[key, value.join(",")]];
    return typeof value === "string" || typeof value === "number" ? [[key, String(value)]] : [];
  });
  return Object.fromEntries(known) as Record<string, string>;
}
