/** Why a model call was ended although the turn goes on: a person wrote, and the next call reads it. */
export const REDIRECTED = Symbol("redirected");
/** Why a turn was ended: its `stopped` signal's reason. */
export const STOPPED = Symbol("stopped");

/** How the outside steers a running turn. Lives in memory with it: what must last stands in the journal. */
export interface TurnControl {
  /** Aborts when the person stops the turn. */
  readonly stopped: AbortSignal;
  /** `words` is what the person reads instead of the plain sentence. */
  stop(words?: string): void;
  stopWords(): string | undefined;
  /** Ends the model call under way, so that the next one reads what has come in. Nothing happens between calls. */
  redirect(): void;
  /** Signal for one model call: aborts by `stop` and by `redirect`. */
  beginCall(): AbortSignal;
  /** Wakes a turn that waits for a person's answer. */
  wake(): void;
  /** Resolves at the next `wake`. */
  waitForWake(): Promise<void>;
}

export function createTurnControl(): TurnControl {
  const turn = new AbortController();
  let call = new AbortController();
  let said: string | undefined;
  let waking = Promise.withResolvers<void>();
  return {
    stopped: turn.signal,
    stopWords: () => said,
    stop(words) {
      if (words !== undefined && words !== "") said ??= words;
      turn.abort(STOPPED);
      call.abort(STOPPED);
    },
    redirect() {
      call.abort(REDIRECTED);
    },
    beginCall() {
      call = new AbortController();
      if (turn.signal.aborted) call.abort(STOPPED);
      return call.signal;
    },
    wake() {
      waking.resolve();
      waking = Promise.withResolvers<void>();
    },
    waitForWake() {
      return waking.promise;
    },
  };
}
