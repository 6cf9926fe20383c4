import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import type { ModelEvent, ModelMessage, ModelRequest, Provider } from "#src/domain/provider";
import { anthropic } from "#src/providers/anthropic";
import { openaiChat } from "#src/providers/openai-chat";
import { responses, storedResponses } from "#src/providers/responses";
import { failureIn, finishOf, saidIn } from "../support/ask-provider.ts";
import { startFakeAnthropic } from "../support/fake-anthropic.ts";
import { startFakeOpenai } from "../support/fake-openai.ts";
import { startFakeResponses } from "../support/fake-responses.ts";
import { type FakeVendor, type VendorReply, refusal, startFakeVendor } from "../support/fake-vendor.ts";
import { CHAT_ANSWER, MESSAGES_ANSWER, RECORDED, RESPONSES_ANSWER } from "../support/recorded-answers.ts";
import { until } from "../support/until.ts";

const TOOLS = ["ls", "get_weather"].map((name) => ({ name, description: name, parameters: { type: "object" } }));

interface Way {
  readonly provider: Provider;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
}

async function ask(way: Way, request: Partial<ModelRequest>, limits: { stallMs?: number; signal?: AbortSignal } = {}) {
  const events: ModelEvent[] = [];
  const asked = { model: way.model, tools: TOOLS, messages: [{ role: "user", content: "hi" } as const], ...request };
  const context = {
    fetch,
    signal: limits.signal ?? new AbortController().signal,
    requestTimeoutMs: 10_000,
    stallTimeoutMs: limits.stallMs ?? 10_000,
  };
  for await (const event of way.provider.stream(asked, way, context)) events.push(event);
  return events;
}

/** A conversation in which tools are called twice, as an agent holds it. */
async function converse(way: Way): Promise<readonly ModelMessage[]> {
  const messages: ModelMessage[] = [{ role: "system", content: "Be brief." }];
  for (const text of ['TOOL ls {"path":"/a"}\nTOOL ls {"path":"/b"}', "thanks", 'TOOL ls {"path":"/c"}', "bye"]) {
    messages.push({ role: "user", content: text });
    for (;;) {
      const events = await ask(way, { messages });
      const { toolCalls, state } = finishOf(events);
      const content = saidIn(events);
      messages.push({ role: "assistant", content, toolCalls, ...(state === undefined ? {} : { state }) });
      if (toolCalls.length === 0) break;
      for (const call of toolCalls)
        messages.push({ role: "tool", callId: call.id, content: `result of ${call.arguments}` });
    }
  }
  return messages;
}

describe("a conversation with tools", () => {
  const vendors: { close(): Promise<void> }[] = [];
  const names = ["Messages", "Responses", "stored Responses", "Chat Completions"] as const;
  let ways: Readonly<Record<(typeof names)[number], Way & { readonly vendor: Pick<FakeVendor, "requests"> }>>;

  beforeAll(async () => {
    const [messagesApi, responsesApi, storing, chat] = await Promise.all([
      startFakeAnthropic(),
      startFakeResponses(),
      startFakeResponses(),
      startFakeOpenai(),
    ]);
    vendors.push(messagesApi, responsesApi, storing, chat);
    const openai = { apiKey: "sk-fake", model: "gpt-6.2-sol" };
    ways = {
      Messages: {
        provider: anthropic,
        baseUrl: messagesApi.url,
        apiKey: "sk-ant-fake",
        model: "claude-sonnet-5-5",
        vendor: messagesApi,
      },
      Responses: { provider: responses, baseUrl: `${responsesApi.url}/v1`, vendor: responsesApi, ...openai },
      "stored Responses": { provider: storedResponses, baseUrl: `${storing.url}/v1`, vendor: storing, ...openai },
      "Chat Completions": {
        provider: openaiChat,
        baseUrl: `${chat.url}/v1`,
        ...openai,
        // it keeps its requests in a shape of its own
        vendor: { requests: [] },
      },
    };
  });
  afterAll(() => Promise.all(vendors.map((vendor) => vendor.close())));

  it.each(names)("goes through %s, whose rules it keeps at every step", async (name) => {
    const way = ways[name];
    const messages = await converse(way);
    expect(messages.filter(({ role }) => role === "assistant").map(({ content }) => content)).toEqual([
      "",
      expect.stringMatching(/^The tools said: result of \{"path":"\/a"\},?\s*result of \{"path":"\/b"\}$/),
      "You said: thanks",
      "",
      'The tools said: result of {"path":"/c"}',
      "You said: bye",
    ]);
  });

  it("sends stored Responses only what is new", async () => {
    const { requests } = ways["stored Responses"].vendor;
    expect(requests.map(({ body }) => (body["input"] as readonly unknown[]).length)).toEqual([1, 2, 1, 1, 1, 1]);
    expect(requests.slice(1).every(({ body }) => typeof body["previous_response_id"] === "string")).toBe(true);
  });

  it("goes on with the whole history when a vendor has forgotten", async () => {
    const way = ways["stored Responses"];
    const first = await ask(way, { messages: [{ role: "user", content: "FORGET" }] });
    const { state } = finishOf(first);
    const answer: ModelMessage = {
      role: "assistant",
      content: saidIn(first),
      ...(state === undefined ? {} : { state }),
    };
    const events = await ask(way, {
      messages: [{ role: "user", content: "FORGET" }, answer, { role: "user", content: "still there?" }],
    });
    expect(saidIn(events)).toBe("You said: still there?");
  });

  it("counts what caches and thoughts cost", async () => {
    expect(finishOf(await ask(ways["Messages"], {})).usage).toEqual({
      inputTokens: 115,
      outputTokens: 20,
      cachedInputTokens: 100,
      cacheWriteTokens: 5,
    });
    expect(finishOf(await ask(ways["Responses"], {})).usage).toMatchObject({
      cachedInputTokens: 5,
      reasoningTokens: 7,
    });
  });

  it("hears that a thought was tampered with", async () => {
    const way = ways["Messages"];
    const messages = await converse(way);
    const forged = messages.map((message) =>
      message.role === "assistant" && message.state !== undefined
        ? { ...message, state: { ...message.state, data: message.state.data.replaceAll("Let me see", "Let me lie") } }
        : message,
    );
    expect(failureIn(await ask(way, { messages: [...forged, { role: "user", content: "so?" }] }))).toMatchObject({
      reason: "thinking_signature",
      retryable: true,
    });
  });
});

