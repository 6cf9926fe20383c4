import type { ModelEvent, ModelRequest, Provider, ProviderConnection, ProviderContext } from "#src/domain/provider";
import { chatState, toChatBody } from "./chat-body";
import { dialectOf } from "./chat-dialect";
import { createAnswerCollector } from "./collect-answer";
import { cleanBaseUrl, hostOf } from "./endpoint";
import { createOpenAi } from "./openai-client";
import { openCall } from "./open-call";
import { type AnswerSource, readAnswer } from "./read-answer";
import { watchCall } from "./watch-call";

/** OpenAI's own API. */
export const OPENAI_BASE_URL = "https://api.openai.com/v1";

/**
 * Chat Completions of OpenAI and of everything that speaks like it: OpenRouter, Ollama, vLLM, llama.cpp and others, by
 * base URL. The request, its headers and its key are the `openai` SDK's; the stream is read here, since the SDK's
 * reader costs twice the CPU and gives up on answers that these servers send.
 */
export const openaiChat: Provider = { name: "openai", stream };

async function* stream(
  request: ModelRequest,
  { baseUrl: given, apiKey = "" }: ProviderConnection,
  context: ProviderContext,
): AsyncGenerator<ModelEvent> {
  const watch = watchCall(context);
  const baseUrl = cleanBaseUrl(given, OPENAI_BASE_URL, /\/chat\/completions$/);
  const source: AnswerSource = { request, watch, who: hostOf(baseUrl) };
  const dialect = dialectOf(baseUrl);
  const body = toChatBody(request, dialect);
  try {
    const opened = await openCall(
      async (fetch, signal) => {
        // `chat.completions.create` watches the body while it is written, which takes half as long again
        const client = await createOpenAi({ baseUrl, apiKey, fetch });
        return client.post("/chat/completions", { body, stream: true, signal }).asResponse();
      },
      context,
      source,
    );
    const keep = chatState.bind(undefined, request, dialect);
    if ("failure" in opened) yield { type: "failed", failure: opened.failure };
    else yield* readAnswer(opened.body, source, createAnswerCollector(request, source.who, keep));
  } finally {
    watch.stop();
  }
}
