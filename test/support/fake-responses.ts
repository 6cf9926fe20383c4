// A Responses endpoint that is as strict as the real one about what it is sent, and thinks, calls and answers by script.
// Sources: https://developers.openai.com/api/reference/responses/create and …/docs/guides/reasoning (2026-11)
//
// The last thing that a person said is the script: TOOL <name> <json> thinks and calls the tool, several lines call
// several; FORGET makes it forget what it has stored and then echoes; anything else is thought about and echoed.
import { typedEvents } from "./ask-provider.ts";
import { type FakeVendor, type VendorReply, type VendorRequest, refusal, startFakeVendor } from "./fake-vendor.ts";

interface Item {
  readonly type?: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly id?: string;
  readonly call_id?: string;
  readonly output?: string;
  readonly encrypted_content?: string;
}

type Stored = Map<string, readonly Item[]>;

export function startFakeResponses(): Promise<FakeVendor> {
  const stored: Stored = new Map();
  return startFakeVendor((request) => {
    const { body } = request;
    const previous = body["previous_response_id"];
    const before = typeof previous === "string" ? stored.get(previous) : [];
    if (before === undefined) {
      const message = `Previous response with id '${String(previous)}' not found.`;
      return refuse(message, "previous_response_not_found");
    }
    const items = [...before, ...(body["input"] as readonly Item[])]; // a stand-in trusts its tests
    const problem = problemOf(request, items);
    return problem === undefined ? answer(items, body["store"] === true ? stored : undefined) : refuse(problem, null);
  });
}

function refuse(message: string, code: string | null): VendorReply {
  return refusal(400, { error: { message, type: "invalid_request_error", param: null, code } });
}

/** What the real endpoint would refuse. */
function problemOf({ path, headers, body }: VendorRequest, items: readonly Item[]): string | undefined {
  if (path !== "/v1/responses") return `no route ${path}`;
  if (headers["authorization"] !== "Bearer sk-fake") return "Incorrect API key provided";
  if (body["stream_options"] !== undefined) return "Unknown parameter: 'stream_options.include_usage'.";
  const asked = items.filter(({ type }) => type === "function_call").map((item) => item.call_id);
  const given = items.filter(({ type }) => type === "function_call_output").map((item) => item.call_id);
  const open = asked.find((id) => !given.includes(id));
  if (open !== undefined) return `No tool output found for function call ${open}.`;
  const stray = given.find((id) => !asked.includes(id));
  if (stray !== undefined) return `No tool call found for function call output with call_id ${stray}.`;
  const unread = items.find(({ type, encrypted_content }) => type === "reasoning" && !isOurs(encrypted_content));
  if (unread !== undefined) return "The encrypted content could not be verified.";
  const unknown = items.find(({ id, type }) => id !== undefined && type === "reasoning" && body["store"] !== true);
  return unknown === undefined ? undefined : `Item with id '${unknown.id}' not found.`;
}

function isOurs(encrypted: string | undefined): boolean {
  return encrypted?.startsWith("gAAAA-fake-") === true;
}

let count = 0;

function answer(items: readonly Item[], stored: Stored | undefined): VendorReply {
  const last = items.findLastIndex(({ role }) => role === "user");
  const content = items[last]?.content;
  const script = typeof content === "string" ? content : "";
  const results = items.slice(last + 1).filter(({ type }) => type === "function_call_output");
  const calls = results.length > 0 ? [] : [...script.matchAll(/^TOOL (\S+) (\{.*\})$/gm)];
  const said =
    results.length > 0 ? `The tools said: ${results.map(({ output }) => output).join(", ")}` : `You said: ${script}`;
  const id = `resp_${++count}`;
  const output = [
    { id: `rs_${count}`, type: "reasoning", summary: [], encrypted_content: `gAAAA-fake-${count}` },
    ...(calls.length > 0
      ? []
      : [{ id: `msg_${count}`, type: "message", role: "assistant", content: [{ type: "output_text", text: said }] }]),
    ...calls.map(([, name = "", args = "{}"], i) => ({
      id: `fc_${count}_${i}`,
      type: "function_call",
      call_id: `call_${count}_${i}`,
      name,
      arguments: args,
    })),
  ];
  if (/^FORGET$/m.test(script)) stored?.clear();
  else stored?.set(id, [...items, ...output.map(({ id: _id, ...item }) => item)]);
  const usage = {
    input_tokens: items.length * 10,
    input_tokens_details: { cached_tokens: 5 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 7 },
  };
  const events = output.flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item: { ...item, content: [], arguments: "" } },
    ...deltas(item, output_index),
    { type: "response.output_item.done", output_index, item },
  ]);
  return {
    pieceBytes: 97,
    body: typedEvents({ type: "response.created", response: { id, status: "in_progress" } }, ...events, {
      type: "response.completed",
      response: { id, status: "completed", output, usage },
    }),
  };
}

function deltas(item: { readonly type: string; readonly id: string } & object, output_index: number) {
  const at = { item_id: item.id, output_index };
  if ("arguments" in item) return [{ type: "response.function_call_arguments.delta", ...at, delta: item.arguments }];
  if (!("content" in item) || !Array.isArray(item.content)) return [];
  const [part] = item.content as readonly { readonly text: string }[];
  return (part?.text ?? "").split(/(?<= )/).map((delta) => ({ type: "response.output_text.delta", ...at, delta }));
}
