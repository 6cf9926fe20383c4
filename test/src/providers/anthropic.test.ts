import { describe, expect, it } from "vitest";
import type { ModelMessage, ModelRequest } from "#src/domain/provider";
import { anthropic } from "#src/providers/anthropic";
import { askProvider, failureIn, finishOf, saidIn, typedEvents } from "../../support/ask-provider";
import { MESSAGES_ANSWER, RECORDED } from "../../support/recorded-answers";
import { pieces } from "../../support/sse-response";

const MODEL = "claude-sonnet-5-5";
const TOOLS = [{ name: "get_weather", description: "Weather.", parameters: { type: "object", properties: {} } }];
const ASK: readonly ModelMessage[] = [{ role: "user", content: "Weather in Zürich?" }];

const message =
  (fields: object = {}) =>
  () =>
    Response.json({
      type: "message",
      content: [{ type: "text", text: "ok" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 2 },
      ...fields,
    });

async function bodyOf(request: Partial<ModelRequest>): Promise<Record<string, unknown>> {
  const { sent } = await askProvider(anthropic, [message()], { request: { model: MODEL, ...request } });
  return sent[0]?.body ?? {};
}

/** The recorded answer as it stands in a conversation. */
async function answer(): Promise<Extract<ModelMessage, { readonly role: "assistant" }>> {
  const request = { model: MODEL, messages: ASK, tools: TOOLS };
  const { events } = await askProvider(anthropic, [() => pieces([MESSAGES_ANSWER])], { request });
  const { toolCalls, state } = finishOf(events);
  return { role: "assistant", content: saidIn(events), toolCalls, ...(state === undefined ? {} : { state }) };
}

describe("the request", () => {
  it("is Anthropic's, with its key and version", async () => {
    const { sent } = await askProvider(anthropic, [message()], { request: { model: MODEL } });
    expect(sent[0]?.url).toBe("https://api.anthropic.com/v1/messages");
    expect(sent[0]?.headers.get("authorization")).toBe("Bearer sk-test");
    expect(sent[0]?.headers.get("anthropic-version")).toMatch(/^20\d\d-\d\d-\d\d$/);
    expect(sent[0]?.headers.has("x-api-key")).toBe(false);
  });

  it("gives others its key in the older header too, and the version that they know", async () => {
    const connection = { apiKey: "k", baseUrl: "https://api.minimax.io/anthropic" };
    const { sent } = await askProvider(anthropic, [message()], { connection });
    expect(sent[0]?.headers.get("x-api-key")).toBe("k");
    expect(sent[0]?.headers.get("anthropic-version")).toBe("2023-06-01");
  });

  it.each([
    "http://localhost:1/anthropic",
    "http://localhost:1/anthropic/v1/messages",
    "http://localhost:1/anthropic/v1/",
  ])("reaches %s without a key, and without a header for one", async (baseUrl) => {
    const { sent, events } = await askProvider(anthropic, [message()], { connection: { baseUrl } });
    expect(sent[0]?.url).toBe("http://localhost:1/anthropic/v1/messages");
    expect(sent[0]?.headers.has("x-api-key")).toBe(false);
    expect(sent[0]?.headers.has("authorization")).toBe(false);
    expect(saidIn(events)).toBe("ok");
  });

  it("asks for as much as the model can write, or less when the window is full or less is wanted", async () => {
    expect(await bodyOf({ model: "claude-haiku-4-5" })).toMatchObject({ max_tokens: 64_000 });
    expect(await bodyOf({ model: "who-knows" })).toMatchObject({ max_tokens: 8192 });
    expect(await bodyOf({ maxOutputTokens: 7 })).toMatchObject({ max_tokens: 7 });
    const messages = [{ role: "user", content: "x".repeat(600_000) }] as const;
    expect(await bodyOf({ model: "claude-haiku-4-5", messages })).toMatchObject({ max_tokens: 20_000 });
  });

  it("gives pictures as bytes or by their address", async () => {
    const content = [
      { type: "text", text: "" },
      { type: "image", url: "data:image/png;base64,AAAA" },
      { type: "image", url: "https://x.test/a.png" },
    ] as const;
    const { messages } = await bodyOf({ messages: [{ role: "user", content }, ...ASK, ...ASK, ...ASK, ...ASK] });
    expect((messages as readonly { content: readonly unknown[] }[])[0]?.content.slice(0, 2)).toEqual([
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } },
      { type: "image", source: { type: "url", url: "https://x.test/a.png" } },
    ]);
  });
});

