import { describe, expect, it } from "vitest";
import { answerTo, ask, callsOf, last, textOf } from "../../support/ask-openai-chat";
import { chunk, events, pieces } from "../../support/sse-response";

describe("text", () => {
  // https://platform.openai.com/docs/api-reference/chat-streaming
  it("joins what arrives together and counts the tokens of the last chunk", async () => {
    const found = await answerTo([
      events(
        chunk({ role: "assistant", content: "" }),
        chunk({ content: "Hel" }),
        chunk({ content: "lo" }),
        chunk({}, "stop"),
        { choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } } },
      ),
    ]);
    expect(found).toEqual([
      { type: "text", delta: "Hello" },
      {
        type: "finish",
        reason: "stop",
        toolCalls: [],
        usage: { inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 },
      },
    ]);
  });

  it("reads a stream that is cut anywhere, also inside a character", async () => {
    const bytes = new TextEncoder().encode(events(chunk({ content: "Grüße 🦆" }), chunk({}, "stop")));
    const found = await answerTo(Array.from(bytes, (byte) => Uint8Array.of(byte)));
    expect(textOf(found)).toBe("Grüße 🦆");
    expect(last(found).type).toBe("finish");
  });

  it("bears keep-alive comments, carriage returns, missing blanks and null content", async () => {
    // OpenRouter: https://openrouter.ai/docs/api-reference/streaming#additional-information
    const found = await answerTo([
      ": OPENROUTER PROCESSING\r\n\r\n",
      `data:${JSON.stringify(chunk({ content: null }))}\r\n\r\n`,
      `event: message\r\nid: 1\r\ndata: ${JSON.stringify(chunk({ content: "ok" }))}\r\n\r\n`,
      `data: ${JSON.stringify(chunk({}, "stop"))}\r\ndata: [DONE]`,
    ]);
    expect(textOf(found)).toBe("ok");
    expect(last(found)).toMatchObject({ type: "finish", reason: "stop" });
  });

  it.each(["reasoning_content", "reasoning"])("tells thinking in %s apart from the answer", async (name) => {
    const found = await answerTo([events(chunk({ [name]: "hm" }), chunk({ content: "yes" }, "stop"))]);
    expect(found.slice(0, 2)).toEqual([
      { type: "reasoning", delta: "hm" },
      { type: "text", delta: "yes" },
    ]);
  });

  it("reads content that comes in parts", async () => {
    // Mistral's Magistral: https://docs.mistral.ai/capabilities/reasoning/
    const content = [
      { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
      { type: "text", text: "yes" },
    ];
    const found = await answerTo([events(chunk({ content }, "stop"))]);
    expect(found.slice(0, 2)).toEqual([
      { type: "reasoning", delta: "hm" },
      { type: "text", delta: "yes" },
    ]);
  });

  it.each([
    ["in x_groq", { ...Object(chunk({}, "stop")), x_groq: { usage: { prompt_tokens: 3, completion_tokens: 1 } } }],
    [
      "in the choice",
      { choices: [{ index: 0, delta: {}, finish_reason: "stop", usage: { prompt_tokens: 3, completion_tokens: 1 } }] },
    ],
  ])("finds the count of tokens %s", async (_, value) => {
    const found = await answerTo([events(chunk({ content: "x" }), value)]);
    expect(last(found)).toMatchObject({ usage: { inputTokens: 3, outputTokens: 1 } });
  });

  it.each([
    ["length", "length"],
    ["content_filter", "content_filter"],
    ["eos", "stop"],
    ["tool_calls", "stop"],
  ])("ends an answer that says %s without calls with %s", async (said, reason) => {
    expect(last(await answerTo([events(chunk({ content: "x" }, said))]))).toMatchObject({ type: "finish", reason });
  });

  it("reads one JSON document in answer to a streaming request", async () => {
    const whole = {
      choices: [{ message: { role: "assistant", content: "whole" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1 },
    };
    const found = await answerTo([
      JSON.stringify(whole, null, 2).slice(0, 20),
      JSON.stringify(whole, null, 2).slice(20),
    ]);
    expect(textOf(found)).toBe("whole");
    expect(last(found)).toMatchObject({ type: "finish", reason: "stop", usage: { inputTokens: 1, outputTokens: 1 } });
  });

  it("takes an end without the end mark when the reason for it was given", async () => {
    const found = await answerTo([`data: ${JSON.stringify(chunk({ content: "x" }, "stop"))}\n\n`]);
    expect(last(found).type).toBe("finish");
  });
});

describe("tool calls", () => {
  it("puts pieces together by their index", async () => {
    const found = await answerTo([
      events(
        chunk({ tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "ls", arguments: "" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '{"p' } }] }),
        chunk({ tool_calls: [{ index: 1, id: "b", type: "function", function: { name: "pwd", arguments: "{}" } }] }),
        chunk({ tool_calls: [{ index: 0, function: { arguments: '":1}' } }] }),
        chunk({}, "tool_calls"),
      ),
    ]);
    expect(last(found)).toMatchObject({ reason: "tool_calls" });
    expect(callsOf(found)).toEqual([
      { id: "a", name: "ls", arguments: '{"p":1}' },
      { id: "b", name: "pwd", arguments: "{}" },
    ]);
  });

  it("numbers calls whose ids are missing, repeated or used before", async () => {
    const whole = (id: string | undefined, i: number) => ({
      index: i,
      id,
      function: { name: `t${i}`, arguments: "{}" },
    });
    const { events: found } = await ask(
      () =>
        pieces([
          events(
            chunk(
              { tool_calls: [whole("x", 0), whole("x", 1), whole("", 2), whole(undefined, 3), whole("old", 4)] },
              "stop",
            ),
          ),
        ]),
      {
        request: {
          messages: [
            { role: "user", content: "hi" },
            { role: "assistant", content: "", toolCalls: [{ id: "old", name: "t", arguments: "{}" }] },
            { role: "tool", callId: "old", content: "" },
          ],
        },
      },
    );
    const ids = callsOf(found).map((call) => call.id);
    expect(ids).toEqual(["x", "call_3", "call_4", "call_5", "call_6"]);
  });

  it("calls tools although the end says stop, or says nothing", async () => {
    const call = { index: 0, id: "a", function: { name: "ls", arguments: "{}" } };
    expect(last(await answerTo([events(chunk({ tool_calls: [call] }, "stop"))]))).toMatchObject({
      reason: "tool_calls",
    });
    expect(last(await answerTo([events(chunk({ tool_calls: [call] }))]))).toMatchObject({ reason: "tool_calls" });
    const withoutMark = await answerTo([`data: ${JSON.stringify(chunk({ tool_calls: [call] }))}\n\n`]);
    expect(last(withoutMark)).toMatchObject({ reason: "tool_calls" });
  });

  it("reads the legacy function_call", async () => {
    const found = await answerTo([
      events(
        chunk({ function_call: { name: "ls", arguments: '{"a"' } }),
        chunk({ function_call: { arguments: ":1}" } }),
        chunk({}, "function_call"),
      ),
    ]);
    expect(callsOf(found)).toEqual([{ id: "call_1", name: "ls", arguments: '{"a":1}' }]);
  });
});

