import { wait } from "#src/lib/abortable";
import type { SessionCore } from "./session-core";
import type { RunningTurn } from "./session-turns";

/** Milliseconds of silence before "typing…" is shown: most answers begin sooner and need no extra request. */
const TYPING_AFTER_MS = 800;
/** Milliseconds after which it has to be shown again: Telegram keeps it for five seconds. */
const TYPING_EVERY_MS = 4_000;

/** Shows on the platform that a turn is being worked on, until the returned function is called. */
export async function keepTyping(core: SessionCore, turn: RunningTurn): Promise<() => void> {
  if (!core.isMessenger(turn.record.origin)) return () => undefined;
  const route = await core.routeOf(turn.record.origin);
  if (route?.client.typing === undefined) return () => undefined;
  const ended = new AbortController();
  const { client } = route;
  async function show(): Promise<void> {
    await wait(TYPING_AFTER_MS, ended.signal);
    for (;;) {
      if (turn.record.waiting === undefined)
        await client.typing?.(turn.record.origin.target, ended.signal).catch(() => undefined);
      await wait(TYPING_EVERY_MS, ended.signal);
    }
  }
  show().catch(() => undefined); // ends by its own signal
  return () => ended.abort();
}
