// A Chat Completions endpoint with a scripted mind, over real HTTP on loopback, streaming or not. Source of the shapes:
// https://platform.openai.com/docs/api-reference/chat-streaming
//
// The last user message is the script, one command a line; anything else is echoed as "You said: …".
//   TOOL <name> <json>     calls the tool; several lines call several at once, a line THEN begins the next step.
//                          After the last step the answer repeats the results.
//   SLOW <words> [ms]      streams so many words with pauses of 50 ms
//   LONG <chars>           answers with that much text
//   EMPTY                  answers with nothing
// These fail, the first <times> times that this message is asked, or always:
//   ERROR <status> [times] [retry-after seconds]
//   HANG [times]           never answers              STALL [times]    stops after the first word
//   RESET [times]          closes the socket          CUT [times]      closes it in the middle of the answer
//   HTML [times]           an error page with a 200   GARBAGE [times]  events that are no JSON
//
// As a program: node test/support/fake-openai.ts --port 8000 [--latency ms]
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

/** One request as it came in. */
export interface FakeRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: ChatRequest;
}

interface ChatRequest {
  readonly model?: string;
  readonly stream?: boolean;
  readonly messages?: readonly ChatMessage[];
  readonly tools?: readonly unknown[];
  readonly [field: string]: unknown;
}

interface ChatMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly { readonly function: { readonly name: string } }[];
}

export interface FakeOpenai {
  /** Without `/v1`. */
  readonly url: string;
  /** The latest requests, oldest first. */
  readonly requests: readonly FakeRequest[];
  close(): Promise<void>;
}

export interface FakeOpenaiOptions {
  /** Milliseconds before each answer begins; 0 when absent. */
  readonly latencyMs?: number;
  /** 0 or absent takes any free port. */
  readonly port?: number;
}

/** Requests that are kept; benchmarks send more than anyone looks at. */
const MAX_KEPT = 1000;

type Reply = { readonly content: string; readonly calls?: readonly Call[]; readonly wordGapMs?: number };
interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}
type Fault = { readonly name: string; readonly status: number; readonly retryAfter: string | undefined };

