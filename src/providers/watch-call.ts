import type { ProviderContext } from "#src/domain/provider";

/** Why a call was given up from our side. */
export type GivenUp = "aborted" | "timeout" | "stalled";

/** Watches over one model call: the caller's signal, a silent start, and pauses in the stream. */
export interface CallWatch {
  /** Fires when the call is given up. */
  readonly signal: AbortSignal;
  givenUp(): GivenUp | undefined;
  /** Something came in; `isContent` unless it was only a sign of life. */
  heard(isContent: boolean): void;
  /** From now on only a little more is owed: at most this many milliseconds are waited for it. */
  endWithin(ms: number): void;
  /** Ends all timers and listeners. */
  stop(): void;
}

/**
 * Begins to watch a call. Until the first byte it may take the request timeout, after it the stall timeout from byte
 * to byte; signs of life alone do not keep it going for longer than a request timeout.
 */
export function watchCall(context: Pick<ProviderContext, "signal" | "requestTimeoutMs" | "stallTimeoutMs">): CallWatch {
  const controller = new AbortController();
  let why: GivenUp | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stallMs = context.stallTimeoutMs;
  let heardAt = 0;
  let contentAt = 0;

  const giveUp = (reason: GivenUp): void => {
    if (controller.signal.aborted) return;
    why = reason;
    stop();
    controller.abort();
  };
  const onAbort = (): void => giveUp("aborted");
  const stop = (): void => {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", onAbort);
  };
  // one timer that looks at the clock when it rings, instead of one timer for every piece of the stream
  const watchStream = (): void => {
    const now = Date.now();
    const restMs = Math.min(heardAt + stallMs, contentAt + context.requestTimeoutMs) - now;
    if (restMs <= 0) giveUp("stalled");
    else timer = setTimeout(watchStream, restMs);
  };

  if (context.signal.aborted) onAbort();
  else {
    context.signal.addEventListener("abort", onAbort, { once: true });
    timer = setTimeout(() => giveUp("timeout"), context.requestTimeoutMs);
  }

  return {
    signal: controller.signal,
    givenUp: () => why,
    heard(isContent) {
      const isFirst = heardAt === 0;
      heardAt = Date.now();
      if (isContent || isFirst) contentAt = heardAt;
      if (!isFirst || controller.signal.aborted) return;
      clearTimeout(timer);
      watchStream();
    },
    endWithin(ms) {
      if (ms >= stallMs || controller.signal.aborted) return;
      stallMs = ms;
      clearTimeout(timer);
      watchStream();
    },
    stop,
  };
}
