import type { ModuleWatch } from "#src/hooks/call-hook";
import type { TurnRecord } from "#src/domain/turn";
import type { SessionCore } from "./session-core";
import { isUntold } from "./session-digest";
import type { SessionStore } from "./session-store";

/** A module whose hook was being called. */
export interface RunningModule {
  readonly module: string;
  readonly hookId: string;
}

/** Which module may have ended the process, as its row keeps it. */
export interface Suspicion {
  /** Is being called right now. */
  readonly running?: RunningModule;
  /** Was being called when the process died last, and how often in a row. */
  readonly named?: RunningModule & { readonly deaths: number };
}

export interface SuspectPorts {
  readonly store: SessionStore;
  /** Resolves when what was written is on disk. */
  readonly sync: () => Promise<void>;
  /** Switches a module off and tells the owner. Resolves once hooks are read without it. */
  readonly quarantine: (suspect: RunningModule) => Promise<void>;
}

/**
 * Finds the module that ends the process. A module cannot be stopped from outside, so while a session takes up what an
 * earlier life left unfinished, it writes down which module it is about to call: at the next death the row names it.
 * On the normal path nothing is written.
 */
export interface Suspects {
  /** Reads what the earlier life has left. `isUnfinished`: it died in the middle of something. */
  recover(isUnfinished: boolean): void;
  /** From now on every call is written down, whatever came before. */
  begin(): void;
  /** Resolves once whoever was found is off. */
  settled(): Promise<void>;
  /** Writes down what is called; undefined when nothing is suspected. */
  watch(): ModuleWatch | undefined;
  /** A turn has come to its end in this life. */
  passed(): void;
  /** Nothing is left to do: once something was done, whoever was called came back, and nobody is suspected any more. */
  rest(): void;
}

/** Deaths in a row after which a module is not called any more. */
const MAX_DEATHS = 2;

export function openSuspects({ store, sync, quarantine }: SuspectPorts): Suspects {
  let suspicion: Suspicion | undefined;
  let hasWorked = false;
  let found: Promise<void> = Promise.resolve();
  let last: Promise<unknown> = Promise.resolve();
  let release: () => void = () => undefined;

  function keep(next: Suspicion): void {
    suspicion = next;
    store.setSuspicion(next);
  }

  function name(running: RunningModule, before: Suspicion["named"]): void {
    const deaths = before?.module === running.module ? before.deaths + 1 : 1;
    console.error(`the process died while the module ${running.module} was running (${deaths} in a row)`);
    if (deaths < MAX_DEATHS) return keep({ named: { ...running, deaths } });
    found = quarantine(running).then(
      () => keep({}),
      // it stays named: it is called under the same eyes, and found again
      (error: unknown) => {
        keep({ named: { ...running, deaths } });
        console.error(`the module ${running.module} could not be switched off`, error);
      },
    );
  }

  return {
    recover(isUnfinished) {
      suspicion = store.suspicion();
      if (suspicion?.running !== undefined) name(suspicion.running, suspicion.named);
      else if (suspicion !== undefined || isUnfinished) keep({});
    },
    begin() {
      if (suspicion === undefined) keep({});
    },
    settled: () => found,
    watch() {
      if (suspicion === undefined) return undefined;
      return {
        async begin(module, hookId) {
          // one after the other: were two running, nobody could tell which one it was
          const before = last;
          const { promise, resolve } = Promise.withResolvers<void>();
          last = promise;
          await before;
          release = resolve;
          hasWorked = true;
          keep({ ...suspicion, running: { module, hookId } });
          await sync();
        },
        end() {
          const { running: _running, ...rest } = suspicion ?? {};
          if (suspicion !== undefined) keep(rest);
          release();
        },
      };
    },
    passed() {
      hasWorked = true;
    },
    rest() {
      if (suspicion === undefined || !hasWorked || suspicion.running !== undefined) return;
      suspicion = undefined;
      store.removeSuspicion();
    },
  };
}

/**
 * Whether an earlier life of a session ended in the middle of something. What was said to the person and not yet told to
 * the profile counts where nothing but a death ends a life so soon: on the operator's own machine.
 */
export function isUnfinished(core: SessionCore, isLocal: boolean): boolean {
  const { store } = core;
  const wasWorking = ({ kind, bootId, waiting }: TurnRecord): boolean =>
    kind === "command" || (bootId !== undefined && waiting === undefined);
  return (
    store.turns().some(wasWorking) ||
    store.arrivals().length > 0 ||
    store.deliveries().some(({ mustPass }) => mustPass === true) ||
    (isLocal && isUntold(core))
  );
}
