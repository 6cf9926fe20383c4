import type { RemoteStore } from "#src/workspace/sidecar/remote-store";
import type { SandboxRemote } from "./sandbox-remote";

/** Tells a session something, as a message that its agent answers. A second time with the same key changes nothing. */
export type NotifySession = (sessionKey: string, key: string, text: string) => Promise<void>;

/** What watching needs of its object. */
export interface SandboxWatchOptions {
  readonly storage: DurableObjectStorage;
  readonly store: RemoteStore;
  readonly remote: SandboxRemote;
  readonly notify: NotifySession;
  readonly now: () => number;
}

/** Looks after what goes on without anybody asking. */
export interface SandboxWatch {
  /** Looks again when it is time to; to be called after whatever may have changed that. */
  arm(): Promise<void>;
  /** The alarm. */
  look(): Promise<void>;
  /** Tells sessions what they are still to be told. Never throws. */
  deliver(): Promise<void>;
}

/** A young process is looked at often, an old one now and then. */
const MIN_POLL_MS = 2000;
const MAX_POLL_MS = 30_000;
/** Share of a process' age after which it is looked at again. */
const POLL_SHARE = 0.1;
/** Milliseconds until a session that could not be told is told again. */
const RETRY_MS = 15_000;
/** Milliseconds after which something is too old to be told. */
const KEPT_MS = 24 * 3600 * 1000;

export function openSandboxWatch({ storage, store, remote, notify, now }: SandboxWatchOptions): SandboxWatch {
  /** Epoch milliseconds of the next look; undefined when there is nothing to look at. */
  async function nextAt(): Promise<number | undefined> {
    const times: number[] = store.notices().length > 0 ? [now() + RETRY_MS] : [];
    const watched = store
      .processes()
      .filter(({ status, tellsEnd, watches }) => status === "running" && (tellsEnd || watches));
    for (const { startedAt } of watched) {
      const age = now() - startedAt;
      times.push(now() + Math.min(Math.max(age * POLL_SHARE, MIN_POLL_MS), MAX_POLL_MS));
    }
    const container = (await remote.shell().catch(() => undefined))?.container;
    if (container?.sidecar.isRunning() === true)
      times.push(Math.max(remote.usedAt() + container.idleMs, now() + MIN_POLL_MS));
    return times.length === 0 ? undefined : Math.min(...times);
  }

  async function arm(): Promise<void> {
    const at = await nextAt();
    if (at === undefined) return;
    const armed = await storage.getAlarm();
    if (armed === null || armed > at) await storage.setAlarm(at);
  }

  async function deliver(): Promise<void> {
    for (const { key, sessionKey, text, at } of store.notices()) {
      if (now() - at > KEPT_MS) {
        store.dropNotice(key);
        continue;
      }
      try {
        await notify(sessionKey, `process:${key}`, text);
        store.dropNotice(key);
      } catch (error) {
        console.error(`session ${sessionKey} could not be told of a process`, error);
      }
    }
  }

  /** Something runs there, or what it changed last is not here yet. */
  function isBusy(): boolean {
    return store.state()?.isQuiet === false || store.processes().some(({ status }) => status === "running");
  }

  /** A container that nobody uses costs money; its files are here. */
  async function stopIdle(): Promise<void> {
    const container = (await remote.shell().catch(() => undefined))?.container;
    if (container === undefined || !container.sidecar.isRunning()) return;
    if (!isBusy() && now() - remote.usedAt() >= container.idleMs) await container.sidecar.stop();
  }

  return {
    arm,
    deliver,
    async look() {
      if (isBusy()) {
        // armed before anything can go wrong: an alarm that fails often is not called again
        await storage.setAlarm(now() + MAX_POLL_MS);
        await remote.look();
      }
      await deliver();
      await stopIdle();
      const at = await nextAt();
      if (at === undefined) await storage.deleteAlarm();
      else await storage.setAlarm(at);
    },
  };
}
