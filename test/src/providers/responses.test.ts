import { describe, expect, it } from "vitest";
import type { ModelMessage, ModelRequest } from "#src/domain/provider";
import { responses, storedResponses } from "#src/providers/responses";
import { type TypedEvent, askProvider, failureIn, finishOf, saidIn, typedEvents } from "../../support/ask-provider";
import { RECORDED, RESPONSES_ANSWER } from "../../support/recorded-answers";
import { pieces } from "../../support/sse-response";

const MODEL = "gpt-6.2-sol";
const TOOLS = [{ name: "get_weather", description: "Weather.", parameters: { type: "object" } }];
const ASK: readonly ModelMessage[] = [
  { role: "system", content: "Be brief." },
  { role: "user", content: "Weather in Zürich?" },
];

const recorded = () => pieces([RESPONSES_ANSWER]);
const done =
  (fields: object = {}) =>
  () =>
    pieces([
      typedEvents({
        type: "response.completed",
        response: {
          id: "resp_2",
          status: "completed",
          output: [{ type: "message", content: [{ type: "output_text", text: "ok" }] }],
          ...fields,
        },
      }),
    ]);

/** The conversation as it stands after the recorded answer and the result of its call. */
async function afterAnswer(provider = responses): Promise<readonly ModelMessage[]> {
  const request: Partial<ModelRequest> = { model: MODEL, messages: ASK, tools: TOOLS };
  const { events } = await askProvider(provider, [recorded], { request });
  const { toolCalls, state } = finishOf(events);
  const answer: ModelMessage = {
    role: "assistant",
    content: saidIn(events),
    toolCalls,
    ...(state === undefined ? {} : { state }),
  };
  return [...ASK, answer, { role: "tool", callId: "call_w1", content: "sunny" }];
}

describe("the request", () => {
  it("says what the system says as instructions, stores nothing and asks for the thoughts", async () => {
    const { sent } = await askProvider(responses, [done()], {
      request: {
        model: MODEL,
        messages: ASK,
        tools: TOOLS,
        maxOutputTokens: 9,
        reasoningEffort: "none",
        cacheKey: "s1",
      },
    });
    expect(sent[0]?.url).toBe("https://api.openai.com/v1/responses");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-test");
    expect(sent[0]?.body).toEqual({
      model: MODEL,
      instructions: "Be brief.",
      input: [{ role: "user", content: "Weather in Zürich?" }],
      tools: [{ type: "function", strict: false, ...TOOLS[0] }],
      max_output_tokens: 9,
      // the lowest that this model takes
      reasoning: { effort: "low" },
      include: ["reasoning.encrypted_content"],
      prompt_cache_key: "s1",
      store: false,
      stream: true,
    });
  });

  it("asks models that do not think for nothing of it, and other hosts for no cache", async () => {
    const { sent } = await askProvider(responses, [done()], {
      request: { model: "local", reasoningEffort: "high", cacheKey: "s1" },
      connection: { baseUrl: "http://localhost:1234/v1/responses", apiKey: "" },
    });
    expect(sent[0]?.url).toBe("http://localhost:1234/v1/responses");
    expect(sent[0]?.headers.has("authorization")).toBe(false);
    expect(sent[0]?.body).toEqual({
      model: "local",
      input: [{ role: "user", content: "hi" }],
      store: false,
      stream: true,
    });
  });

  it("gives pictures as input_image", async () => {
    const content = [
      { type: "text", text: "what?" },
      { type: "image", url: "data:image/png;base64,AA" },
    ] as const;
    const { sent } = await askProvider(responses, [done()], { request: { messages: [{ role: "user", content }] } });
    expect(sent[0]?.body["input"]).toEqual([
      {
        role: "user",
        content: [
          { type: "input_text", text: "what?" },
          { type: "input_image", image_url: "data:image/png;base64,AA", detail: "auto" },
        ],
      },
    ]);
  });

  it("gives the thoughts back in their place, whole and without an id", async () => {
    const messages = await afterAnswer();
    const { sent } = await askProvider(responses, [done()], { request: { model: MODEL, messages } });
    expect(sent[0]?.body["input"]).toEqual([
      { role: "user", content: "Weather in Zürich?" },
      {
        type: "reasoning",
        summary: [{ type: "summary_text", text: "The person wants the weather." }],
        encrypted_content: "gAAAAA-thoughts",
      },
      { role: "assistant", content: RECORDED.text, phase: "commentary" },
      { type: "function_call", call_id: "call_w1", name: "get_weather", arguments: RECORDED.call.arguments },
      { type: "function_call_output", call_id: "call_w1", output: "sunny" },
    ]);
  });

  it("keeps the thoughts from another model", async () => {
    const messages = await afterAnswer();
    const { sent } = await askProvider(responses, [done()], { request: { model: "gpt-6-sol", messages } });
    expect(JSON.stringify(sent[0]?.body)).not.toContain("gAAAAA");
  });

  it("puts the thoughts first when the answer is no longer what the model gave", async () => {
    const messages = (await afterAnswer()).map((each) =>
      each.role === "assistant" ? { ...each, content: "redacted" } : each,
    );
    const { sent } = await askProvider(responses, [done()], { request: { model: MODEL, messages } });
    const input = sent[0]?.body["input"] as readonly { type?: string; role?: string; content?: string }[];
    expect(input.map((item) => item.type ?? item.role)).toEqual([
      "user",
      "reasoning",
      "assistant",
      "function_call",
      "function_call_output",
    ]);
    expect(input[2]?.content).toBe("redacted");
  });
});