export async function startFakeOpenai(options: FakeOpenaiOptions = {}): Promise<FakeOpenai> {
  const { latencyMs = 0, port = 0 } = options;
  const requests: FakeRequest[] = [];
  const failures = new Map<string, number>();

  const answer = (request: IncomingMessage, raw: Buffer, response: ServerResponse): void => {
    if (request.method === "GET") {
      sendJson(response, 200, { object: "list", data: [{ id: "scripted", object: "model", owned_by: "test" }] });
      return;
    }
    const body = parseBody(raw);
    if (body === undefined || request.url?.endsWith("/chat/completions") !== true) {
      sendJson(response, body === undefined ? 400 : 404, { error: { message: "not a chat completion" } });
      return;
    }
    if (requests.push({ headers: request.headers, body }) > MAX_KEPT) requests.shift();
    const script = lastUserText(body.messages ?? []);
    const fault = faultOf(script, failures);
    if (fault === undefined) reply(response, body, replyTo(script, body.messages ?? []));
    else fail(response, fault);
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const raw = chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
      if (latencyMs === 0) answer(request, raw, response);
      else setTimeout(() => answer(request, raw, response), latencyMs);
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  // a server that listens on TCP has an address with a port
  const { port: listening } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${listening}`,
    requests,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function parseBody(raw: Buffer): ChatRequest | undefined {
  try {
    const body: unknown = JSON.parse(raw.toString("utf8"));
    return typeof body === "object" && body !== null ? (body as ChatRequest) : undefined; // a stand-in trusts its tests
  } catch {
    return undefined;
  }
}

function lastUserText(messages: readonly ChatMessage[]): string {
  const text = textOf(messages.findLast(({ role }) => role === "user")?.content);
  return text.replace(/^\[[^\]\n]{1,80}\] /, "");
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly { text?: string }[]).map((part) => part.text ?? "[picture]").join(" ");
}

// === What to answer ===

function faultOf(script: string, failures: Map<string, number>): Fault | undefined {
  const found = /^(?:ERROR (\d{3})|(HANG|STALL|RESET|CUT|HTML|GARBAGE))(?: (\d+))?(?: (\d+))?$/m.exec(script);
  if (found === null) return undefined;
  const [, status, name = "ERROR", times, retryAfter] = found;
  const failed = failures.get(script) ?? 0;
  if (times !== undefined && failed >= Number(times)) return undefined;
  failures.set(script, failed + 1);
  return { name, status: Number(status ?? 200), retryAfter };
}

function replyTo(script: string, messages: readonly ChatMessage[]): Reply {
  const steps = script.split(/^THEN$/m).map((step) => [...step.matchAll(/^TOOL (\S+) (\{.*\})\s*$/gm)]);
  if (steps.some((step) => step.length > 0)) return toolReply(steps, messages);
  const [, kind, count = "0", gap = "50"] = /^(SLOW|LONG|EMPTY)\b(?: (\d+))?(?: (\d+))?/m.exec(script) ?? [];
  if (kind === "SLOW") return { content: words(Number(count)), wordGapMs: Number(gap) };
  if (kind === "LONG") return { content: "lorem ipsum ".repeat(Math.ceil(Number(count) / 12)).slice(0, Number(count)) };
  return { content: kind === "EMPTY" ? "" : `You said: ${script}` };
}

/** The next step that has not been taken since the person spoke, or the results once all were. */
function toolReply(steps: readonly (readonly RegExpMatchArray[])[], messages: readonly ChatMessage[]): Reply {
  const since = messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);
  const step = steps[since.filter(({ tool_calls }) => tool_calls !== undefined).length];
  if (step === undefined) {
    const results = since.filter(({ role }) => role === "tool").map(({ content }) => textOf(content));
    return { content: `The tools said: ${results.join("\n")}` };
  }
  const before = messages.reduce((sum, { tool_calls }) => sum + (tool_calls?.length ?? 0), 0);
  const calls = step.map(([, name = "", args = "{}"], i) => ({ id: `call_${before + i + 1}`, name, arguments: args }));
  return { content: "", calls };
}

function words(count: number): string {
  return Array.from({ length: count }, (_, i) => `word${i + 1}`).join(" ");
}

// === How to say it ===

function reply(response: ServerResponse, request: ChatRequest, { content, calls = [], wordGapMs }: Reply): void {
  const tokens = Math.ceil(content.length / 4);
  const usage = {
    prompt_tokens: (request.messages?.length ?? 0) * 10,
    completion_tokens: tokens,
    total_tokens: tokens,
  };
  const ending = calls.length > 0 ? "tool_calls" : "stop";
  if (request.stream !== true) {
    const message = { role: "assistant", content, ...(calls.length > 0 ? { tool_calls: calls.map(toWire) } : {}) };
    sendJson(response, 200, {
      ...frame("chat.completion"),
      choices: [{ index: 0, message, finish_reason: ending }],
      usage,
    });
    return;
  }
  const end =
    event({ choices: [{ index: 0, delta: {}, finish_reason: ending }] }) +
    event({ choices: [], usage }) +
    "data: [DONE]\n\n";
  startStream(response);
  if (wordGapMs !== undefined) {
    streamWords(response, content, wordGapMs, end);
    return;
  }
  const pieces = calls.map((call, index) => delta({ tool_calls: [{ index, ...toWire(call) }] })).join("");
  response.end((content === "" ? "" : delta({ content })) + pieces + end);
}

function streamWords(response: ServerResponse, content: string, gapMs: number, end: string): void {
  const pieces = content.split(/(?<= )/);
  const next = (): void => {
    const piece = pieces.shift();
    if (piece === undefined) {
      response.end(end);
      return;
    }
    response.write(delta({ content: piece }));
    timer = setTimeout(next, gapMs);
  };
  let timer = setTimeout(next, 0);
  response.on("close", () => clearTimeout(timer));
}

function fail(response: ServerResponse, { name, status, retryAfter }: Fault): void {
  if (name === "HANG") return;
  if (name === "RESET") response.socket?.destroy();
  else if (name === "HTML")
    response.writeHead(200, { "content-type": "text/html" }).end("<html><h1>502 Bad Gateway</h1></html>");
  else if (name === "ERROR") {
    if (retryAfter !== undefined) response.setHeader("retry-after", retryAfter);
    sendJson(response, status, { error: { message: `scripted ${status}`, type: "scripted_error", code: null } });
  } else if (name === "GARBAGE") {
    startStream(response);
    response.end("data: {this is no JSON\n\ndata: \u0000\u0001\n\n");
  } else {
    startStream(response);
    response.write(delta({ content: "half " }), () => {
      if (name === "CUT") response.socket?.destroy();
    });
  }
}

function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function frame(object: string): object {
  return { id: "chatcmpl-scripted", object, created: 0, model: "scripted" };
}

function event(fields: object): string {
  return `data: ${JSON.stringify({ ...frame("chat.completion.chunk"), ...fields })}\n\n`;
}

function delta(fields: object): string {
  return event({ choices: [{ index: 0, delta: fields, finish_reason: null }] });
}

function toWire({ id, name, arguments: args }: Call): object {
  return { id, type: "function", function: { name, arguments: args } };
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { port: { type: "string" }, latency: { type: "string" } } });
  const { url } = await startFakeOpenai({ port: Number(values.port ?? 0), latencyMs: Number(values.latency ?? 0) });
  console.log(`${url}/v1`);
}
