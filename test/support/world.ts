// The outside world of a Worker under test: a model and a Telegram that live in the test, behind the global fetch.
import { exports } from "cloudflare:workers";
import { vi } from "vitest";
import { WORLD } from "./world-settings";

export interface ModelAsked {
  readonly model?: string;
  readonly messages: readonly {
    readonly role: string;
    readonly content: unknown;
    readonly tool_calls?: unknown;
    readonly tool_call_id?: string;
  }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What the scripted model answers. */
export interface ModelSays {
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly arguments: unknown }[];
  /** HTTP status other than 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body of such an answer. */
  readonly error?: unknown;
  /** Why the answer ends; told from what it holds when absent. */
  readonly finish?: "length" | "content_filter";
  readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number };
  /** Answered with instead of all of this. */
  readonly response?: Response;
  /** The text comes at once, the end of the answer only when this resolves. */
  readonly hold?: Promise<unknown>;
}

export interface Sent {
  readonly chat: string;
  text: string;
  readonly id: number;
  readonly keyboard?: unknown;
}

export interface World {
  /** Messages on Telegram as a person sees them now. */
  readonly sent: Sent[];
  /** Every request that left the Worker, as `telegram sendMessage` or `model`. */
  readonly calls: string[];
  readonly asked: ModelAsked[];
  /** The keys that the model was asked with, one for each of `asked`. */
  readonly keys: string[];
  /** What the model says next; the default echoes the last words of the person. */
  say: (asked: ModelAsked, count: number) => ModelSays | Promise<ModelSays>;
  /** Called around every request; may throw to cut it off. */
  before: (call: string) => void | Promise<void>;
  after: (call: string) => void | Promise<void>;
  /** Answers a request instead of the world; undefined leaves it to the world. */
  answer: (call: string, body: Readonly<Record<string, unknown>>) => Response | undefined;
  textsOf(chat: number): string[];
}

/** Puts a world behind the global fetch until the test's mocks are restored. */
export function openWorld(): World {
  let nextId = 1;
  let callId = 1;
  const world: World = {
    sent: [],
    calls: [],
    asked: [],
    keys: [],
    say: (asked) => ({ text: `You said: ${lastWords(asked)}` }),
    before: () => undefined,
    after: () => undefined,
    answer: () => undefined,
    textsOf: (chat) => world.sent.filter((message) => message.chat === String(chat)).map((message) => message.text),
  };

  async function model(body: ModelAsked & { readonly stream?: boolean }, signal: AbortSignal): Promise<Response> {
    world.asked.push(body);
    const says = await world.say(body, world.asked.length);
    if (says.response !== undefined) return says.response;
    if (says.status !== undefined)
      return Response.json(says.error ?? { error: { message: "scripted failure" } }, {
        status: says.status,
        headers: says.headers ?? {},
      });
    const toolCalls = says.calls?.map((call, index) => ({
      index,
      id: `call_${callId++}`,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }));
    const pieces = says.text?.match(/[\s\S]{1,12}/g) ?? [];
    const finish = says.finish ?? (toolCalls === undefined ? "stop" : "tool_calls");
    const { prompt_tokens, completion_tokens } = says.usage ?? { prompt_tokens: 10, completion_tokens: 5 };
    const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
    const chunks: unknown[] = [
      ...pieces.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
      ...(toolCalls === undefined ? [] : [{ choices: [{ index: 0, delta: { tool_calls: toolCalls } }] }]),
      { choices: [{ index: 0, delta: {}, finish_reason: finish }] },
      { choices: [], usage },
    ];
    const lines = chunks.map(
      (chunk) =>
        `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 0, model: "scripted", ...(chunk as object) })}\n\n`,
    );
    const headers = { "content-type": "text/event-stream" };
    if (says.hold !== undefined)
      return new Response(held(lines.slice(0, pieces.length), lines.slice(pieces.length), says.hold, signal), {
        headers,
      });
    return new Response(`${lines.join("")}data: [DONE]\n\n`, { headers });
  }

  function telegram(method: string, body: Record<string, unknown>): Response {
    const text = unescapeMarkdown(typeof body["text"] === "string" ? body["text"] : "");
    if (method === "editMessageText") {
      const found = world.sent.find(
        (message) => message.id === body["message_id"] || String(message.id) === String(body["message_id"]),
      );
      if (found === undefined)
        return Response.json(
          { ok: false, error_code: 400, description: "Bad Request: message to edit not found" },
          { status: 400 },
        );
      found.text = text;
    }
    if (method !== "sendMessage") return Response.json({ ok: true, result: true });
    const message = {
      chat: String(body["chat_id"]),
      text,
      id: nextId++,
      ...(body["reply_markup"] === undefined ? {} : { keyboard: body["reply_markup"] }),
    };
    world.sent.push(message);
    return Response.json({ ok: true, result: { message_id: message.id } });
  }

  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const call =
      url.host === "model.test" ? "model" : `${url.host.split(".")[0] ?? ""} ${url.pathname.split("/").at(-1) ?? ""}`;
    const body =
      request.method === "POST" && request.headers.get("content-type")?.includes("json") === true
        ? await request.json<Record<string, unknown>>()
        : {};
    world.calls.push(call);
    if (call === "model") world.keys.push((request.headers.get("authorization") ?? "").replace("Bearer ", ""));
    await world.before(call);
    const response =
      world.answer(call, body) ??
      (call === "model"
        ? await abortable(model(body as unknown as ModelAsked, request.signal), request.signal)
        : telegram(call.split(" ")[1] ?? "", body));
    await world.after(call);
    return response;
  });
  return world;
}

