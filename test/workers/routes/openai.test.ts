import { afterEach, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { type OpenAiProblem, complete, operate, request, wordsIn } from "../../support/doors";
import { type World, lastWords, openWorld } from "../../support/world";
import { until } from "../../support/until";

const realFetch = globalThis.fetch;
let world: World;
beforeEach(() => {
  world = openWorld();
  const outside = vi.mocked(fetch).getMockImplementation();
  // a data: URL reaches nobody: the runtime itself reads it
  vi.mocked(fetch).mockImplementation((input, init) =>
    typeof input === "string" && input.startsWith("data:")
      ? realFetch(input)
      : (outside?.(input, init) ?? Promise.reject(new TypeError("no world"))),
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

interface Completion {
  readonly id: string;
  readonly object: string;
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: { readonly role: string; readonly content: string };
    readonly finish_reason: string;
  }[];
  readonly usage: object;
}

interface Chunk {
  readonly id: string;
  readonly object: string;
  readonly choices: readonly {
    readonly delta: { readonly role?: string; readonly content?: string };
    readonly finish_reason: string | null;
  }[];
  readonly usage?: object;
}

const HELLO = [{ role: "user", content: "hello" }];
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

async function answerOf(response: Promise<Response>): Promise<string | undefined> {
  return (await (await response).json<Completion>()).choices[0]?.message.content;
}

/** The events of a stream: chunks as they were parsed, and what stood last. */
async function streamed(response: Response): Promise<{ chunks: Chunk[]; last: string | undefined; text: string }> {
  const events = (await response.text())
    .split("\n\n")
    .filter((part) => part.startsWith("data: "))
    .map((part) => part.slice("data: ".length));
  const chunks = events.filter((event) => event !== "[DONE]").map((event) => JSON.parse(event) as Chunk);
  const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? "").join("");
  return { chunks, last: events.at(-1), text };
}

async function problemOf(response: Response): Promise<OpenAiProblem["error"]> {
  expect(response.headers.get("content-type")).toContain("application/json");
  const { error } = await response.json<OpenAiProblem>();
  expect(error).toEqual({ message: expect.any(String), type: expect.any(String), param: null, code: error.code });
  return error;
}

it.each([
  ["GET", "/v1/models"],
  ["POST", "/v1/chat/completions"],
  ["GET", "/v1/nothing"],
])("answers 401 in OpenAI's shape to %s %s without the key", async (method, path) => {
  for (const headers of [
    {},
    { authorization: "Bearer wrong" },
    { authorization: "world-admin-token" },
    { "api-key": "world-admin-token" },
  ]) {
    const response = await request(path, { method, headers: new Headers(Object.entries(headers)) });
    expect(response.status).toBe(401);
    expect(await problemOf(response)).toMatchObject({ type: "invalid_request_error", code: "invalid_api_key" });
  }
});

it.each(["/v1", "/v1/", "/v1/nothing", "/v1/chat", "/v1/chat/completions/x", "/v1/responses"])(
  "answers 404 in OpenAI's shape to %s",
  async (path) => {
    const response = await operate("GET", path);
    expect(response.status).toBe(404);
    expect(await problemOf(response)).toMatchObject({ type: "invalid_request_error" });
  },
);

it("lists its models, and knows each by name", async () => {
  const { object, data } = await (
    await operate("GET", "/v1/models")
  ).json<{ object: string; data: { id: string; object: string }[] }>();
  expect(object).toBe("list");
  expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(["talaria", "scripted"]));
  for (const { id } of data)
    expect(await (await operate("GET", `/v1/models/${encodeURIComponent(id)}`)).json()).toMatchObject({
      id,
      object: "model",
    });
  expect((await operate("GET", "/v1/models/nobody-knows")).status).toBe(404);
});

it("answers a chat completion whole, with usage and the session that it was in", async () => {
  const response = await complete({ model: "talaria", messages: HELLO });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-session-id")).toMatch(/^[\w-]{36}$/);
  expect(response.headers.get("x-talaria-warning")).toBeNull();
  expect(await response.json()).toEqual({
    id: expect.stringMatching(/^chatcmpl-\w{32}$/),
    object: "chat.completion",
    created: expect.any(Number),
    model: "talaria",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: "You said: hello", refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
});

it("streams a chat completion as chunks that make up the same answer, and ends with [DONE]", async () => {
  const response = await complete({ model: "talaria", messages: HELLO, stream: true });
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  const { chunks, last, text } = await streamed(response);
  expect([text, last]).toEqual(["You said: hello", "[DONE]"]);
  expect(chunks[0]?.choices[0]?.delta.role).toBe("assistant");
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: "stop" });
  expect(new Set(chunks.map(({ id, object }) => `${id} ${object}`)).size).toBe(1);
  expect(chunks.some(({ usage }) => usage !== undefined)).toBe(false);
});

it("streams the usage last when it is asked for", async () => {
  const response = await complete({ messages: HELLO, stream: true, stream_options: { include_usage: true } });
  const { chunks, last } = await streamed(response);
  expect(chunks.at(-1)).toMatchObject({
    choices: [],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  });
  expect(last).toBe("[DONE]");
});

it("streams what was said before a tool ran and what was said after it, apart", async () => {
  world.say = (asked) =>
    asked.messages.at(-1)?.role === "tool"
      ? { text: "Done." }
      : {
          text: "I note it.",
          calls: [{ name: "todo", arguments: { todos: [{ id: "1", content: "sweep", status: "pending" }] } }],
        };
  const { text } = await streamed(await complete({ messages: HELLO, stream: true }));
  expect(text).toBe("I note it.\n\nDone.");
});

it("reads the conversation that a request brings along, and keeps nothing of it for the next", async () => {
  const messages = [
    { role: "system", content: "Answer in verse." },
    { role: "user", content: "I am Ada." },
    { role: "assistant", content: "Hello, Ada." },
    {
      role: "user",
      content: [
        { type: "text", text: "Who" },
        { type: "text", text: "am I?" },
      ],
    },
  ];
  expect((await complete({ messages })).status).toBe(200);
  const asked = world.asked.at(-1)?.messages ?? [];
  expect(asked.slice(-3)).toEqual([
    { role: "user", content: "I am Ada." },
    { role: "assistant", content: "Hello, Ada." },
    { role: "user", content: "Who\nam I?" },
  ]);
  expect(JSON.stringify(asked.filter(({ role }) => role === "system"))).toContain("Answer in verse.");
  await complete({ messages: HELLO });
  expect(JSON.stringify(world.asked.at(-1))).not.toContain("Ada");
});

it("continues the conversation that X-Session-Id names, of which only the last message is new", async () => {
  const headers = { "x-session-id": "continued-1" };
  const first = await complete({ messages: [{ role: "user", content: "my word is plum" }] }, headers);
  expect(first.headers.get("x-session-id")).toBe("continued-1");
  await first.arrayBuffer();
  await (
    await complete(
      {
        messages: [
          { role: "user", content: "not said here" },
          { role: "assistant", content: "nor this" },
          { role: "user", content: "which word?" },
        ],
      },
      headers,
    )
  ).arrayBuffer();
  expect(world.asked.at(-1)?.messages.slice(1)).toEqual([
    { role: "user", content: "my word is plum" },
    { role: "assistant", content: "You said: my word is plum" },
    { role: "user", content: "which word?" },
  ]);
});

it("answers a repeat with the same Idempotency-Key by the first one's turn, streamed or not", async () => {
  const headers = { "idempotency-key": "repeat-1" };
  const first = await complete({ messages: HELLO }, headers);
  expect(await answerOf(Promise.resolve(first))).toBe("You said: hello");
  const again = await complete({ messages: HELLO }, headers);
  expect(again.headers.get("x-session-id")).toBe(first.headers.get("x-session-id"));
  expect(await answerOf(Promise.resolve(again))).toBe("You said: hello");
  expect((await streamed(await complete({ messages: HELLO, stream: true }, headers))).text).toBe("You said: hello");
  expect(world.asked).toHaveLength(1);
});

it("answers a repeat by the turn of its own key, though others followed in the session", async () => {
  const ask = (words: string, key: string): Promise<string | undefined> =>
    answerOf(
      complete(
        { messages: [{ role: "user", content: words }] },
        { "x-session-id": "repeat-3", "idempotency-key": key },
      ),
    );
  await ask("one", "key-1");
  await ask("two", "key-2");
  expect(await ask("one", "key-1")).toBe("You said: one");
});

it("answers the repeat of a slash command too", async () => {
  const ask = (): Promise<string | undefined> =>
    answerOf(complete({ messages: [{ role: "user", content: "/status" }] }, { "idempotency-key": "repeat-4" }));
  const first = await ask();
  expect(await ask()).toBe(first);
});

it("gives a repeat that comes while the first is answered the whole answer", async () => {
  const headers = { "idempotency-key": "repeat-2" };
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  world.say = async (asked) => {
    await held;
    return { text: `heard ${lastWords(asked)}` };
  };
  const first = complete({ messages: HELLO }, headers);
  await until(() => expect(world.asked).toHaveLength(1));
  const again = complete({ messages: HELLO, stream: true }, headers);
  release();
  expect(await answerOf(first)).toBe("heard hello");
  expect((await streamed(await again)).text).toBe("heard hello");
  expect(world.asked).toHaveLength(1);
});

it("shows a model that sees a picture, by its address or by its bytes", async () => {
  await operate("PATCH", "/api/config", { "model.name": "gpt-4o" });
  onTestFinished(async () => void (await operate("PATCH", "/api/config", { "model.name": null })));
  const ask = (url: string): Promise<Response> =>
    complete({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "what is it?" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    });
  expect((await ask("https://pictures.example/cat.png")).status).toBe(200);
  expect(JSON.stringify(world.asked.at(-1)?.messages.at(-1))).toContain("https://pictures.example/cat.png");
  expect((await ask(PIXEL)).status).toBe(200);
  expect(JSON.stringify(world.asked.at(-1)?.messages.at(-1))).toContain(PIXEL);
  expect((await ask(PIXEL.replace("data:", "DATA:"))).status).toBe(200);
  expect(JSON.stringify(world.asked.at(-1)?.messages.at(-1))).toContain(PIXEL);
});

it("takes a message that is a picture alone", async () => {
  const content = [{ type: "image_url", image_url: { url: PIXEL, detail: "low" } }];
  expect((await complete({ messages: [{ role: "user", content }] })).status).toBe(200);
});

it("says which fields of the caller have no effect", async () => {
  const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
  const response = await complete({
    messages: HELLO,
    tools,
    tool_choice: "auto",
    n: 1,
    temperature: 0.5,
    response_format: null,
  });
  expect(response.status).toBe(200);
  expect(response.headers.get("x-talaria-warning")).toBe("ignored: tools, tool_choice");
  expect(world.asked.at(-1)?.tools?.map((tool) => tool.function.name)).not.toContain("f");
});

it("runs a slash command of the owner, and answers with its reply", async () => {
  const answer = await answerOf(complete({ messages: [{ role: "user", content: "/status" }] }));
  expect(answer).toMatch(/model/i);
  expect(world.asked).toEqual([]);
});

it("answers with a sentence when the model fails", async () => {
  world.say = () => ({ status: 401 });
  const response = await complete({ messages: HELLO });
  expect(response.status).toBe(200);
  expect(await answerOf(Promise.resolve(response))).toContain("could not answer");
});

it.each([
  [{}, "messages"],
  [{ messages: "hi" }, "messages"],
  [{ messages: [] }, "messages"],
  [{ messages: null }, "messages"],
  [{ messages: {} }, "messages"],
  [{ messages: [null] }, "messages[0]"],
  [{ messages: ["hi"] }, "messages[0]"],
  [{ messages: [[]] }, "messages[0]"],
  [{ messages: [{ content: "hi" }] }, "messages[0].role"],
  [{ messages: [{ role: 5, content: "hi" }] }, "messages[0].role"],
  [{ messages: [{ role: "__proto__", content: "hi" }] }, "messages[0].role"],
  [{ messages: [{ role: "toString", content: "hi" }] }, "messages[0].role"],
  [{ messages: [{ role: "system", content: "hi" }] }, "messages"],
  [{ messages: [{ role: "user" }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: null }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: 5 }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: {} }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: "" }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: " \n" }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: [] }] }, "messages[0].content"],
  [{ messages: [{ role: "user", content: [null] }] }, "messages[0].content[0]"],
  [{ messages: [{ role: "user", content: [{}] }] }, "messages[0].content[0]"],
  [{ messages: [{ role: "user", content: [{ type: "text" }] }] }, "messages[0].content[0].type"],
  [{ messages: [{ role: "user", content: [{ type: "input_audio" }] }] }, "messages[0].content[0].type"],
  [
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: "x" }] }] },
    "messages[0].content[0].image_url.url",
  ],
  [
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "file:///etc/passwd" } }] }] },
    "messages[0].content[0].image_url.url",
  ],
  [
    { messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: "data:text/html,x" } }] }] },
    "messages[0].content[0].image_url.url",
  ],
  [{ messages: [...HELLO, { role: "assistant", content: 5 }] }, "messages[1].content"],
  [{ messages: HELLO, model: 5 }, "model"],
  [{ messages: HELLO, model: "" }, "model"],
  [{ messages: HELLO, model: "x".repeat(257) }, "model"],
  [{ messages: HELLO, stream: "yes" }, "stream"],
  [{ messages: HELLO, stream: 1 }, "stream"],
  [{ messages: HELLO, stream_options: "x" }, "stream_options"],
  [{ messages: HELLO, stream_options: [] }, "stream_options"],
  [{ messages: HELLO, stream_options: { include_usage: 1 } }, "stream_options.include_usage"],
])("names what is wrong with %j", async (body, field) => {
  const response = await complete(body);
  expect(response.status).toBe(400);
  const { message, type } = await problemOf(response);
  expect(message.startsWith(`${field}:`)).toBe(true);
  expect(type).toBe("invalid_request_error");
  expect(world.asked).toEqual([]);
});

