// One answer of each API as it stands on the wire: thinking, words, a call, and what was counted.
import { typedEvents } from "./ask-provider";

/** What all of the recorded answers say. */
export const RECORDED = {
  text: "I'll check the weather for Zürich 🌤.",
  call: { id: "call_w1", name: "get_weather", arguments: '{"location":"Zürich"}' },
} as const;

/** Source: https://developers.openai.com/api/reference/chat-completions/streaming (2026-11) */
export const CHAT_ANSWER: string = [
  { choices: [{ index: 0, delta: { role: "assistant", content: null, reasoning_content: "The person wants" } }] },
  { choices: [{ index: 0, delta: { reasoning_content: " the weather." } }] },
  { choices: [{ index: 0, delta: { content: "I'll check the weather" } }] },
  { choices: [{ index: 0, delta: { content: " for Zürich 🌤." } }] },
  {
    choices: [
      {
        index: 0,
        delta: {
          tool_calls: [{ index: 0, id: "call_w1", type: "function", function: { name: "get_weather", arguments: "" } }],
        },
      },
    ],
  },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '{"location":' } }] } }] },
  { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '"Zürich"}' } }] } }] },
  { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] },
  {
    choices: [],
    usage: {
      prompt_tokens: 472,
      completion_tokens: 89,
      prompt_tokens_details: { cached_tokens: 400, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 12 },
    },
  },
]
  .map(
    (chunk) =>
      `data: ${JSON.stringify({ id: "chatcmpl-9", object: "chat.completion.chunk", model: "m", ...chunk })}\n\n`,
  )
  .concat("data: [DONE]\n\n")
  .join("");

const RESPONSE = { id: "resp_67c9", object: "response", created_at: 1741476542, model: "gpt-6.2-sol" };
const REASONING = {
  id: "rs_1",
  type: "reasoning",
  summary: [{ type: "summary_text", text: "The person wants the weather." }],
  encrypted_content: "gAAAAA-thoughts",
};
const SAID = {
  id: "msg_1",
  type: "message",
  status: "completed",
  role: "assistant",
  phase: "commentary",
  content: [{ type: "output_text", text: RECORDED.text, annotations: [] }],
};
const CALLED = {
  id: "fc_1",
  type: "function_call",
  status: "completed",
  call_id: "call_w1",
  name: "get_weather",
  arguments: RECORDED.call.arguments,
};
const RESPONSE_USAGE = {
  input_tokens: 472,
  input_tokens_details: { cached_tokens: 400, cache_write_tokens: 20 },
  output_tokens: 89,
  output_tokens_details: { reasoning_tokens: 12 },
  total_tokens: 561,
};

/** Source: https://developers.openai.com/api/docs/guides/function-calling#streaming (2026-11) */
export const RESPONSES_ANSWER: string = typedEvents(
  ...[
    { type: "response.created", response: { ...RESPONSE, status: "in_progress", output: [] } },
    { type: "response.in_progress", response: { ...RESPONSE, status: "in_progress", output: [] } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAAAA-not-whole" },
    },
    { type: "response.reasoning_summary_part.added", item_id: "rs_1", output_index: 0, summary_index: 0 },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta: "The person wants",
    },
    {
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta: " the weather.",
    },
    { type: "response.output_item.done", output_index: 0, item: REASONING },
    {
      type: "response.output_item.added",
      output_index: 1,
      item: {
        id: "msg_1",
        type: "message",
        status: "in_progress",
        role: "assistant",
        phase: "commentary",
        content: [],
      },
    },
    {
      type: "response.content_part.added",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      part: { type: "output_text", text: "" },
    },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      delta: "I'll check the weather",
    },
    {
      type: "response.output_text.delta",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      delta: " for Zürich 🌤.",
    },
    { type: "response.output_text.done", item_id: "msg_1", output_index: 1, content_index: 0, text: RECORDED.text },
    { type: "response.output_item.done", output_index: 1, item: SAID },
    {
      type: "response.output_item.added",
      output_index: 2,
      item: {
        id: "fc_1",
        type: "function_call",
        status: "in_progress",
        call_id: "call_w1",
        name: "get_weather",
        arguments: "",
      },
    },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '{"location":' },
    { type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 2, delta: '"Zürich"}' },
    {
      type: "response.function_call_arguments.done",
      item_id: "fc_1",
      output_index: 2,
      arguments: RECORDED.call.arguments,
    },
    { type: "response.output_item.done", output_index: 2, item: CALLED },
    {
      type: "response.completed",
      response: { ...RESPONSE, status: "completed", output: [REASONING, SAID, CALLED], usage: RESPONSE_USAGE },
    },
  ].map((event, sequence_number) => ({ ...event, sequence_number })),
);

/** Source: https://platform.claude.com/docs/en/build-with-claude/streaming (2026-11) */
export const MESSAGES_ANSWER: string = typedEvents(
  {
    type: "message_start",
    message: {
      id: "msg_014p7gG3wDgGV9EUtLvnow3U",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-5-5",
      stop_sequence: null,
      usage: { input_tokens: 52, cache_read_input_tokens: 400, cache_creation_input_tokens: 20, output_tokens: 2 },
      content: [],
      stop_reason: null,
    },
  },
  { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
  { type: "ping" },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "The person wants" } },
  { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: " the weather." } },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "signature_delta", signature: "EqQBCgIYAhIM1gbcDa9G" },
  },
  { type: "content_block_stop", index: 0 },
  {
    type: "content_block_start",
    index: 1,
    content_block: { type: "redacted_thinking", data: "EmwKAhgBEgy3va3p" },
  },
  { type: "content_block_stop", index: 1 },
  { type: "content_block_start", index: 2, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: "I'll check the weather" } },
  { type: "content_block_delta", index: 2, delta: { type: "text_delta", text: " for Zürich 🌤." } },
  { type: "content_block_stop", index: 2 },
  {
    type: "content_block_start",
    index: 3,
    content_block: { type: "tool_use", id: "call_w1", name: "get_weather", input: {} },
  },
  { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: "" } },
  { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: '{"location":' } },
  { type: "content_block_delta", index: 3, delta: { type: "input_json_delta", partial_json: '"Zürich"}' } },
  { type: "content_block_stop", index: 3 },
  {
    type: "message_delta",
    delta: { stop_reason: "tool_use", stop_sequence: null },
    usage: { output_tokens: 89, output_tokens_details: { thinking_tokens: 12 } },
  },
  { type: "message_stop" },
);
