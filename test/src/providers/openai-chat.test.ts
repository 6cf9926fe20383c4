import { describe, expect, it } from "vitest";
import type { ModelRequest } from "#src/domain/provider";
import { openaiChat } from "#src/providers/openai-chat";
import { REQUEST, answerTo, ask, failureOf, last, textOf } from "../../support/ask-openai-chat";
import { chunk, events, pieces } from "../../support/sse-response";

describe("the request", () => {
  it("speaks Chat Completions with a stream that counts its tokens", async () => {
    const tools = [{ name: "ls", description: "Lists.", parameters: { type: "object" } }];
    const { sent } = await ask(() => pieces([events(chunk({ content: "x" }, "stop"))]), { request: { tools } });
    expect(sent).toHaveLength(1);
    expect(sent[0]?.url).toBe("https://api.openai.com/v1/chat/completions");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-test");
    expect(sent[0]?.body).toEqual({
      model: "m",
      messages: [{ role: "user", content: "hi" }],
      tools: [{ type: "function", function: tools[0] }],
      stream: true,
      stream_options: { include_usage: true },
    });
  });

  it.each(["http://localhost:11434/v1", "http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"])(
    "reaches %s without a key, and without a header for one",
    async (baseUrl) => {
      const { sent, events: found } = await ask(() => pieces([events(chunk({ content: "x" }, "stop"))]), {
        connection: { baseUrl, apiKey: "" },
      });
      expect(sent[0]?.url).toBe("http://localhost:11434/v1/chat/completions");
      expect(sent[0]?.headers.has("authorization")).toBe(false);
      expect(textOf(found)).toBe("x");
    },
  );

  it("puts everything of the system first, pictures as image_url, and results beside their calls", async () => {
    const messages: ModelRequest["messages"] = [
      { role: "system", content: "one" },
      {
        role: "user",
        content: [
          { type: "text", text: "what is this?" },
          { type: "image", url: "data:image/png;base64,AA" },
        ],
      },
      { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "ls", arguments: "{broken" }] },
      { role: "tool", callId: "c1", content: "a b" },
      { role: "system", content: "two" },
    ];
    const { sent } = await ask(() => pieces([events(chunk({ content: "x" }, "stop"))]), { request: { messages } });
    expect(sent[0]?.body["messages"]).toEqual([
      { role: "system", content: "one\n\ntwo" },
      {
        role: "user",
        content: [
          { type: "text", text: "what is this?" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AA" } },
        ],
      },
      {
        role: "assistant",
        content: "",
        tool_calls: [
          { id: "c1", type: "function", function: { name: "ls", arguments: '{"invalid_arguments":"{broken"}' } },
        ],
      },
      { role: "tool", tool_call_id: "c1", content: "a b" },
    ]);
  });

  it.each([
    [undefined, "max_completion_tokens"],
    ["http://localhost:8000/v1", "max_tokens"],
  ])("limits the answer at %s by %s", async (baseUrl, name) => {
    const { sent } = await ask(() => pieces([events(chunk({ content: "x" }, "stop"))]), {
      request: { maxOutputTokens: 7 },
      connection: { apiKey: "k", ...(baseUrl === undefined ? {} : { baseUrl }) },
    });
    expect(sent[0]?.body[name]).toBe(7);
  });
});