it.each(["", "null", "[]", "1", "{", "\u0000", `{"messages":${"[".repeat(100)}${"]".repeat(100)}}`])(
  "answers 400 to the body %j",
  async (body) => {
    const response = await operate("POST", "/v1/chat/completions", body === "" ? undefined : body);
    expect(response.status).toBe(400);
    expect((await problemOf(response)).message).toContain("body");
  },
);

it("takes a picture as bytes that is larger than a message may be", async () => {
  const url = `data:image/png;base64,${"A".repeat(3_000_000)}`;
  const response = await complete({
    messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }],
  });
  expect(response.status).toBe(200);
  await response.text();
});

it("answers 413 to what is too large for a request, a message or a session", async () => {
  const large = [
    { messages: [{ role: "user", content: "x".repeat(11_000_000) }] },
    { messages: [{ role: "user", content: "x".repeat(500_001) }] },
    {
      messages: [
        { role: "user", content: Array.from({ length: 6 }, () => ({ type: "text", text: "x".repeat(100_000) })) },
      ],
    },
    { messages: [...Array.from({ length: 5 }, () => ({ role: "assistant", content: "x".repeat(400_000) })), ...HELLO] },
    { messages: [{ role: "system", content: "\u0001".repeat(400_000) }, ...HELLO] },
  ];
  for (const body of large) {
    const response = await complete(body);
    expect(response.status).toBe(413);
    await problemOf(response);
  }
});

