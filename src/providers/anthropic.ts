import type { ModelEvent, ModelRequest, Provider, ProviderConnection, ProviderContext } from "#src/domain/provider";
import { toAnthropicBody } from "./anthropic-body";
import { createAnthropic } from "./anthropic-client";
import { ANTHROPIC } from "./anthropic-messages";
import { createMessageCollector } from "./collect-message";
import { cleanBaseUrl, hostOf } from "./endpoint";
import { openCall } from "./open-call";
import { type AnswerSource, readAnswer } from "./read-answer";
import { watchCall } from "./watch-call";

const ANTHROPIC_BASE_URL = "https://api.anthropic.com";

/**
 * The Messages API of Anthropic, and of those who speak like it. The request, its headers and its key are the Anthropic
 * SDK's, which loads with the first call; the stream is read here, as for every other vendor.
 */
export const anthropic: Provider = { name: ANTHROPIC, stream };

async function* stream(
  request: ModelRequest,
  { baseUrl: given, apiKey = "" }: ProviderConnection,
  context: ProviderContext,
): AsyncGenerator<ModelEvent> {
  const watch = watchCall(context);
  const baseUrl = cleanBaseUrl(given, ANTHROPIC_BASE_URL, /(?:\/v1)?(?:\/messages)?$/);
  const source: AnswerSource = { request, watch, who: hostOf(baseUrl) };
  try {
    const opened = await openCall(
      async (fetch, signal) => {
        const client = await createAnthropic({ baseUrl, apiKey, fetch });
        return client.post("/v1/messages", { body: toAnthropicBody(request), stream: true, signal }).asResponse();
      },
      context,
      source,
    );
    if ("failure" in opened) yield { type: "failed", failure: opened.failure };
    else yield* readAnswer(opened.body, source, createMessageCollector(request, source.who));
  } finally {
    watch.stop();
  }
}