describe("failures", () => {
  it.each([
    [401, { error: { message: "Incorrect API key provided: sk-secret" } }, { reason: "auth", retryable: false }],
    [402, { error: { message: "Insufficient Balance" } }, { reason: "billing", retryable: false }],
    [403, { code: "personal-team-blocked:spending-limit", error: "blocked" }, { reason: "billing" }],
    [404, { error: { message: "The model `m` does not exist" } }, { reason: "model_not_found", retryable: false }],
    [
      400,
      { error: { message: "maximum context length is 8192 tokens" } },
      { reason: "context_overflow", shouldCompress: true },
    ],
    [500, "upstream exploded", { reason: "server_error", retryable: true }],
    [529, { error: { type: "overloaded_error", message: "Overloaded" } }, { reason: "overloaded", retryable: true }],
  ])("tells what a %s means, without quoting it", async (status, body, expected) => {
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const { events: found, sent } = await ask(() => new Response(text, { status }));
    expect(found).toHaveLength(1);
    expect(failureOf(found)).toMatchObject({ status, ...expected });
    expect(failureOf(found).message).not.toContain("sk-secret");
    expect(sent, "no retries of its own").toHaveLength(1);
  });

  it("passes on how long the provider asks to wait", async () => {
    const limited = () => new Response("{}", { status: 429, headers: { "retry-after": "12" } });
    expect(failureOf((await ask(limited)).events)).toMatchObject({ reason: "rate_limit", retryAfterMs: 12_000 });
  });

  it("reads no more than the start of an endless error", async () => {
    const endless = () =>
      new Response(new ReadableStream({ pull: (to) => to.enqueue(new Uint8Array(10_000)) }), { status: 500 });
    expect(failureOf((await ask(endless)).events)).toMatchObject({ reason: "server_error" });
  });

  it("tells an error amid the stream from an end", async () => {
    // OpenRouter: https://openrouter.ai/docs/api-reference/errors#streaming-error-formats
    const error = {
      id: "x",
      error: { code: 502, message: "Provider disconnected" },
      choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }],
    };
    const half = `data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`;
    const found = await answerTo([half, events(error)]);
    expect(textOf(found)).toBe("half");
    expect(failureOf(found)).toMatchObject({ reason: "server_error", retryable: true });
  });

  it("reads an error that a 200 carries", async () => {
    const body = { error: { message: "Rate limit exceeded", code: 429 } };
    expect(failureOf(await answerTo([JSON.stringify(body)]))).toMatchObject({ reason: "rate_limit" });
  });

  it.each([
    ["a web page", "<!doctype html><h1>502</h1>"],
    ["events that are no JSON", "data: {nonsense\n\n"],
    ["text", "upstream error"],
    ["JSON that is no answer", '{"detail":"Not Found"}'],
    ["broken JSON", '{"choices":['],
    ["nothing", ""],
  ])("calls %s with status 200 no answer", async (_, body) => {
    expect(failureOf(await answerTo([body]))).toMatchObject({ reason: "invalid_response", retryable: true });
  });

  it.each(["close", "break"] as const)(
    "says that an answer is not whole when the connection ends by %s",
    async (ending) => {
      const found = await answerTo([`data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`], ending);
      expect(textOf(found)).toBe("half");
      expect(failureOf(found)).toMatchObject({ reason: "network", retryable: true });
    },
  );

  it("keeps a whole answer when only the closing of its connection fails", async () => {
    const found = await answerTo([`data: ${JSON.stringify(chunk({ content: "x" }, "stop"))}\n\n`], "break");
    expect(last(found).type).toBe("finish");
  });

  it("says that the connection failed when there is none", async () => {
    const { events: found } = await ask(() => Promise.reject(new TypeError("fetch failed")));
    expect(failureOf(found)).toMatchObject({ reason: "network", retryable: true });
    expect(failureOf(found).message).toContain("api.openai.com");
  });

  it("gives up a call that nobody answers", async () => {
    const { events: found } = await ask(() => new Promise(() => undefined), { context: { requestTimeoutMs: 20 } });
    expect(failureOf(found)).toMatchObject({ reason: "timeout", retryable: true });
  });

  it("gives up a stream that stands still", async () => {
    const half = () => pieces([`data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`], "open");
    const { events: found } = await ask(half, { context: { stallTimeoutMs: 20 } });
    expect(textOf(found)).toBe("half");
    expect(failureOf(found)).toMatchObject({ reason: "timeout", retryable: true });
  });

  it("does not take signs of life for an answer for longer than a call may be silent", async () => {
    const ping = new TextEncoder().encode(": ping\n\n");
    let timer: ReturnType<typeof setInterval> | undefined;
    const pinging = () =>
      new Response(
        new ReadableStream({
          start: (to) => {
            timer = setInterval(() => to.enqueue(ping), 5);
          },
          cancel: () => clearInterval(timer),
        }),
      );
    const { events: found } = await ask(pinging, { context: { requestTimeoutMs: 50, stallTimeoutMs: 40 } });
    expect(failureOf(found)).toMatchObject({ reason: "timeout" });
  });

  it("does not wait for a mark that never comes after an answer has ended", async () => {
    const open = () => pieces([`data: ${JSON.stringify(chunk({ content: "x" }, "stop"))}\n\n`], "open");
    const { events: found } = await ask(open, { context: { stallTimeoutMs: 20 } });
    expect(last(found).type).toBe("finish");
  });
});

describe("an abort", () => {
  it("ends a call before it was made", async () => {
    const { events: found, sent } = await ask(() => pieces([]), { context: { signal: AbortSignal.abort() } });
    expect(failureOf(found)).toMatchObject({ reason: "aborted", retryable: false });
    expect(sent).toHaveLength(0);
  });

  it("ends a call that is not answered, although fetch does not hear of it", async () => {
    const controller = new AbortController();
    const { events: found } = await ask(
      () => {
        controller.abort();
        return new Promise(() => undefined);
      },
      { context: { signal: controller.signal } },
    );
    expect(failureOf(found)).toMatchObject({ reason: "aborted" });
  });

  it("ends a stream at once and lets go of its body", async () => {
    const controller = new AbortController();
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (to) => to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`)),
      pull: () => controller.abort(),
      cancel: () => {
        isCancelled = true;
      },
    });
    const { events: found } = await ask(() => new Response(body), { context: { signal: controller.signal } });
    expect(failureOf(found)).toMatchObject({ reason: "aborted" });
    expect(isCancelled).toBe(true);
  });

  it("leaves no body open behind a reader that goes away", async () => {
    let isCancelled = false;
    const body = new ReadableStream<Uint8Array>({
      start: (to) => to.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`)),
      cancel: () => {
        isCancelled = true;
      },
    });
    const context = {
      fetch: async () => new Response(body),
      signal: new AbortController().signal,
      requestTimeoutMs: 5000,
      stallTimeoutMs: 5000,
    };
    for await (const event of openaiChat.stream(REQUEST, { apiKey: "k" }, context)) {
      expect(event).toEqual({ type: "text", delta: "half" });
      break;
    }
    expect(isCancelled).toBe(true);
  });
});
