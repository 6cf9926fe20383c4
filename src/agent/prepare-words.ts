import type { HookSettlement } from "#src/domain/hook-event";
import type { Message } from "#src/domain/message";
import type { PreparedWords } from "#src/domain/turn";
import { type TurnHooks, fireIfHeard } from "./turn-hooks";

/** What hooks made of a person's words; `denied` when they must not be answered, `stopped` when the turn ends unanswered. */
export type Prepared =
  | { readonly type: "ready"; readonly words: PreparedWords }
  | { readonly type: "denied" | "stopped"; readonly reason: string };

const NO_REASON = "Blocked by hook.";

/** How a turn begins, as hooks are told. */
export interface TurnBeginning {
  /** Why a session starts with this turn; absent when it does not. */
  readonly sessionStart?: "startup" | "clear" | "resume" | "compact";
  readonly toolCount: number;
  /** The conversation as the model will read it. */
  readonly history: () => readonly object[];
}

/**
 * Takes a person's words past the hooks that stand before the first model call. `beginning` is given for the words
 * that begin a turn; those that join one only pass the gate for words.
 */
export async function prepareWords(
  message: Message,
  hooks: TurnHooks,
  notify: (notes: readonly string[]) => void,
  beginning?: TurnBeginning,
): Promise<Prepared> {
  const contexts: string[] = [];
  const keep = (settled: HookSettlement): HookSettlement => {
    notify(settled.notes);
    if (settled.context !== undefined) contexts.push(settled.context);
    return settled;
  };
  if (beginning?.sessionStart !== undefined) {
    const { sessionStart } = beginning;
    const data = () => ({ source: sessionStart, status: "start" });
    const started = keep(await fireIfHeard(hooks, "session.start", data));
    if (started.outcome === "stop") return { type: "stopped", reason: started.reason ?? NO_REASON };
  }
  const said = { user_message: message.content, prompt: message.content };
  const submitted = keep(await fireIfHeard(hooks, "prompt.submit", () => said));
  if (submitted.outcome === "deny" || submitted.outcome === "stop") {
    return { type: "denied", reason: submitted.reason ?? NO_REASON };
  }
  const text = submitted.text ?? message.content;
  if (beginning !== undefined) {
    await fireIfHeard(hooks, "turn.start", () => ({ message: text, tool_count: beginning.toolCount }));
    const data = () => ({
      user_message: text,
      is_first_turn: beginning.sessionStart !== undefined,
      // what a model reads is JSON
      history: JSON.parse(JSON.stringify(beginning.history())),
    });
    const added = keep(await fireIfHeard(hooks, "turn.context", data));
    if (added.outcome === "stop") return { type: "stopped", reason: added.reason ?? NO_REASON };
  }
  const context = [message.context, ...contexts].filter((part) => part !== undefined).join("\n\n");
  return {
    type: "ready",
    words: {
      id: message.id,
      ...(text === message.content ? {} : { content: text }),
      ...(contexts.length === 0 ? {} : { context }),
    },
  };
}
