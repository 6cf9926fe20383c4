import type { TurnHooks } from "#src/agent/turn-hooks";

/** Tells who watches how one answer of a turn streams. The stream never waits for them; its end does, so that order holds. */
export function watchStream(
  hooks: TurnHooks,
  turnId: number,
): {
  /** The answer so far. */
  text(text: string): void;
  end(isFinished: boolean): Promise<void>;
} {
  const isWatched = (["stream.start", "stream.delta", "stream.end"] as const).some((event) => hooks.listens(event));
  if (!isWatched) return { text: () => undefined, end: async () => undefined };
  let told: Promise<unknown> = Promise.resolve();
  let shown = "";
  let hasBegun = false;
  let deltas = 0;
  const message_id = String(turnId);
  const tell = (
    event: "stream.start" | "stream.delta" | "stream.end",
    data: Parameters<TurnHooks["fire"]>[1],
  ): void => {
    told = told.then(() => (hooks.listens(event) ? hooks.fire(event, data) : undefined));
  };
  return {
    text(text) {
      if (!hasBegun) tell("stream.start", { message_id });
      hasBegun = true;
      const delta = text.startsWith(shown) ? text.slice(shown.length) : text;
      shown = text;
      if (delta !== "") tell("stream.delta", { message_id, index: deltas++, delta, kind: "text" });
    },
    async end(isFinished) {
      if (hasBegun) tell("stream.end", { message_id, final_text: shown, finished: isFinished });
      await told;
    },
  };
}
