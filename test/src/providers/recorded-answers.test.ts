import { describe, expect, it } from "vitest";
import type { ModelEvent, ModelRequest, Provider } from "#src/domain/provider";
import { anthropic } from "#src/providers/anthropic";
import type { AnswerCollector } from "#src/providers/answer-collector";
import { createAnswerCollector } from "#src/providers/collect-answer";
import { createMessageCollector } from "#src/providers/collect-message";
import { createResponseCollector } from "#src/providers/collect-response";
import { openaiChat } from "#src/providers/openai-chat";
import { readAnswer } from "#src/providers/read-answer";
import { responses } from "#src/providers/responses";
import { watchCall } from "#src/providers/watch-call";
import { askProvider, failureIn, finishOf, saidIn } from "../../support/ask-provider";
import { CHAT_ANSWER, MESSAGES_ANSWER, RECORDED, RESPONSES_ANSWER } from "../../support/recorded-answers";
import { pieces } from "../../support/sse-response";

const TOOLS = [{ name: "get_weather", description: "Weather.", parameters: { type: "object" } }];
const USAGE = {
  inputTokens: 472,
  outputTokens: 89,
  cachedInputTokens: 400,
  cacheWriteTokens: 20,
  reasoningTokens: 12,
};

const REQUEST: ModelRequest = { model: "m", messages: [{ role: "user", content: "hi" }], tools: TOOLS };

const APIS: readonly (readonly [string, Provider, string, () => AnswerCollector])[] = [
  ["Chat Completions", openaiChat, CHAT_ANSWER, () => createAnswerCollector(REQUEST, "it")],
  ["Responses", responses, RESPONSES_ANSWER, () => createResponseCollector(REQUEST, "it", false)],
  ["Messages", anthropic, MESSAGES_ANSWER, () => createMessageCollector(REQUEST, "it")],
];

/** Reads a body without a call around it. */
async function read(parts: readonly Uint8Array[], collector: AnswerCollector): Promise<readonly ModelEvent[]> {
  const watch = watchCall({ signal: new AbortController().signal, requestTimeoutMs: 5000, stallTimeoutMs: 5000 });
  const { body } = pieces(parts);
  if (body === null) throw new Error("no body");
  const events: ModelEvent[] = [];
  for await (const event of readAnswer(body, { request: REQUEST, watch, who: "it" }, collector)) events.push(event);
  watch.stop();
  return events;
}

describe.each(APIS)("a recorded answer of %s", (_api, provider, recorded, collector) => {
  const bytes = new TextEncoder().encode(recorded);
  const ask = async (...body: Parameters<typeof pieces>): Promise<readonly ModelEvent[]> =>
    (await askProvider(provider, [() => pieces(...body)], { request: { tools: TOOLS } })).events;
  const expectWhole = (events: readonly ModelEvent[]): void => {
    expect(saidIn(events)).toBe(RECORDED.text);
    expect(saidIn(events, "reasoning")).toBe("The person wants the weather.");
    expect(finishOf(events)).toMatchObject({ reason: "tool_calls", toolCalls: [RECORDED.call], usage: USAGE });
  };

  it("is read whole", async () => {
    expectWhole(await ask([bytes]));
  });

  it("is read byte by byte", async () => {
    expectWhole(await ask(Array.from(bytes, (byte) => Uint8Array.of(byte))));
  });

  it("is read the same wherever it is split in two", async () => {
    for (let at = 1; at < bytes.length; at++) {
      expectWhole(await read([bytes.slice(0, at), bytes.slice(at)], collector()));
    }
  });

  it("ends exactly once, as an answer or as a failure, wherever it is cut off", async () => {
    for (let at = 0; at < bytes.length; at += 7) {
      const events = await read([bytes.slice(0, at)], collector());
      const ends = events.filter((event) => event.type === "finish" || event.type === "failed");
      expect(ends).toEqual([events.at(-1)]);
      const last = events.at(-1);
      // what is called whole must be whole
      if (last?.type === "finish") expect(last.toolCalls).toEqual([RECORDED.call]);
      else expect(failureIn(events)).toMatchObject({ retryable: true });
    }
  });

  it("fails for good when it is aborted in the middle", async () => {
    const controller = new AbortController();
    const body = new ReadableStream<Uint8Array>({
      start: (to) => to.enqueue(bytes.slice(0, Math.floor(bytes.length * 0.6))),
      pull: () => controller.abort(),
    });
    const { events } = await askProvider(provider, [() => new Response(body)], {
      context: { signal: controller.signal },
    });
    expect(failureIn(events)).toMatchObject({ reason: "aborted", retryable: false });
  });

  it("is given up when it stands still", async () => {
    const half = bytes.slice(0, Math.floor(bytes.length * 0.6));
    const { events } = await askProvider(provider, [() => pieces([half], "open")], { context: { stallTimeoutMs: 20 } });
    expect(failureIn(events)).toMatchObject({ reason: "timeout", retryable: true });
  });
});

describe.each(APIS)("what is no answer of %s", (_api, provider) => {
  it.each([
    ["a web page", "<!doctype html><h1>502</h1>"],
    ["events that are no JSON", "data: {nonsense\n\n"],
    ["text", "upstream error"],
    ["JSON that is no answer", '{"detail":"Not Found"}'],
    ["events of something else", 'data: {"type":"unheard.of","x":null}\n\ndata: [DONE]\n\n'],
    ["a null", "data: null\n\n"],
    ["broken JSON", '{"choices":['],
    ["nothing", ""],
  ])("is told: %s with a 200", async (_what, body) => {
    const { events } = await askProvider(provider, [() => pieces([body])]);
    expect(failureIn(events)).toMatchObject({ reason: "invalid_response", retryable: true });
  });

  it("is bounded, however much of it comes", async () => {
    const piece = `data: ${JSON.stringify({
      type: "content_block_delta",
      delta: { text: "x".repeat(1_000_000), content: "x".repeat(1_000_000) },
      choices: [{ delta: { content: "x".repeat(1_000_000) } }],
    })}\n\n`;
    const flood = `data: ${JSON.stringify({ type: "response.output_text.delta", delta: "x".repeat(1_000_000) })}\n\n`;
    const { events } = await askProvider(provider, [
      () =>
        pieces(
          Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? piece : flood)),
          "open",
        ),
    ]);
    expect(failureIn(events)).toMatchObject({ retryable: true });
    expect(saidIn(events).length).toBeLessThan(12_000_000);
  });
});
