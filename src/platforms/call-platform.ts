import { GatewayError } from "#src/domain/errors";
import type { PlatformIo } from "#src/domain/platform";
import { retryAfterMs } from "#src/lib/retry-after";

/** Milliseconds until a platform that does not answer is given up: its outcome is then unknown. */
const PLATFORM_TIMEOUT_MS = 20_000;

export interface PlatformCall {
  readonly url: string;
  readonly init: RequestInit;
  readonly signal: AbortSignal;
  /** Milliseconds; 20,000 when absent. */
  readonly timeoutMs?: number;
  /** The platform's label, for sentences. URLs never go there: tokens may stand in them. */
  readonly label: string;
}

/**
 * Calls a platform and tells apart what a retry depends on. Answers with any status but 429 and 5xx are returned for
 * the adapter to read; redirects are never followed, so that no token reaches another host.
 *
 * @throws GatewayError `rate_limited` | `unavailable` | `unconfirmed` | `aborted`
 */
export async function callPlatform(io: PlatformIo, call: PlatformCall): Promise<Response> {
  // one signal and one timer that is cleared: a timer left behind would keep the object awake
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const timer = setTimeout(end, call.timeoutMs ?? PLATFORM_TIMEOUT_MS);
  call.signal.addEventListener("abort", end, { once: true });
  if (call.signal.aborted) end();
  let response: Response;
  try {
    response = await io.fetch(call.url, { ...call.init, redirect: "manual", signal: ended.signal });
  } catch (cause) {
    if (call.signal.aborted) throw new GatewayError("aborted", `The call to ${call.label} was ended.`);
    if (ended.signal.aborted) throw new GatewayError("unconfirmed", `${call.label} did not answer in time.`);
    // the cause may quote the URL, and with it a token: only its class is kept
    const kind = cause instanceof Error ? cause.name : typeof cause;
    throw new GatewayError("unconfirmed", `The connection to ${call.label} failed (${kind}).`);
  } finally {
    clearTimeout(timer);
    call.signal.removeEventListener("abort", end);
  }
  if (response.status === 429) {
    const wait = retryAfterMs(response.headers.get("retry-after"), io.now()) ?? (await retryAfterInBody(response));
    throw new GatewayError("rate_limited", `${call.label} asks to slow down (429).`, {
      status: 429,
      ...(wait === undefined ? {} : { retryAfterMs: wait }),
    });
  }
  if (response.status >= 500) {
    await response.body?.cancel();
    const mayHaveArrived = response.status === 502 || response.status === 504;
    throw new GatewayError(
      mayHaveArrived ? "unconfirmed" : "unavailable",
      `${call.label} answered ${response.status}.`,
      {
        status: response.status,
      },
    );
  }
  return response;
}

/** Telegram and Discord name the wait, in seconds, in the body rather than the header. */
async function retryAfterInBody(response: Response): Promise<number | undefined> {
  const body: unknown = await response.json().catch(() => undefined);
  const found = [field(field(body, "parameters"), "retry_after"), field(body, "retry_after")].find(
    (value) => typeof value === "number",
  );
  return typeof found === "number" ? found * 1000 : undefined;
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
