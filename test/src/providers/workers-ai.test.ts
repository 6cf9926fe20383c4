import { expect, it } from "vitest";
import type { ModelEvent, ModelRequest, ProviderConnection } from "#src/domain/provider";
import { workersAi } from "#src/providers/workers-ai";
import { chunk, events, pieces } from "../../support/sse-response";

const REQUEST: ModelRequest = {
  model: "@cf/x/y",
  messages: [{ role: "user", content: "hi" }],
  tools: [{ name: "ls", description: "Lists.", parameters: { type: "object" } }],
};

async function ask(
  run: NonNullable<ProviderConnection["ai"]>["run"],
  signal = new AbortController().signal,
): Promise<ModelEvent[]> {
  const found: ModelEvent[] = [];
  const context = { fetch, signal, requestTimeoutMs: 50, stallTimeoutMs: 50 };
  for await (const event of workersAi.stream(REQUEST, { ai: { run } }, context)) found.push(event);
  return found;
}

function body(...parts: Parameters<typeof pieces>): Promise<unknown> {
  return Promise.resolve(pieces(...parts).body);
}

it("asks the binding for a stream, with the tools in the shape of Chat Completions", async () => {
  let asked: unknown;
  await ask((model, input) => {
    asked = { model, ...input };
    return body([events({ response: "x" })]);
  });
  expect(asked).toEqual({
    model: "@cf/x/y",
    messages: [{ role: "user", content: "hi" }],
    tools: [{ type: "function", function: REQUEST.tools[0] }],
    max_tokens: 4096,
    stream: true,
  });
});

it.each([
  [{ maxOutputTokens: 7 }, { max_tokens: 7 }],
  [{ model: "@cf/zai-org/glm-5.3-flash" }, { max_tokens: 16_384 }],
  [{ model: "@cf/zai-org/glm-5.3", reasoningEffort: "medium" }, { reasoning_effort: "high" }],
  [{ model: "@cf/zai-org/glm-5.3", reasoningEffort: "none" }, { chat_template_kwargs: { enable_thinking: false } }],
  [{ model: "@cf/meta/llama-4-scout-17b-16e-instruct", reasoningEffort: "high" }, { max_tokens: 16_384 }],
] as const)("asks for %j by %j", async (request, expected) => {
  let asked: unknown;
  const run = (_model: string, input: Record<string, unknown>) => {
    asked = input;
    return body([events({ response: "x" })]);
  };
  const context = { fetch, signal: new AbortController().signal, requestTimeoutMs: 50, stallTimeoutMs: 50 };
  for await (const event of workersAi.stream({ ...REQUEST, ...request }, { ai: { run } }, context)) void event;
  expect(asked).toMatchObject(expected);
});

it("makes a call of one that the model wrote as text", async () => {
  const found = await ask(() =>
    body([events({ response: '{"name": "ls", ' }, { response: '"parameters": {"path": "/"}}' })]),
  );
  expect(found).toEqual([
    {
      type: "finish",
      reason: "tool_calls",
      toolCalls: [{ id: "call_1", name: "ls", arguments: '{"path":"/"}' }],
    },
  ]);
});

// https://developers.cloudflare.com/workers-ai/models/ (streaming with `response`)
it("reads the native stream, in which digits come as numbers", async () => {
  const found = await ask(() =>
    body([
      events(
        { response: "The answer is ", p: "abc" },
        { response: 42 },
        { response: "", usage: { prompt_tokens: 5, completion_tokens: 3 } },
      ),
    ]),
  );
  expect(found).toEqual([
    { type: "text", delta: "The answer is 42" },
    { type: "finish", reason: "stop", toolCalls: [], usage: { inputTokens: 5, outputTokens: 3 } },
  ]);
});

// https://developers.cloudflare.com/workers-ai/features/function-calling/
it("reads native tool calls, streamed or not", async () => {
  const calls = [{ name: "ls", arguments: { path: "/" } }];
  const expected = {
    type: "finish",
    reason: "tool_calls",
    toolCalls: [{ id: "call_1", name: "ls", arguments: '{"path":"/"}' }],
  };
  expect(await ask(() => body([events({ response: "", tool_calls: calls })]))).toEqual([expected]);
  expect(await ask(() => Promise.resolve({ response: null, tool_calls: calls }))).toEqual([expected]);
});

it("reads a stream in the shape of Chat Completions", async () => {
  const found = await ask(() => body([events(chunk({ reasoning_content: "hm" }), chunk({ content: "yes" }, "stop"))]));
  expect(found.slice(0, 2)).toEqual([
    { type: "reasoning", delta: "hm" },
    { type: "text", delta: "yes" },
  ]);
});

it("reads an answer that comes whole", async () => {
  expect(await ask(() => Promise.resolve({ response: "hello" }))).toEqual([
    { type: "text", delta: "hello" },
    { type: "finish", reason: "stop", toolCalls: [] },
  ]);
});

// https://developers.cloudflare.com/workers-ai/platform/errors/
it.each([
  ["3040: Capacity temporarily exceeded, please try again.", { reason: "rate_limit", status: 429, retryable: true }],
  ["4006: you have used up your daily free allocation of 10,000 neurons", { reason: "billing", retryable: false }],
  ["InferenceUpstreamError: 5007: No such model @cf/x/y or task", { reason: "model_not_found", retryable: false }],
  ["3007: Request timeout", { reason: "timeout", retryable: true }],
  ["3006: Request is too large", { reason: "payload_too_large", shouldCompress: true }],
])("tells what the binding means by %j", async (message, expected) => {
  const found = await ask(() => Promise.reject(new Error(message)));
  expect(found).toEqual([{ type: "failed", failure: expect.objectContaining(expected) }]);
});

it("says that there is no binding", async () => {
  const context = { fetch, signal: new AbortController().signal, requestTimeoutMs: 50, stallTimeoutMs: 50 };
  const found: ModelEvent[] = [];
  for await (const event of workersAi.stream(REQUEST, {}, context)) found.push(event);
  expect(found).toEqual([{ type: "failed", failure: expect.objectContaining({ retryable: false }) }]);
});

it("gives up a binding that does not answer, and cancels an answer that comes after all", async () => {
  const late = Promise.withResolvers<unknown>();
  const found = await ask(() => late.promise);
  expect(found).toEqual([{ type: "failed", failure: expect.objectContaining({ reason: "timeout" }) }]);
  const cancelled = Promise.withResolvers<void>();
  late.resolve(new ReadableStream({ cancel: () => cancelled.resolve() }));
  await cancelled.promise;
});

it("ends at once when it is aborted", async () => {
  const controller = new AbortController();
  const found = await ask(() => {
    controller.abort();
    return new Promise(() => undefined);
  }, controller.signal);
  expect(found).toEqual([{ type: "failed", failure: expect.objectContaining({ reason: "aborted" }) }]);
});
