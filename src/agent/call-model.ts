import type { ToolCall } from "#src/domain/message";
import type { ModelEvent, ModelFailure, ModelRequest, ProviderState, Usage } from "#src/domain/provider";

export interface ModelAnswer {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: "stop" | "length" | "tool_calls" | "content_filter";
  readonly usage?: Usage;
  readonly state?: ProviderState;
}

export type ModelOutcome =
  | { readonly type: "answer"; readonly answer: ModelAnswer }
  | { readonly type: "failed"; readonly failure: ModelFailure };

/** The events of one try. */
export type AskedOnce = AsyncIterable<ModelEvent>;

/** Asks once and gathers the answer. Never throws. */
export async function askOnce(
  stream: (request: ModelRequest, signal: AbortSignal) => AskedOnce,
  request: ModelRequest,
  /** `onText` gets the answer so far, whole, whenever it has grown. */
  ports: { readonly onText: (text: string) => void; readonly signal: AbortSignal },
): Promise<ModelOutcome> {
  let text = "";
  for await (const event of stream(request, ports.signal)) {
    if (event.type === "text") {
      text += event.delta;
      ports.onText(text);
    } else if (event.type === "failed") {
      return { type: "failed", failure: event.failure };
    } else if (event.type === "finish") {
      const { toolCalls, reason: finish, usage, state } = event;
      const rest = { ...(usage === undefined ? {} : { usage }), ...(state === undefined ? {} : { state }) };
      return { type: "answer", answer: { text, toolCalls, finish, ...rest } };
    }
  }
  return {
    type: "failed",
    failure: { reason: "invalid_response", retryable: true, message: "The model's stream ended without an end." },
  };
}
