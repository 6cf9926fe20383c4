/** Time that only goes on when everybody waits for it. */
export interface VirtualClock {
  readonly now: () => number;
  readonly after: (ms: number, callback: () => void) => () => void;
  /** Resolves after so much virtual time; somebody is known to wait for it. */
  sleep(ms: number): Promise<void>;
  /** Moves time on while nothing else happens. */
  pass(ms: number): Promise<void>;
  /** Waits for work of the real machine, and moves time to what is due next while only time is waited for. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Somebody waits for an answer that never comes, until they give up. */
  hang(signal: AbortSignal): Promise<never>;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/** Real milliseconds after which work that waits for nothing virtual is given up. */
const MAX_REAL_MS = 10_000;

export function virtualClock(startAt = Date.UTC(2026, 10, 21, 12)): VirtualClock {
  let now = startAt;
  let waiting = 0;
  const timers = new Set<Timer>();

  function after(ms: number, callback: () => void): () => void {
    const timer = { at: now + ms, callback };
    timers.add(timer);
    return () => void timers.delete(timer);
  }

  function fireNext(): boolean {
    const [next] = [...timers].toSorted((a, b) => a.at - b.at);
    if (next === undefined) return false;
    timers.delete(next);
    now = Math.max(now, next.at);
    next.callback();
    return true;
  }

  async function sleep(ms: number): Promise<void> {
    waiting += 1;
    await new Promise<void>((resolve) => {
      after(ms, () => {
        waiting -= 1;
        resolve();
      });
    });
  }

  async function settle<T>(work: Promise<T>): Promise<T> {
    let isDone = false;
    const done = work.finally(() => (isDone = true));
    done.catch(() => undefined);
    const startedAt = performance.now();
    for (;;) {
      await idle();
      if (isDone) return done;
      if (waiting > 0) fireNext();
      else if (performance.now() - startedAt > MAX_REAL_MS)
        throw new Error("the case waits for something that never comes");
    }
  }

  return {
    now: () => now,
    after,
    sleep,
    settle,
    async pass(ms) {
      const until = now + ms;
      for (;;) {
        await idle();
        const due = [...timers].some(({ at }) => at <= until);
        if (!due) break;
        fireNext();
      }
      now = until;
    },
    hang(signal) {
      waiting += 1;
      return new Promise<never>((_, reject) => {
        signal.addEventListener(
          "abort",
          () => {
            waiting -= 1;
            reject(signal.reason);
          },
          { once: true },
        );
      });
    },
  };
}

/** Lets promises, and work that the machine does beside us such as signing, come to their end. */
async function idle(): Promise<void> {
  for (let turn = 0; turn < 6; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setTimeout(resolve, 1));
}