describe.each([
  ["Chat Completions", openaiChat, CHAT_ANSWER],
  ["Responses", responses, RESPONSES_ANSWER],
  ["Messages", anthropic, MESSAGES_ANSWER],
] as const)("%s over the wire", (_name, provider, recorded) => {
  let vendor: FakeVendor | undefined;
  const answers = async (reply: VendorReply, ...more: Parameters<typeof ask>[2][]) => {
    vendor = await startFakeVendor(() => reply);
    return ask({ provider, baseUrl: vendor.url, apiKey: "k", model: "m" }, {}, more[0]);
  };
  const half = recorded.slice(0, recorded.length * 0.6);
  afterEach(() => vendor?.close());

  it.each([1, 7, 1000])("is read in writes of %d bytes", async (pieceBytes) => {
    const events = await answers({ body: recorded, pieceBytes });
    expect(saidIn(events)).toBe(RECORDED.text);
    expect(finishOf(events).toolCalls).toEqual([RECORDED.call]);
  });

  it("is given up when it hangs in the middle, and hangs up", async () => {
    const events = await answers({ body: half, ending: "open" }, { stallMs: 50 });
    expect(failureIn(events)).toMatchObject({ reason: "timeout", retryable: true });
    await until(() => expect(vendor?.leftEarly()).toBe(1));
  });

  it("is a failed connection when it breaks in the middle", async () => {
    const events = await answers({ body: half, ending: "destroy" });
    expect(failureIn(events)).toMatchObject({ reason: "network", retryable: true });
  });

  it("ends at once when it is aborted in the middle, and hangs up", async () => {
    vendor = await startFakeVendor(() => ({ body: half, ending: "open" }));
    const controller = new AbortController();
    const context = { fetch, signal: controller.signal, requestTimeoutMs: 10_000, stallTimeoutMs: 10_000 };
    const request: ModelRequest = { model: "m", messages: [{ role: "user", content: "hi" }], tools: TOOLS };
    const events: ModelEvent[] = [];
    for await (const event of provider.stream(request, { baseUrl: vendor.url, apiKey: "k" }, context)) {
      events.push(event);
      controller.abort();
    }
    expect(failureIn(events)).toMatchObject({ reason: "aborted" });
    await until(() => expect(vendor?.leftEarly()).toBe(1));
  });

  it("does not wait for a connection to close once the answer is whole", async () => {
    const started = performance.now();
    const events = await answers({ body: recorded, ending: "open" });
    expect(finishOf(events).reason).toBe("tool_calls");
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it("tells a page from an answer, and a refusal from both", async () => {
    const page = await answers({ body: "<html><h1>502 Bad Gateway</h1></html>", contentType: "text/html" });
    expect(failureIn(page)).toMatchObject({ reason: "invalid_response" });
    await vendor?.close();
    const limited = await answers(refusal(429, { error: { message: "Rate limit reached" } }, { "retry-after": "3" }));
    expect(failureIn(limited)).toMatchObject({ reason: "rate_limit", status: 429, retryAfterMs: 3000 });
  });
});
