import type { ModelEvent, ModelRequest, Provider, ProviderConnection, ProviderContext } from "#src/domain/provider";

/** A request as it went out. */
export interface SentRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

interface AskOptions {
  readonly request?: Partial<ModelRequest>;
  readonly connection?: ProviderConnection;
  readonly context?: Partial<ProviderContext>;
}

/** Asks a provider, with a `fetch` that answers with these in turn, the last one for ever. */
export async function askProvider(
  provider: Provider,
  answers: readonly (() => Response | Promise<Response>)[],
  options: AskOptions = {},
): Promise<{ readonly events: readonly ModelEvent[]; readonly sent: readonly SentRequest[] }> {
  const sent: SentRequest[] = [];
  const fetch: ProviderContext["fetch"] = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    sent.push({ url, headers: new Headers(init?.headers), body: await new Request(url, init).json() });
    const answer = answers[Math.min(sent.length, answers.length) - 1];
    if (answer === undefined) throw new Error("nobody answers");
    return answer();
  };
  const request: ModelRequest = {
    model: "m",
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    ...options.request,
  };
  const context = { fetch, signal: new AbortController().signal, requestTimeoutMs: 5000, stallTimeoutMs: 5000 };
  const stream = provider.stream(request, options.connection ?? { apiKey: "sk-test" }, {
    ...context,
    ...options.context,
  });
  const events: ModelEvent[] = [];
  for await (const event of stream) events.push(event);
  return { events, sent };
}

/** One event of such an API. */
export type TypedEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

/** Server-sent events with their names, as APIs of typed events send them. */
export function typedEvents(...values: readonly TypedEvent[]): string {
  return values.map((value) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`).join("");
}

/** The answer that a stream ended with. */
export function finishOf(events: readonly ModelEvent[]): Extract<ModelEvent, { readonly type: "finish" }> {
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error(`ended with ${JSON.stringify(last)}`);
  return last;
}

/** The failure that a stream ended with. */
export function failureIn(events: readonly ModelEvent[]): Extract<ModelEvent, { readonly type: "failed" }>["failure"] {
  const last = events.at(-1);
  if (last?.type !== "failed") throw new Error(`ended with ${JSON.stringify(last)}`);
  return last.failure;
}

/** The text, or the reasoning, of an answer. */
export function saidIn(events: readonly ModelEvent[], type: "text" | "reasoning" = "text"): string {
  return events.map((event) => (event.type === type ? event.delta : "")).join("");
}
