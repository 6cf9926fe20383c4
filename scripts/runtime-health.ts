/** Milliseconds without any answer after which a runtime counts as stuck. */
export const SILENCE_LIMIT_MS = 10_000;
/** Bytes of memory beyond which a runtime is restarted. */
const MEMORY_LIMIT_BYTES = 1.5 * 1024 ** 3;
/** Milliseconds of a runtime's life after which its restarts count from the beginning again. */
const CALM_AFTER_MS = 60_000;
const FIRST_BACKOFF_MS = 500;
const LONGEST_BACKOFF_MS = 30_000;

/** What is known of a runtime at one moment. */
export interface Vitals {
  /** Milliseconds since its last answer, or since its start when there was none. */
  readonly silentMs: number;
  readonly memoryBytes: number;
}

/** Why a runtime has to be restarted, as the log says it; undefined while it is well. */
export function findFault({ silentMs, memoryBytes }: Vitals): string | undefined {
  if (silentMs >= SILENCE_LIMIT_MS) return `did not answer /health for ${Math.round(silentMs / 1000)} s`;
  if (memoryBytes > MEMORY_LIMIT_BYTES) return `grew to ${(memoryBytes / 1024 ** 3).toFixed(1)} GB`;
  return undefined;
}

/** Restarts in a row and how long to wait before the next one. */
export interface Backoff {
  /** Milliseconds to wait before a runtime that lived this long is started again. */
  next(livedMs: number): number;
}

/** The first restart is almost immediate; each further one without a calm minute between waits twice as long. */
export function createBackoff(): Backoff {
  let waitMs = FIRST_BACKOFF_MS;
  return {
    next(livedMs) {
      if (livedMs >= CALM_AFTER_MS) waitMs = FIRST_BACKOFF_MS;
      const now = waitMs;
      waitMs = Math.min(2 * waitMs, LONGEST_BACKOFF_MS);
      return now;
    },
  };
}