describe("thinking", () => {
  const asked = async (model: string, reasoningEffort?: ModelRequest["reasoningEffort"]) => {
    const { thinking, output_config, max_tokens } = await bodyOf({
      model,
      maxOutputTokens: 100,
      ...(reasoningEffort === undefined ? {} : { reasoningEffort }),
    });
    return { thinking, output_config, max_tokens };
  };
  const shown = { type: "adaptive", display: "summarized" };

  it.each([
    ["claude-haiku-4-5", undefined, undefined, undefined],
    ["claude-haiku-4-5", "none", undefined, undefined],
    ["claude-haiku-4-5", "high", { type: "enabled", budget_tokens: 16_000 }, undefined],
    ["claude-opus-4-8", undefined, undefined, undefined],
    ["claude-opus-4-8", "none", undefined, undefined],
    ["claude-opus-4-8", "xhigh", shown, { effort: "xhigh" }],
    ["claude-opus-4-6", "xhigh", shown, { effort: "high" }],
    ["claude-opus-5", undefined, shown, undefined],
    ["claude-opus-5", "none", { type: "disabled" }, undefined],
    ["claude-sonnet-5-5", "none", { type: "between_tools" }, undefined],
    ["claude-opus-5-5", "none", shown, { effort: "low" }],
    ["claude-opus-5-5", "minimal", shown, { effort: "low" }],
    ["who-knows", "high", undefined, undefined],
  ] as const)("of %s at effort %s is %j", async (model, effort, thinking, config) => {
    expect(await asked(model, effort)).toMatchObject({ thinking, output_config: config });
  });

  it("leaves room for the answer behind its budget", async () => {
    expect(await asked("claude-haiku-4-5", "low")).toMatchObject({ max_tokens: 4001 });
  });

  it("gives thoughts back unchanged, in their place", async () => {
    const messages = [...ASK, await answer(), { role: "tool", callId: "call_w1", content: "sunny" } as const];
    const { messages: wire } = await bodyOf({ messages });
    expect((wire as readonly unknown[])[1]).toEqual({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "The person wants the weather.", signature: "EqQBCgIYAhIM1gbcDa9G" },
        { type: "redacted_thinking", data: "EmwKAhgBEgy3va3p" },
        { type: "text", text: RECORDED.text },
        {
          type: "tool_use",
          id: "call_w1",
          name: "get_weather",
          input: { location: "Zürich" },
          cache_control: { type: "ephemeral" },
        },
      ],
    });
  });

  it("keeps thoughts from other models", async () => {
    const given = { ...(await answer()), toolCalls: [] };
    const wire = JSON.stringify(await bodyOf({ model: "claude-opus-5-5", messages: [...ASK, given, ...ASK] }));
    expect(wire).not.toContain("EqQBCgIYAhIM1gbcDa9G");
    expect(wire).not.toContain("EmwKAhgBEgy3va3p");
  });

  it("is not asked of a model whose turn has begun without", async () => {
    const called = { role: "assistant", content: "", toolCalls: [RECORDED.call] } as const;
    const result = { role: "tool", callId: "call_w1", content: "sunny" } as const;
    const request = { model: "claude-haiku-4-5", reasoningEffort: "high" } as const;
    expect(await bodyOf({ ...request, messages: [...ASK, called, result] })).not.toHaveProperty("thinking");
    expect(await bodyOf({ ...request, messages: [...ASK, called, result, ...ASK] })).toHaveProperty("thinking");
  });

  it("without a signature is shown and not kept", async () => {
    const { events } = await askProvider(anthropic, [message({ content: [{ type: "thinking", thinking: "hm" }] })]);
    expect(saidIn(events, "reasoning")).toBe("hm");
    expect(finishOf(events)).not.toHaveProperty("state");
  });
});

describe("the end", () => {
  const call = { type: "tool_use", id: "c1", name: "ls", input: {} };

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["pause_turn", "length"],
    ["refusal", "content_filter"],
    ["something_new", "stop"],
  ])("by %s is %s", async (stop, reason) => {
    const { events } = await askProvider(anthropic, [message({ stop_reason: stop })]);
    expect(finishOf(events)).toMatchObject({ reason });
  });

  it("calls tools whatever the vendor says, but not after a refusal", async () => {
    const ends = async (stop: string) =>
      finishOf((await askProvider(anthropic, [message({ content: [call], stop_reason: stop })])).events);
    expect(await ends("end_turn")).toMatchObject({ reason: "tool_calls", toolCalls: [{ id: "c1", arguments: "{}" }] });
    expect(await ends("refusal")).toMatchObject({ reason: "content_filter", toolCalls: [] });
  });

  it("leaves a call broken that was cut", async () => {
    const cut = typedEvents(
      { type: "message_start", message: { usage: { input_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: call },
      { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"pa' } },
      { type: "message_delta", delta: { stop_reason: "max_tokens" }, usage: { output_tokens: 9 } },
      { type: "message_stop" },
    );
    const { events } = await askProvider(anthropic, [() => pieces([cut])]);
    expect(finishOf(events)).toMatchObject({ reason: "length", toolCalls: [{ arguments: '{"pa' }] });
  });

  it("is a full window when nothing could be said", async () => {
    const { events } = await askProvider(anthropic, [
      message({ content: [], stop_reason: "model_context_window_exceeded" }),
    ]);
    expect(failureIn(events)).toMatchObject({ reason: "context_overflow", shouldCompress: true });
  });

  // https://platform.claude.com/docs/en/build-with-claude/streaming#error-events
  it("tells an error amid the stream from an answer", async () => {
    const events = typedEvents(
      { type: "message_start", message: { usage: { input_tokens: 1 } } },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "half" } },
      { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
    );
    const found = (await askProvider(anthropic, [() => pieces([events])])).events;
    expect(saidIn(found)).toBe("half");
    expect(failureIn(found)).toMatchObject({ reason: "overloaded", retryable: true });
  });

  it.each([
    [401, "authentication_error", "invalid x-api-key", "auth"],
    [400, "invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum", "context_overflow"],
    [
      400,
      "invalid_request_error",
      "messages.1.content.0: Invalid `signature` in `thinking` block",
      "thinking_signature",
    ],
    [413, "request_too_large", "Request exceeds the maximum size", "payload_too_large"],
    [529, "overloaded_error", "Overloaded", "overloaded"],
  ])("with status %d and %s (%s) is %s", async (status, type, text, reason) => {
    const refused = () => Response.json({ type: "error", error: { type, message: text } }, { status });
    const { events } = await askProvider(anthropic, [refused]);
    expect(failureIn(events)).toMatchObject({ reason, status });
  });
});
