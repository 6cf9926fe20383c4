import { isFault, lost, readRefusal, unreachable } from "./sidecar-error";

/** How a sidecar is reached. */
export interface SidecarAddress {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token: string;
  /** The global one, or that of a container's port. */
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** One request to a sidecar. */
export interface SidecarRequest {
  readonly method?: "GET" | "PUT" | "POST" | "DELETE";
  /** Its words come encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly json?: object;
  readonly body?: Uint8Array;
  /** Milliseconds until the answer has to have begun, and until all of it has to be there. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Sends requests of one workspace to a sidecar. */
export interface SidecarDoor {
  /** Where it is, for people. */
  readonly host: string;
  /**
   * Resolves with an answer of 2xx. @throws SidecarError for every other, and where there is none; the signal's reason
   */
  send(request: SidecarRequest): Promise<Response>;
  /** Waits for something of an answer whose body is read elsewhere. @throws SidecarError `lost` */
  within<T>(work: Promise<T>, timeoutMs: number, signal?: AbortSignal): Promise<T>;
}

const DEFAULT_TIMEOUT_MS = 30_000;

/** @param session the key under which the sidecar knows the workspace: visible ASCII. */
export function openDoor({ url, token, fetch }: SidecarAddress, session: string): SidecarDoor {
  const host = URL.canParse(url) ? new URL(url).host : "its address";
  const own = { authorization: `Bearer ${token}`, "x-session-key": session };

  async function send(request: SidecarRequest): Promise<Response> {
    const { method = "GET", path, query = {}, headers = {}, json, body, timeoutMs = DEFAULT_TIMEOUT_MS } = request;
    const words = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    const signals = [AbortSignal.timeout(timeoutMs), ...(request.signal === undefined ? [] : [request.signal])];
    const response = await fetch(`${url}${path}${words.size === 0 ? "" : `?${words.toString()}`}`, {
      method,
      headers: { ...own, ...(json === undefined ? {} : { "content-type": "application/json" }), ...headers },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any(signals),
      redirect: "manual",
    }).catch((cause: unknown) => {
      request.signal?.throwIfAborted();
      throw signals[0]?.aborted === true ? lost(host, cause) : unreachable(host, { cause });
    });
    if (response.ok) return response;
    throw await readRefusal(response, host);
  }

  return {
    host,
    send,
    async within(work, timeoutMs, signal) {
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(lost(host)), timeoutMs);
      const stop = (): void => late.reject(signal?.reason);
      signal?.addEventListener("abort", stop, { once: true });
      try {
        signal?.throwIfAborted();
        return await Promise.race([work, late.promise]);
      } catch (cause) {
        signal?.throwIfAborted();
        throw isFault(cause, "lost", "protocol") ? cause : lost(host, cause);
      } finally {
        clearTimeout(timer);
        signal?.removeEventListener("abort", stop);
      }
    },
  };
}
