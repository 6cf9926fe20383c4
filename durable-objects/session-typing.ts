import { wait } from "#src/lib/abortable";
import type { SessionCore } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** Milliseconds of silence before "typing…" is shown: most answers begin sooner and need no extra request. */
const TYPING_AFTER_MS = 800;
/** Milliseconds after which it has to be shown again: Telegram keeps it for five seconds. */
const TYPING_EVERY_MS = 4_000;

/** Shows on the platform that a turn is being worked on, until the returned function is called. */
export function keepTyping(core: SessionCore, turn: RunningTurn): () => void {
  const { origin } = turn.record;
  if (!core.isMessenger(origin)) return () => undefined;
  const ended = new AbortController();
  async function show(): Promise<void> {
    const route = await core.routeOf(origin);
    while (!ended.signal.aborted && route?.client.typing !== undefined) {
      // who waits for a person's answer is not writing
      if (turn.record.waiting === undefined)
        await route.client.typing(origin.target, ended.signal).catch(() => undefined);
      await wait(TYPING_EVERY_MS, ended.signal);
    }
  }
  // a bare timer: most turns end before it rings
  const timer = setTimeout(() => void show().catch(() => undefined), TYPING_AFTER_MS);
  return () => {
    clearTimeout(timer);
    ended.abort();
  };
}
