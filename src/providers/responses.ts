import { createOpenAi } from "./openai-client";
import type { ModelEvent, ModelRequest, Provider, ProviderConnection, ProviderContext } from "#src/domain/provider";
import { shortCacheKey } from "./chat-body";
import { dialectOf } from "./chat-dialect";
import { createResponseCollector } from "./collect-response";
import { cleanBaseUrl, hostOf } from "./endpoint";
import { findModel } from "./find-model";
import { type OpenedCall, openCall } from "./open-call";
import { OPENAI_BASE_URL } from "./openai-chat";
import { type AnswerSource, readAnswer } from "./read-answer";
import { nearestEffort } from "./reasoning-effort";
import { type ResponsesInput, toInputSinceStored, toResponsesTools, toWholeInput } from "./responses-input";
import { watchCall } from "./watch-call";

/**
 * The Responses API of OpenAI, which its thinking models need to call tools, and of those who speak like it. Nothing is
 * stored there: what the model thought comes along encrypted, and goes back with the answer that it belongs to.
 */
export const responses: Provider = createResponses("responses", false);

/**
 * The same for deployments that let the vendor store responses: only what is new is sent, after the id of the response
 * that it follows, and all of it when the vendor does not know that id any more.
 */
export const storedResponses: Provider = createResponses("responses-stored", true);

function createResponses(name: string, isStored: boolean): Provider {
  return { name, stream: (request, connection, context) => stream(request, connection, context, isStored) };
}

async function* stream(
  request: ModelRequest,
  { baseUrl: given, apiKey = "" }: ProviderConnection,
  context: ProviderContext,
  isStored: boolean,
): AsyncGenerator<ModelEvent> {
  const watch = watchCall(context);
  const baseUrl = cleanBaseUrl(given, OPENAI_BASE_URL, /\/responses$/);
  const source: AnswerSource = { request, watch, who: hostOf(baseUrl) };
  const ask = (input: ResponsesInput): Promise<OpenedCall> => {
    const body = toBody(request, input, { isStored, baseUrl });
    return openCall(
      async (fetch, signal) => {
        const client = await createOpenAi({ baseUrl, apiKey, fetch });
        return client.post("/responses", { body, stream: true, signal }).asResponse();
      },
      context,
      source,
    );
  };
  try {
    const input = isStored ? toInputSinceStored(request) : toWholeInput(request);
    let opened = await ask(input);
    // not a retry: the vendor refused the short form of the request, and this is the long one
    if ("failure" in opened && input.previousId !== undefined && isLost(opened))
      opened = await ask(toWholeInput(request));
    if ("failure" in opened) yield { type: "failed", failure: opened.failure };
    else yield* readAnswer(opened.body, source, createResponseCollector(request, source.who, isStored));
  } finally {
    watch.stop();
  }
}

/** The vendor has no such response: it was deleted, has expired, or the account stores none. */
function isLost({ said, failure }: Extract<OpenedCall, { readonly said: string }>): boolean {
  return (failure.status === 400 || failure.status === 404) && /previous[_ ]response/i.test(said);
}

function toBody(
  request: ModelRequest,
  { instructions, input, previousId }: ResponsesInput,
  { isStored, baseUrl }: { readonly isStored: boolean; readonly baseUrl: string },
): Record<string, unknown> {
  const { reasoning, efforts } = findModel(request.model);
  const effort = request.reasoningEffort === undefined ? undefined : nearestEffort(request.reasoningEffort, efforts);
  const isKeyed = dialectOf(baseUrl).takesCacheKey === true && request.cacheKey !== undefined;
  return {
    model: request.model,
    ...(instructions === undefined ? {} : { instructions }),
    input,
    ...(previousId === undefined ? {} : { previous_response_id: previousId }),
    ...(request.tools.length === 0 ? {} : { tools: toResponsesTools(request.tools) }),
    ...(request.maxOutputTokens === undefined ? {} : { max_output_tokens: request.maxOutputTokens }),
    ...(effort === undefined ? {} : { reasoning: { effort } }),
    // models that do not think refuse to be asked for their thoughts
    ...(reasoning ? { include: ["reasoning.encrypted_content"] } : {}),
    ...(isKeyed ? { prompt_cache_key: shortCacheKey(request.cacheKey ?? "") } : {}),
    store: isStored,
    stream: true,
  };
}