it("takes the longest text that it promises, in letters that are long themselves", async () => {
  expect((await complete({ messages: [{ role: "user", content: "€".repeat(500_000) }] })).status).toBe(200);
});

it("takes lone surrogates and zero characters as text", async () => {
  expect((await complete({ messages: [{ role: "user", content: "a\ud800b\u0000c" }] })).status).toBe(200);
});

it.each(["", "x".repeat(256), "a b", "sitzung-\u00e4"])("names the session id %j as what is wrong", async (id) => {
  const response = await complete({ messages: HELLO }, { "x-session-id": id });
  expect(response.status).toBe(400);
  expect((await problemOf(response)).message).toMatch(/^X-Session-Id:/);
});

it("takes the session id by the name that clients of Hermes Agent give it", async () => {
  const response = await complete({ messages: HELLO }, { "x-hermes-session-id": "from-hermes" });
  expect(response.headers.get("x-session-id")).toBe("from-hermes");
  await response.arrayBuffer();
  expect(await wordsIn("main:api:dm:from-hermes")).toEqual(["hello"]);
});

it("takes a session id of any ASCII, and keeps it apart from others", async () => {
  const id = "a/b:c@d%2F?#[]";
  const response = await complete({ messages: HELLO }, { "x-session-id": id });
  expect(response.headers.get("x-session-id")).toBe(id);
  await response.arrayBuffer();
  expect(await wordsIn(`main:api:dm:${encodeURIComponent(id)}`)).toEqual(["hello"]);
});

it("takes an Idempotency-Key that is huge", async () => {
  expect((await complete({ messages: HELLO }, { "idempotency-key": "k".repeat(10_000) })).status).toBe(200);
});

it("streams that the turn was stopped", async () => {
  world.say = () => new Promise(() => undefined);
  const response = await complete({ messages: HELLO, stream: true }, { "x-session-id": "stopped-1" });
  await until(() => expect(world.asked).toHaveLength(1));
  const reading = streamed(response);
  await operate("POST", "/api/sessions/main%3Aapi%3Adm%3Astopped-1/messages", { text: "/stop" });
  const { text, last } = await reading;
  expect([text, last]).toEqual(["⏹ Stopped.", "[DONE]"]);
});