describe("stored responses", () => {
  it("say only what is new, after the response that it follows", async () => {
    const messages = await afterAnswer(storedResponses);
    const { sent } = await askProvider(storedResponses, [done()], { request: { model: MODEL, messages } });
    expect(sent[0]?.body).toMatchObject({
      store: true,
      previous_response_id: "resp_67c9",
      instructions: "Be brief.",
      input: [{ type: "function_call_output", call_id: "call_w1", output: "sunny" }],
    });
  });

  it("say everything when the history is no longer what the vendor has", async () => {
    const [system, , ...rest] = await afterAnswer(storedResponses);
    const messages = [system, { role: "user", content: "(a summary)" }, ...rest] as readonly ModelMessage[];
    const { sent } = await askProvider(storedResponses, [done()], { request: { model: MODEL, messages } });
    expect(sent[0]?.body).not.toHaveProperty("previous_response_id");
    expect(sent[0]?.body["input"]).toHaveLength(5);
  });

  it.each([
    // https://github.com/maximhq/bifrost/issues/2441
    [
      400,
      { error: { code: "previous_response_not_found", message: "Previous response with id 'resp_67c9' not found." } },
    ],
    [404, { error: { message: "Previous response with id 'resp_67c9' not found.", param: "previous_response_id" } }],
    // https://github.com/can1357/oh-my-pi/issues/2341
    [400, { error: { message: "Previous response cannot be used for this organization due to Zero Data Retention." } }],
  ])("say everything when the vendor has lost the response: %d %j", async (status, body) => {
    const messages = await afterAnswer(storedResponses);
    const lost = () => Response.json(body, { status });
    const { sent, events } = await askProvider(storedResponses, [lost, done()], {
      request: { model: MODEL, messages },
    });
    expect(sent).toHaveLength(2);
    expect(sent[1]?.body).not.toHaveProperty("previous_response_id");
    expect(sent[1]?.body["input"]).toHaveLength(5);
    expect(saidIn(events)).toBe("ok");
  });

  it("do not ask again for any other reason", async () => {
    const messages = await afterAnswer(storedResponses);
    const limited = () => Response.json({ error: { message: "Rate limit reached" } }, { status: 429 });
    const { sent, events } = await askProvider(storedResponses, [limited], { request: { model: MODEL, messages } });
    expect(sent).toHaveLength(1);
    expect(failureIn(events)).toMatchObject({ reason: "rate_limit" });
  });
});

