import type { ModelMessage, ToolSchema } from "#src/domain/provider";
import { injectContext, lastUserText } from "./inject-context";
import { type TurnHooks, fireIfHeard } from "./turn-hooks";

/** A request as hooks are shown it. */
export interface GatedRequest {
  readonly system: string;
  readonly messages: readonly ModelMessage[];
  readonly tools: readonly ToolSchema[];
  /** Steps of the turn before it. */
  readonly callIndex: number;
}

/** What hooks make of a request: what they add to it, or why it is not made. */
export type ModelGate =
  | { readonly add: (messages: readonly ModelMessage[]) => readonly ModelMessage[] }
  | { readonly refusal: string };

/** Asks the hooks before a request: they may add to it, or end the turn instead. */
export async function passModelGate(
  hooks: TurnHooks,
  notify: (notes: readonly string[]) => void,
  request: () => GatedRequest,
): Promise<ModelGate> {
  const settled = await fireIfHeard(hooks, "model.pre", () => {
    const { system, messages, tools, callIndex } = request();
    return {
      system,
      last_user_message: lastUserText(messages),
      messages: JSON.parse(JSON.stringify(messages)),
      tools: tools.map((tool) => tool.name),
      call_index: callIndex,
    };
  });
  notify(settled.notes);
  if (settled.outcome === "deny" || settled.outcome === "stop")
    return { refusal: settled.reason ?? "Blocked by hook." };
  const { context } = settled;
  return { add: (messages) => (context === undefined ? messages : injectContext(messages, context)) };
}
