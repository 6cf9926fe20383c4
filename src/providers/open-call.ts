import type { ModelFailure, ModelPart, ModelRequest, ProviderContext } from "#src/domain/provider";
import { abortable } from "#src/lib/abortable";
import { findModel, isKnownModel } from "./find-model";
import { parseJson } from "./json";
import { type FailedCall, invalidResponse, toModelFailure } from "./model-failure";
import { type AnswerSource, givenUpFailure } from "./read-answer";

/** The SDKs want a limit of their own; the call's watch is the one that counts. */
export const SDK_TIMEOUT_MS = 2 ** 31 - 1;
/** Bytes of an error answer that are read: causes come first. */
const MAX_ERROR_BYTES = 65_536;

/** A call that was answered with a body to read, or that failed. */
export type OpenedCall =
  | { readonly body: ReadableStream<Uint8Array> }
  | {
      readonly failure: ModelFailure;
      /** What the vendor said, for whoever knows a way around it. Never shown to a person. */
      readonly said: string;
    };

/**
 * Sends a request and waits for its answer to begin. Never throws. `send` gets a `fetch` that keeps what a refusal
 * says, since an SDK would read all of it, however long it is.
 */
export async function openCall(
  send: (fetch: ProviderContext["fetch"], signal: AbortSignal) => Promise<Response>,
  context: Pick<ProviderContext, "fetch">,
  { request, watch, who }: AnswerSource,
): Promise<OpenedCall> {
  let refused: (Pick<FailedCall, "status" | "headers" | "body"> & { readonly text: string }) | undefined;
  const fetchKeeping: ProviderContext["fetch"] = async (url, init) => {
    const response = await context.fetch(url, init);
    if (response.ok) return response;
    const text = await readStart(response);
    refused = { status: response.status, headers: response.headers, body: parseJson(text) ?? text, text };
    return new Response(null, { status: response.status });
  };
  try {
    watch.signal.throwIfAborted();
    const response = await abortable(send(fetchKeeping, watch.signal), watch.signal);
    if (response.body !== null) return { body: response.body };
    return { failure: invalidResponse(who), said: "" };
  } catch (cause) {
    const why = watch.givenUp();
    if (why !== undefined) return { failure: givenUpFailure(why, who), said: "" };
    const call = { ...requestFacts(request, who), ...(refused ?? transportFacts(cause)) };
    return { failure: toModelFailure(call, Date.now()), said: refused?.text ?? "" };
  }
}

/** What the size of a request says about an error that gives no reason; four characters are about a token. */
function requestFacts(request: ModelRequest, who: string): FailedCall {
  return {
    provider: who,
    model: request.model,
    messageCount: request.messages.length,
    approxTokens: approxInputTokens(request),
    ...(isKnownModel(request.model) ? { contextLength: findModel(request.model).contextTokens } : {}),
  };
}

/** Tokens of a request's messages, estimated: four characters are about one. */
export function approxInputTokens(request: ModelRequest): number {
  const chars = request.messages.reduce((sum, { content }) => sum + textLength(content), 0);
  return Math.ceil(chars / 4);
}

function textLength(content: string | readonly ModelPart[]): number {
  if (typeof content === "string") return content.length;
  return content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);
}

function transportFacts(cause: unknown): Pick<FailedCall, "message" | "errorType"> {
  const inner = cause instanceof Error && cause.cause instanceof Error ? cause.cause : undefined;
  if (!(cause instanceof Error)) return { errorType: typeof cause };
  return { errorType: cause.constructor.name, message: `${cause.message}\n${inner?.message ?? ""}` };
}

async function readStart(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  const reader = response.body.getReader();
  for (let bytes = 0; bytes < MAX_ERROR_BYTES;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.byteLength;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}
