import type { ToolCall } from "#src/domain/message";
import type { ModelEvent, ModelFailure, ModelRequest, ProviderState, Usage } from "#src/domain/provider";
import { wait } from "#src/lib/abortable";
import { backoffMs } from "./model-backoff";

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

export interface ModelCallPorts {
  /** One try; never throws. */
  readonly stream: (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
  /** The answer so far, whole, whenever it has grown; the empty text when it begins anew. */
  readonly onText: (text: string) => void;
  readonly signal: AbortSignal;
  /** Told of every failed try. */
  readonly onFailure?: (failure: ModelFailure, attempt: number) => Promise<void>;
  /** Tries in all. */
  readonly maxTries: number;
  readonly random: () => number;
}

/** Milliseconds that a turn waits for a provider which asks it to; when it asks for more, the person is told. */
const LONGEST_WAIT_MS = 120_000;

/**
 * Asks the model once, as far as the turn is concerned: failures that may pass are tried again with growing waits,
 * and so is an answer of nothing.
 *
 * @throws the signal's reason, when the turn was stopped or redirected
 */
export async function callModel(request: ModelRequest, ports: ModelCallPorts): Promise<ModelOutcome> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await tryOnce(request, ports);
    ports.signal.throwIfAborted();
    const failure = outcome.type === "failed" ? outcome.failure : emptyAnswer(outcome.answer);
    if (failure === undefined) return outcome;
    await ports.onFailure?.(failure, attempt);
    const waitMs = backoffMs({ attempt, failure, random: ports.random });
    // some failures pass only after a change to the request, and some waits are longer than a person's patience
    const mayPass = failure.retryable && failure.shouldCompress !== true && waitMs <= LONGEST_WAIT_MS;
    if (!mayPass || attempt >= ports.maxTries) return { type: "failed", failure };
    ports.onText("");
    await wait(waitMs, ports.signal);
  }
}

async function tryOnce(request: ModelRequest, ports: ModelCallPorts): Promise<ModelOutcome> {
  let text = "";
  for await (const event of ports.stream(request, ports.signal)) {
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

function emptyAnswer(answer: ModelAnswer): ModelFailure | undefined {
  if (answer.text.trim() !== "" || answer.toolCalls.length > 0) return undefined;
  if (answer.finish === "content_filter") {
    return { reason: "content_policy", retryable: false, message: "The model's provider refused to answer this." };
  }
  return { reason: "invalid_response", retryable: true, message: "The model answered with nothing." };
}
