// A Messages endpoint that is as strict as the real one about what it is sent, and thinks, calls and answers by script.
// Sources: https://platform.claude.com/docs/en/api/messages, …/build-with-claude/thinking, …/prompt-caching and
// …/agents-and-tools/tool-use/handle-tool-calls (2026-11)
//
// The last thing that a person said is the script: TOOL <name> <json> thinks and calls the tool, several lines call
// several; anything else is thought about and echoed.
import { typedEvents } from "./ask-provider.ts";
import { type FakeVendor, type VendorReply, type VendorRequest, refusal, startFakeVendor } from "./fake-vendor.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly signature?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}

interface Message {
  readonly role: string;
  readonly content: readonly Block[];
}

export function startFakeAnthropic(): Promise<FakeVendor> {
  return startFakeVendor((request) => {
    const problem = problemOf(request);
    return problem === undefined
      ? answer(messagesOf(request))
      : refusal(400, { type: "error", error: { type: "invalid_request_error", message: problem } });
  });
}

function messagesOf({ body }: VendorRequest): readonly Message[] {
  return body["messages"] as readonly Message[]; // a stand-in trusts the checks before it
}

/** What the real endpoint would refuse. */
function problemOf(request: VendorRequest): string | undefined {
  const { path, headers, body } = request;
  const messages = messagesOf(request);
  if (path !== "/v1/messages") return `no route ${path}`;
  if (headers["x-api-key"] !== "sk-ant-fake") return "invalid x-api-key";
  if (headers["anthropic-version"] === undefined) return "anthropic-version: header is required";
  if (typeof body["max_tokens"] !== "number" || body["max_tokens"] < 1) return "max_tokens: Field required";
  if (messages[0]?.role !== "user") return "messages: first message must use the user role";
  if (messages.at(-1)?.role !== "user") return "This model does not support assistant message prefill.";
  const marks = JSON.stringify(body).split('"cache_control"').length - 1;
  if (marks > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marks}.`;
  return messages.map((message, at) => problemOfMessage(message, at, messages)).find((found) => found !== undefined);
}

function problemOfMessage(message: Message, at: number, messages: readonly Message[]): string | undefined {
  const where = `messages.${at}`;
  if (message.role === messages[at - 1]?.role) return `${where}: roles must alternate`;
  for (const block of message.content) {
    if (block.type === "text" && (block.text ?? "").trim() === "")
      return `${where}: text content blocks must be non-empty`;
    if (block.type === "thinking" && block.signature !== sign(block.thinking ?? "")) {
      return `${where}.content.0: Invalid \`signature\` in \`thinking\` block`;
    }
    if (block.id !== undefined && !/^[\w-]+$/.test(block.id))
      return `${where}: tool_use.id: String should match pattern`;
  }
  const results = message.content.filter(({ type }) => type === "tool_result");
  if (results.some((block) => message.content.indexOf(block) >= results.length)) {
    return `${where}: \`tool_result\` blocks must come first`;
  }
  const asked = (messages[at - 1]?.content ?? []).filter(({ type }) => type === "tool_use").map(({ id }) => id);
  const given = results.map((block) => block.tool_use_id);
  if (asked.some((id) => !given.includes(id)))
    return `${where}: \`tool_use\` ids were found without \`tool_result\` blocks`;
  return given.some((id) => !asked.includes(id))
    ? `${where}: unexpected \`tool_use_id\` found in \`tool_result\``
    : undefined;
}

function sign(thinking: string): string {
  return Buffer.from(`signed:${thinking}`).toString("base64");
}

function answer(messages: readonly Message[]): VendorReply {
  const last = messages.at(-1)?.content ?? [];
  const results = last.filter(({ type }) => type === "tool_result");
  const script = last.findLast(({ type }) => type === "text")?.text ?? "";
  const calls = results.length > 0 ? [] : [...script.matchAll(/^TOOL (\S+) (\{.*\})$/gm)];
  const said =
    results.length > 0
      ? `The tools said: ${results.map(({ content }) => String(content)).join(", ")}`
      : `You said: ${script}`;
  const thought = `Let me see (${messages.length}).`;
  const blocks = [
    [
      { type: "thinking", thinking: "", signature: "" },
      { type: "thinking_delta", thinking: thought },
      { type: "signature_delta", signature: sign(thought) },
    ],
    ...(calls.length > 0 ? [] : [[{ type: "text", text: "" }, ...words(said)]]),
    ...calls.map(([, name = "", json = "{}"], i) => [
      { type: "tool_use", id: `toolu_${messages.length}_${i}`, name, input: {} },
      { type: "input_json_delta", partial_json: json.slice(0, 4) },
      { type: "input_json_delta", partial_json: json.slice(4) },
    ]),
  ];
  const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5, output_tokens: 1 };
  return {
    pieceBytes: 97,
    body: typedEvents(
      {
        type: "message_start",
        message: { id: "msg_fake", type: "message", role: "assistant", content: [], usage },
      },
      ...blocks.flatMap(([start, ...deltas], index) => [
        { type: "content_block_start", index, content_block: start },
        ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
        { type: "content_block_stop", index },
      ]),
      {
        type: "message_delta",
        delta: { stop_reason: calls.length > 0 ? "tool_use" : "end_turn" },
        usage: { output_tokens: 20 },
      },
      { type: "message_stop" },
    ),
  };
}

function words(text: string): readonly { readonly type: string; readonly text: string }[] {
  return text.split(/(?<= )/).map((word) => ({ type: "text_delta", text: word }));
}
