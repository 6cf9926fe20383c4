import type { ModelEvent, ModelRequest, ProviderConnection, ProviderContext } from "#src/domain/provider";
import { openaiChat } from "#src/providers/openai-chat";
import { pieces } from "./sse-response";

/** A request that says hi. */
export const REQUEST: ModelRequest = { model: "m", messages: [{ role: "user", content: "hi" }], tools: [] };

/** A request as it went out. */
export interface Sent {
  readonly url: string;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

interface Options {
  readonly request?: Partial<ModelRequest>;
  readonly connection?: ProviderConnection;
  readonly context?: Partial<ProviderContext>;
}

/** Asks the provider, with a `fetch` that answers with this. */
export async function ask(
  answer: () => Response | Promise<Response>,
  options: Options = {},
): Promise<{ readonly events: ModelEvent[]; readonly sent: Sent[] }> {
  const sent: Sent[] = [];
  const fetch: ProviderContext["fetch"] = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    sent.push({ url, headers: new Headers(init?.headers), body: await new Request(url, init).json() });
    return answer();
  };
  const context = { fetch, signal: new AbortController().signal, requestTimeoutMs: 5000, stallTimeoutMs: 5000 };
  const connection = options.connection ?? { apiKey: "sk-test" };
  const found: ModelEvent[] = [];
  const stream = openaiChat.stream({ ...REQUEST, ...options.request }, connection, { ...context, ...options.context });
  for await (const event of stream) found.push(event);
  return { events: found, sent };
}

/** What the provider makes of a response body. */
export async function answerTo(...body: Parameters<typeof pieces>): Promise<ModelEvent[]> {
  return (await ask(() => pieces(...body))).events;
}

/** The text of an answer, whole. */
export function textOf(found: readonly ModelEvent[]): string {
  return found.map((event) => (event.type === "text" ? event.delta : "")).join("");
}

/** The event that an answer ends with. */
export function last(found: readonly ModelEvent[]): ModelEvent {
  const event = found.at(-1);
  if (event === undefined) throw new Error("no event");
  return event;
}

/** The failure that an answer ends with. */
export function failureOf(found: readonly ModelEvent[]) {
  const event = last(found);
  if (event.type !== "failed") throw new Error(`ended with ${event.type}`);
  return event.failure;
}

/** The tool calls that an answer ends with. */
export function callsOf(found: readonly ModelEvent[]) {
  const event = last(found);
  if (event.type !== "finish") throw new Error(`ended with ${JSON.stringify(event)}`);
  return event.toolCalls;
}