describe("answers that are not what they seem", () => {
  const tools = [{ name: "ls", description: "", parameters: { type: "object" } }];
  const withTools = async (...values: readonly unknown[]) =>
    (await ask(() => pieces([events(...values)]), { request: { tools } })).events;
  const call = (id: string, args: string) => ({ id, function: { name: "ls", arguments: args } });

  it("leaves a call broken that was cut at the limit, and one of which only the name came", async () => {
    const tool_calls = [
      { index: 0, ...call("a", '{"p":1}') },
      { index: 1, ...call("b", '{"p":') },
      { index: 2, ...call("c", "") },
    ];
    const found = await withTools(chunk({ tool_calls }, "length"));
    expect(last(found)).toMatchObject({
      reason: "length",
      toolCalls: [
        { id: "a", arguments: '{"p":1}' },
        { id: "b", arguments: '{"p":' },
        { id: "c", arguments: "{" },
      ],
    });
  });

  it("runs nothing of an answer that a filter cut off", async () => {
    const found = await withTools(chunk({ tool_calls: [{ index: 0, ...call("a", "{}") }] }, "content_filter"));
    expect(last(found)).toMatchObject({ reason: "content_filter", toolCalls: [] });
  });

  it("tells a refusal by its field", async () => {
    const found = await withTools(chunk({ content: null, refusal: "I can't." }, "stop"));
    expect(textOf(found)).toBe("I can't.");
    expect(last(found)).toMatchObject({ reason: "content_filter" });
  });

  it("makes a call of one that was written as text, and shows the words before it", async () => {
    const found = await withTools(
      chunk({ content: "Let me look. <tool" }),
      chunk({ content: '_call>{"name":"ls","arguments":{}}' }),
      chunk({ content: "</tool_call>" }, "stop"),
    );
    expect(textOf(found)).toBe("Let me look. ");
    expect(last(found)).toMatchObject({ reason: "tool_calls" });
    expect(callsOf(found)).toEqual([{ id: "call_1", name: "ls", arguments: "{}" }]);
  });

  it("shows a written call as text beside one that was really made", async () => {
    const text = '<tool_call>{"name":"ls","arguments":{}}</tool_call>';
    const found = await withTools(chunk({ content: text, tool_calls: [{ index: 0, ...call("a", "{}") }] }, "stop"));
    expect(textOf(found)).toBe(text);
    expect(callsOf(found)).toHaveLength(1);
  });

  it("shows half of a written call to nobody", async () => {
    const found = await withTools(chunk({ content: 'So: <tool_call>{"name":"l' }, "length"));
    expect(textOf(found)).toBe("So: ");
    expect(last(found)).toMatchObject({ reason: "length", toolCalls: [] });
  });

  it("takes a thinking block at the start of the text for what it is", async () => {
    const found = await answerTo([
      events(chunk({ content: "<think>hm" }), chunk({ content: "</think>\n\nyes" }, "stop")),
    ]);
    expect(found.slice(0, 2)).toEqual([
      { type: "reasoning", delta: "hm" },
      { type: "text", delta: "yes" },
    ]);
  });

  it("counts thoughts and what went into the cache", async () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 3 },
    };
    expect(last(await answerTo([events(chunk({ content: "x" }, "stop"), { choices: [], usage })]))).toMatchObject({
      usage: { inputTokens: 9, outputTokens: 5, cachedInputTokens: 4, cacheWriteTokens: 2, reasoningTokens: 3 },
    });
  });

  it("takes an answer that ends by an error for none", async () => {
    const found = await answerTo([events(chunk({ content: "half" }, "error"))]);
    expect(last(found)).toMatchObject({ type: "failed", failure: { reason: "invalid_response", retryable: true } });
  });

  it("ends an answer of nothing as an answer", async () => {
    expect(await answerTo([events(chunk({ content: null }, "stop"))])).toEqual([
      { type: "finish", reason: "stop", toolCalls: [] },
    ]);
  });
});
