import { describe, expect, it } from "vitest";
import type { ModelMessage, ModelRequest } from "#src/domain/provider";
import { shortCacheKey, toChatBody } from "#src/providers/chat-body";
import { dialectOf } from "#src/providers/chat-dialect";
import { openaiChat } from "#src/providers/openai-chat";
import { askProvider, finishOf, saidIn } from "../../support/ask-provider";
import { chunk, events, pieces } from "../../support/sse-response";

const HI: readonly ModelMessage[] = [{ role: "user", content: "hi" }];

function body(baseUrl: string, request: Partial<ModelRequest> = {}): Record<string, unknown> {
  return toChatBody({ model: "m", messages: HI, tools: [], ...request }, dialectOf(baseUrl));
}

/** What a vendor gets back of its own answer. */
async function givenBack(
  baseUrl: string,
  model: string,
  delta: object,
  asked = model,
): Promise<Record<string, unknown>> {
  const answer = () => pieces([events(chunk(delta), chunk({ content: "yes" }, "stop"))]);
  const { events: found } = await askProvider(openaiChat, [answer], { request: { model }, connection: { baseUrl } });
  const { toolCalls, state } = finishOf(found);
  const said: ModelMessage = {
    role: "assistant",
    content: saidIn(found),
    toolCalls,
    ...(state === undefined ? {} : { state }),
  };
  const messages = [...HI, said, ...HI];
  return (body(baseUrl, { model: asked, messages })["messages"] as Record<string, unknown>[])[1] ?? {};
}

describe("the cache key", () => {
  it("goes to OpenAI alone", () => {
    expect(body("https://api.openai.com/v1", { cacheKey: "s1" })).toMatchObject({ prompt_cache_key: "s1" });
    expect(body("https://x.openai.azure.com/openai/v1", { cacheKey: "s1" })).toMatchObject({ prompt_cache_key: "s1" });
    expect(body("http://localhost:8000/v1", { cacheKey: "s1" })).not.toHaveProperty("prompt_cache_key");
  });

  it("is short, and stays its own", () => {
    const long = "session:".repeat(20);
    expect(shortCacheKey(long)).toHaveLength(64);
    expect(shortCacheKey(long)).not.toBe(shortCacheKey(`${long}x`));
    expect(shortCacheKey("short")).toBe("short");
  });
});

describe("the effort", () => {
  it.each([
    ["https://api.openai.com/v1", "o3", "xhigh", { reasoning_effort: "high" }],
    ["http://localhost:11434/v1", "gpt-oss:20b", "low", { reasoning_effort: "low" }],
    ["https://openrouter.ai/api/v1", "anthropic/claude-opus-5", "high", { reasoning: { effort: "high" } }],
    ["https://openrouter.ai/api/v1", "openai/gpt-6-sol", "none", { reasoning: { enabled: false } }],
    [
      "https://api.deepseek.com/v1",
      "deepseek-flash",
      "xhigh",
      { thinking: { type: "enabled" }, reasoning_effort: "high" },
    ],
    ["https://api.deepseek.com/v1", "deepseek-flash", "none", { thinking: { type: "disabled" } }],
    ["https://api.moonshot.ai/v1", "kimi-k3", "medium", { thinking: { type: "enabled" } }],
    ["https://api.z.ai/api/paas/v4", "glm-5.3", "none", { thinking: { type: "disabled" } }],
  ] as const)("is said to %s for %s at %s", (baseUrl, model, reasoningEffort, expected) => {
    expect(body(baseUrl, { model, reasoningEffort })).toMatchObject(expected);
  });

  it("is not said to a model that is not known to take one", () => {
    const said = body("http://localhost:8000/v1", { model: "llama3", reasoningEffort: "high" });
    expect(Object.keys(said)).toEqual(["model", "messages", "stream", "stream_options"]);
  });
});

describe("the reasoning of earlier answers", () => {
  it("goes back to vendors that want it, under the name that they gave it", async () => {
    const thought = { reasoning_content: "hm" };
    expect(await givenBack("https://api.deepseek.com/v1", "deepseek-flash", thought)).toMatchObject(thought);
    expect(await givenBack("https://api.z.ai/api/paas/v4", "glm-5.3", thought)).toMatchObject(thought);
  });

  it("goes back to routers piece for piece", async () => {
    const reasoning_details = [{ type: "reasoning.encrypted", index: 0, data: "abc", format: "openai-responses-v1" }];
    const back = await givenBack("https://openrouter.ai/api/v1", "openai/gpt-6-sol", {
      reasoning: "hm",
      reasoning_details,
    });
    expect(back).toEqual({ role: "assistant", content: "yes", reasoning_details });
  });

  it("does not go to servers that did not ask for it, nor to another model", async () => {
    const thought = { reasoning_content: "hm" };
    expect(await givenBack("http://localhost:8000/v1", "m", thought)).toEqual({ role: "assistant", content: "yes" });
    const other = await givenBack("https://api.z.ai/api/paas/v4", "glm-5.3", thought, "glm-5.1");
    expect(other).toEqual({ role: "assistant", content: "yes" });
  });

  // https://github.com/NousResearch/hermes-agent/pull/15478 and https://github.com/charmbracelet/crush/issues/2696
  it("is a blank for vendors that refuse an answer without", async () => {
    const back = await givenBack("https://api.moonshot.ai/v1", "kimi-k3", {}, "kimi-k2.6");
    expect(back).toMatchObject({ reasoning_content: " " });
  });

  // https://ai.google.dev/gemini-api/docs/thought-signatures#openai
  it("goes back to Google beside the call that it signed", async () => {
    const extra_content = { google: { thought_signature: "sig" } };
    const tool_calls = [{ index: 0, id: "a", extra_content, function: { name: "ls", arguments: "{}" } }];
    const baseUrl = "https://generativelanguage.googleapis.com/v1beta/openai";
    expect(await givenBack(baseUrl, "gemini-3.8-flash", { tool_calls })).toMatchObject({
      tool_calls: [{ id: "a", extra_content }],
    });
    const elsewhere = await givenBack("http://localhost:1/v1", "gemini-3.8-flash", { tool_calls });
    expect(JSON.stringify(elsewhere)).not.toContain("extra_content");
  });
});

describe("cache marks", () => {
  const messages: readonly ModelMessage[] = [
    { role: "system", content: "s" },
    ...HI,
    { role: "assistant", content: "", toolCalls: [{ id: "a", name: "ls", arguments: "{}" }] },
    { role: "tool", callId: "a", content: "x" },
    ...HI,
  ];
  const marked = (request: Partial<ModelRequest>) =>
    (body("https://openrouter.ai/api/v1", { messages, ...request })["messages"] as readonly { content: unknown }[]).map(
      ({ content }) => JSON.stringify(content).includes("cache_control"),
    );

  it("stand on the prompt and the last messages of Claude at a router, and not on empty ones", () => {
    expect(marked({ model: "anthropic/claude-sonnet-5.5" })).toEqual([true, false, false, true, true]);
  });

  it("stand nowhere else", () => {
    expect(marked({ model: "openai/gpt-6-sol" })).not.toContain(true);
    expect(JSON.stringify(body("http://localhost:1/v1", { model: "claude-x", messages }))).not.toContain(
      "cache_control",
    );
  });
});