/** A stream whose first part comes at once and whose second part waits; it breaks when its request is ended. */
function held(
  first: readonly string[],
  second: readonly string[],
  hold: Promise<unknown>,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const utf8 = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(utf8.encode(first.join("")));
      try {
        await abortable(hold, signal);
        controller.enqueue(utf8.encode(`${second.join("")}data: [DONE]\n\n`));
        controller.close();
      } catch (error) {
        controller.error(error);
      }
    },
  });
}

async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  signal.addEventListener("abort", () => reject(signal.reason));
  return Promise.race([work, promise]);
}

/** Plain words again, from what MarkdownV2 has to escape. */
function unescapeMarkdown(text: string): string {
  return text.replaceAll(/\\([^\w\s])/g, "$1");
}

export function lastWords(asked: ModelAsked): string {
  const last = asked.messages.findLast((message) => message.role === "user")?.content;
  return typeof last === "string" ? last : JSON.stringify(last);
}

let updateId = 1;

/** Posts an update to the Telegram webhook as Telegram would. */
export function postTelegram(
  update: Readonly<Record<string, unknown>>,
  secret: string = WORLD.TELEGRAM_WEBHOOK_SECRET,
): Promise<Response> {
  return exports.default.fetch("http://talaria.test/webhooks/telegram", {
    method: "POST",
    headers: { "content-type": "application/json", "x-telegram-bot-api-secret-token": secret },
    body: JSON.stringify({ update_id: updateId++, ...update }),
  });
}

/** A private message, from a person whose id is also the chat's. */
export function privateMessage(chat: number, messageId: number, text: string): Record<string, unknown> {
  const from = { id: chat, is_bot: false, first_name: `Person ${chat}` };
  return { message: { message_id: messageId, from, chat: { id: chat, type: "private" }, date: 1_790_000_000, text } };
}

/** A request of the operator. */
export function operator(path: string, init: RequestInit = {}): Promise<Response> {
  return exports.default.fetch(`http://talaria.test${path}`, {
    ...init,
    headers: {
      authorization: `Bearer ${WORLD.ADMIN_TOKEN}`,
      "content-type": "application/json",
      ...(init.headers as Record<string, string> | undefined),
    },
  });
}
