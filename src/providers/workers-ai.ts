import type { ModelEvent, ModelRequest, Provider, ProviderConnection, ProviderContext } from "#src/domain/provider";
import { abortable } from "#src/lib/abortable";
import { toChatMessages, toChatTools } from "./chat-messages";
import { findModel, isKnownModel } from "./find-model";
import { toModelFailure } from "./model-failure";
import { type AnswerSource, givenUpFailure, readAnswer, readWholeAnswer } from "./read-answer";
import { nearestEffort } from "./reasoning-effort";
import { watchCall } from "./watch-call";

const WHO = "Workers AI";

/**
 * Models that run on Cloudflare, through the `AI` binding: no key and no endpoint. Its models answer in their own
 * format (`response`) or in that of Chat Completions, and some in one piece although a stream was asked for.
 */
export const workersAi: Provider = { name: "workers-ai", stream };

async function* stream(
  request: ModelRequest,
  connection: ProviderConnection,
  context: ProviderContext,
): AsyncGenerator<ModelEvent> {
  const watch = watchCall(context);
  const source: AnswerSource = { request, watch, who: WHO };
  try {
    const answer = await run(request, connection, watch.signal);
    if (isByteStream(answer)) yield* readAnswer(answer, source);
    else yield* readWholeAnswer(answer, source);
  } catch (cause) {
    const why = watch.givenUp();
    yield { type: "failed", failure: why === undefined ? toFailure(cause, request) : givenUpFailure(why, WHO) };
  } finally {
    watch.stop();
  }
}

async function run(request: ModelRequest, { ai }: ProviderConnection, signal: AbortSignal): Promise<unknown> {
  signal.throwIfAborted();
  if (ai === undefined) throw new Error(NO_BINDING);
  const answering = ai.run(request.model, {
    messages: toChatMessages(request),
    ...(request.tools.length === 0 ? {} : { tools: toChatTools(request.tools) }),
    max_tokens: request.maxOutputTokens ?? usualMaxTokens(request.model),
    ...effortOf(request),
    stream: true,
  });
  try {
    return await abortable(answering, signal);
  } catch (cause) {
    // the binding knows no signal: an answer that comes after all must not go on being generated
    answering.then((late) => (isByteStream(late) ? late.cancel() : undefined)).catch(() => undefined);
    throw cause;
  }
}

/** Tokens of an answer that nobody limited: many models there stop after 256 when nothing is said. */
const MAX_TOKENS = 16_384;
const UNKNOWN_MAX_TOKENS = 4096;

/** Source: https://developers.cloudflare.com/workers-ai/models/ (each model's input schema) */
function usualMaxTokens(model: string): number {
  return isKnownModel(model) ? Math.min(findModel(model).maxOutputTokens, MAX_TOKENS) : UNKNOWN_MAX_TOKENS;
}

function effortOf({ model, reasoningEffort }: ModelRequest): Readonly<Record<string, unknown>> {
  const effort = reasoningEffort === undefined ? undefined : nearestEffort(reasoningEffort, findModel(model).efforts);
  if (effort === undefined) return {};
  return effort === "none" ? { chat_template_kwargs: { enable_thinking: false } } : { reasoning_effort: effort };
}

const NO_BINDING = "no AI binding";

function isByteStream(value: unknown): value is ReadableStream<Uint8Array> {
  return value instanceof ReadableStream;
}

/** HTTP statuses of the binding's own codes. Source: https://developers.cloudflare.com/workers-ai/platform/errors/ */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  3003: 400,
  3006: 413,
  3007: 408,
  3008: 408,
  3023: 403,
  3036: 429,
  3040: 429,
  3041: 403,
  3042: 404,
  5004: 400,
  5007: 400,
  5016: 403,
  5018: 403,
};

/** The binding throws errors whose message begins with a code: "3040: Capacity temporarily exceeded". */
function toFailure(cause: unknown, request: ModelRequest): Extract<ModelEvent, { type: "failed" }>["failure"] {
  const message = cause instanceof Error ? cause.message : String(cause);
  if (message === NO_BINDING) {
    return {
      reason: "model_not_found",
      retryable: false,
      message: "This deployment has no AI binding for Workers AI.",
    };
  }
  const code = /\b(\d{4}): /.exec(message)?.[1];
  const status = code === undefined ? undefined : STATUS_OF_CODE[code];
  return toModelFailure({ provider: WHO, model: request.model, message, status }, Date.now());
}