describe("the end", () => {
  const end = async (response: object, type = "response.incomplete") =>
    (await askProvider(responses, [() => pieces([typedEvents({ type, response })])])).events;
  const call = (args: string) => ({ type: "function_call", call_id: "c1", name: "ls", arguments: args });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content_filter"],
    ["steered", "length"],
  ])("of an answer that is incomplete by %s is %s", async (reason, expected) => {
    const output = [{ type: "message", content: [{ type: "output_text", text: "half" }] }];
    const events = await end({ status: "incomplete", incomplete_details: { reason }, output });
    expect(saidIn(events)).toBe("half");
    expect(finishOf(events)).toMatchObject({ reason: expected, toolCalls: [] });
  });

  it("leaves a call broken that was cut, and keeps one that is whole", async () => {
    const output = [call('{"a":1}'), { ...call('{"a":'), call_id: "c2" }, { ...call(""), call_id: "c3" }];
    const events = await end({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" }, output });
    expect(finishOf(events)).toMatchObject({
      reason: "length",
      toolCalls: [
        { id: "c1", arguments: '{"a":1}' },
        { id: "c2", arguments: '{"a":' },
        { id: "c3", arguments: "{" },
      ],
    });
  });

  it("of a refusal is the filter's, with its words and without its calls", async () => {
    const refusal = typedEvents(
      { type: "response.refusal.delta", item_id: "m", output_index: 0, delta: "I can't " },
      { type: "response.refusal.delta", item_id: "m", output_index: 0, delta: "help." },
      { type: "response.completed", response: { id: "r", status: "completed", output: [{}, call("{}")] } },
    );
    const { events } = await askProvider(responses, [() => pieces([refusal])]);
    expect(saidIn(events)).toBe("I can't help.");
    expect(finishOf(events)).toMatchObject({ reason: "content_filter", toolCalls: [] });
  });

  it.each([
    [{ code: "server_error", message: "The server had an error" }, "server_error"],
    [{ code: "rate_limit_exceeded", message: "Rate limit reached for gpt-6" }, "rate_limit"],
    [
      { code: "invalid_prompt", message: "Invalid prompt: flagged as potentially violating our usage policy." },
      "content_policy",
    ],
    [null, "server_error"],
  ])("of a failed response tells what failed: %j", async (error, reason) => {
    expect(failureIn(await end({ status: "failed", error }, "response.failed"))).toMatchObject({ reason });
  });

  it("tells an error event from an answer", async () => {
    const half = typedEvents({
      type: "response.output_text.delta",
      item_id: "m",
      output_index: 0,
      delta: "half",
    });
    const error = typedEvents({ type: "error", code: "server_overloaded", message: "Overloaded", param: null });
    const { events } = await askProvider(responses, [() => pieces([half + error])]);
    expect(failureIn(events)).toMatchObject({ reason: "overloaded", retryable: true });
  });

  it("of an answer that came whole instead of as a stream is the same", async () => {
    const response = {
      id: "resp_9",
      object: "response",
      status: "completed",
      output: [{ type: "message", content: [{ type: "output_text", text: "whole" }] }, call("{}")],
      usage: { input_tokens: 3, output_tokens: 2 },
    };
    const { events } = await askProvider(responses, [() => Response.json(response)]);
    expect(saidIn(events)).toBe("whole");
    expect(finishOf(events)).toMatchObject({ reason: "tool_calls", usage: { inputTokens: 3, outputTokens: 2 } });
  });

  it("of an answer without words is an end all the same", async () => {
    const { events } = await askProvider(responses, [done({ output: [] })]);
    expect(events).toEqual([{ type: "finish", reason: "stop", toolCalls: [] }]);
  });
});

describe("calls", () => {
  const added = (index: number, id: string, callId: string) => ({
    type: "response.output_item.added",
    output_index: index,
    item: { id, type: "function_call", call_id: callId, name: `t${id}`, arguments: "" },
  });
  const ended = (index: number, id: string, callId: string) => ({
    type: "response.output_item.done",
    output_index: index,
    item: { id, type: "function_call", call_id: callId, name: `t${id}`, arguments: `{"of":"${id}"}` },
  });
  const last = { type: "response.completed", response: { id: "r", status: "completed", output: [] } };
  const idsOf = async (...values: readonly TypedEvent[]) => {
    const { events } = await askProvider(responses, [() => pieces([typedEvents(...values, last)])], {
      request: {
        messages: [
          { role: "user", content: "hi" },
          { role: "assistant", content: "", toolCalls: [{ id: "old", name: "t", arguments: "{}" }] },
          { role: "tool", callId: "old", content: "" },
        ],
      },
    });
    return finishOf(events).toolCalls.map(({ id, name }) => `${id} ${name}`);
  };

  it("get ids of their own when the vendor repeats them", async () => {
    expect(await idsOf(added(0, "a", "old"), ended(0, "a", "old"), added(1, "b", "x"), ended(1, "b", "x"))).toEqual([
      "call_2 ta",
      "x tb",
    ]);
  });

  it("stay apart when the vendor gives all of them one index", async () => {
    expect(await idsOf(added(0, "a", "x"), ended(0, "a", "x"), added(0, "b", "y"), ended(0, "b", "y"))).toEqual([
      "x ta",
      "y tb",
    ]);
  });

  it("stay one when the vendor gives every event another id", async () => {
    const piece = {
      type: "response.function_call_arguments.delta",
      item_id: "zz",
      output_index: 0,
      delta: "{}",
    };
    expect(await idsOf(added(0, "a", "x"), piece, ended(0, "q", "x"))).toEqual(["x ta"]);
  });
});
