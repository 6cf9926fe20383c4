import { OpenAI } from "openai";
import type {
  ModelEvent,
  ModelFailure,
  ModelPart,
  ModelRequest,
  Provider,
  ProviderConnection,
  ProviderContext,
} from "#src/domain/provider";
import { abortable } from "#src/lib/abortable";
import { toChatMessages, toChatTools } from "./chat-messages";
import { parseJson } from "./json";
import { type FailedCall, invalidResponse, toModelFailure } from "./model-failure";
import { type AnswerSource, givenUpFailure, readAnswer } from "./read-answer";
import { watchCall } from "./watch-call";

const DEFAULT_BASE_URL = "https://api.openai.com/v1";
/** The SDK wants a limit of its own; the call's watch is the one that counts. */
const SDK_TIMEOUT_MS = 2 ** 31 - 1;
/** Bytes of an error answer that are read: causes come first. */
const MAX_ERROR_BYTES = 65_536;

/**
 * Chat Completions of OpenAI and of everything that speaks like it: OpenRouter, Ollama, vLLM, llama.cpp and others, by
 * base URL. The request, its headers and its key are the `openai` SDK's; the stream is read here, since the SDK's
 * reader costs twice the CPU and gives up on answers that these servers send.
 */
export const openaiChat: Provider = { name: "openai", stream };

async function* stream(
  request: ModelRequest,
  connection: ProviderConnection,
  context: ProviderContext,
): AsyncGenerator<ModelEvent> {
  const watch = watchCall(context);
  const baseUrl = cleanBaseUrl(connection.baseUrl);
  const source: AnswerSource = { request, watch, who: hostOf(baseUrl) };
  try {
    const opened = await open(request, { ...connection, baseUrl }, context, source);
    if ("failure" in opened) yield { type: "failed", failure: opened.failure };
    else yield* readAnswer(opened.body, source);
  } finally {
    watch.stop();
  }
}

type Opened = { readonly body: ReadableStream<Uint8Array> } | { readonly failure: ModelFailure };

async function open(
  request: ModelRequest,
  connection: ProviderConnection & { readonly baseUrl: string },
  context: ProviderContext,
  { watch, who }: AnswerSource,
): Promise<Opened> {
  let refused: Pick<FailedCall, "status" | "headers" | "body"> | undefined;
  try {
    watch.signal.throwIfAborted();
    const client = createClient(connection, async (url, init) => {
      const response = await context.fetch(url, init);
      if (response.ok) return response;
      const text = await readStart(response);
      refused = { status: response.status, headers: response.headers, body: parseJson(text) ?? text };
      return new Response(null, { status: response.status });
    });
    const body = toBody(request, connection.baseUrl);
    // `chat.completions.create` watches the body while it is written, which takes half as long again
    const answering = client.post("/chat/completions", { body, stream: true, signal: watch.signal }).asResponse();
    const response = await abortable(answering, watch.signal);
    if (response.body !== null) return { body: response.body };
    return { failure: invalidResponse(who) };
  } catch (cause) {
    const why = watch.givenUp();
    if (why !== undefined) return { failure: givenUpFailure(why, who) };
    return {
      failure: toModelFailure({ ...requestFacts(request, who), ...(refused ?? transportFacts(cause)) }, Date.now()),
    };
  }
}

/** Ten microseconds of work: a client is made for each call rather than kept beside a `fetch` that is another's. */
function createClient(
  connection: ProviderConnection & { readonly baseUrl: string },
  fetch: ProviderContext["fetch"],
): OpenAI {
  const { apiKey = "" } = connection;
  return new OpenAI({
    baseURL: connection.baseUrl,
    // the SDK insists on a key; local servers get no header for it
    apiKey: apiKey === "" ? "none" : apiKey,
    ...(apiKey === "" ? { defaultHeaders: { authorization: null } } : {}),
    organization: null,
    project: null,
    adminAPIKey: null,
    maxRetries: 0,
    timeout: SDK_TIMEOUT_MS,
    logLevel: "off",
    fetch,
  });
}

function toBody(request: ModelRequest, baseUrl: string): Record<string, unknown> {
  return {
    model: request.model,
    messages: toChatMessages(request),
    ...(request.tools.length === 0 ? {} : { tools: toChatTools(request.tools) }),
    ...(request.maxOutputTokens === undefined ? {} : { [outputLimitName(baseUrl)]: request.maxOutputTokens }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

/** OpenAI's newer models refuse the old name, everyone else's servers do not know the new one. */
function outputLimitName(baseUrl: string): string {
  return hostOf(baseUrl) === "api.openai.com" ? "max_completion_tokens" : "max_tokens";
}

/** People paste the address of the endpoint itself, or end it with a slash. */
function cleanBaseUrl(baseUrl = ""): string {
  const cleaned = baseUrl
    .trim()
    .replace(/\/+$/, "")
    .replace(/\/chat\/completions$/, "");
  return cleaned === "" ? DEFAULT_BASE_URL : cleaned;
}

/** The host names the vendor: to a person, and to the rules that only one vendor needs. */
function hostOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).host : "The model's endpoint";
}

/** What the size of a request says about an error that gives no reason; four characters are about a token. */
function requestFacts(request: ModelRequest, who: string): FailedCall {
  const chars = request.messages.reduce((sum, { content }) => sum + textLength(content), 0);
  return {
    provider: who,
    model: request.model,
    messageCount: request.messages.length,
    approxTokens: Math.ceil(chars / 4),
  };
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
