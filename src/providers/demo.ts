import type { ToolCall } from "#src/domain/message";
import type {
  ModelEvent,
  ModelMessage,
  ModelRequest,
  Provider,
  ProviderConnection,
  ProviderContext,
} from "#src/domain/provider";
import { wait } from "#src/lib/abortable";
import { ABORTED } from "./model-failure";
import { callsFor } from "./demo-wishes";
import { reportResults } from "./demo-report";

/** Milliseconds between two words, when a person asked to see slow streaming. */
const SLOW_WORD_MS = 50;
const MOST_WORDS = 1000;
/** Words of a slow answer without a number. */
const THINKING = "I am only the demo model, so I am not really thinking, but this is what a slow answer looks like.";

/**
 * The built-in model: offline, deterministic, and plain about being a demo. It understands a few phrases that show the
 * tools, quotes everything else, and says how to set a real model.
 */
export const demo: Provider = { name: "demo", stream };

async function* stream(
  request: ModelRequest,
  _connection: ProviderConnection,
  { signal }: ProviderContext,
): AsyncGenerator<ModelEvent> {
  try {
    signal.throwIfAborted();
    const report = reportResults(request.messages);
    if (report !== undefined) yield* say(report);
    else yield* answer(request, signal);
  } catch {
    yield { type: "failed", failure: ABORTED };
  }
}

async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const said = lastUserText(request.messages);
  const wish = callsFor(said, request.tools);
  if (wish.calls.length > 0) {
    yield { type: "finish", reason: "tool_calls", toolCalls: withIds(wish.calls, request.messages) };
  } else if (wish.missing.length > 0) {
    yield* say(
      `I am the built-in demo model, and the tool that this needs is not switched on here: ${wish.missing.join(", ")}.`,
    );
  } else {
    yield* talk(said, request, signal);
  }
}

async function* talk(said: string, request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  const counting = /^\s*count (?<slowly>slowly )?to (?<to>\d{1,9})\b/i.exec(said);
  if (counting !== null) {
    const to = Math.min(Number(counting.groups?.["to"]), MOST_WORDS);
    yield* sayWords(numbers(to), counting.groups?.["slowly"] === undefined ? 0 : SLOW_WORD_MS, signal);
  } else if (/^\s*think slowly\b/i.test(said)) {
    yield* sayWords(THINKING.split(" "), SLOW_WORD_MS, signal);
  } else if (/\b(?:what|which|list)\b.{0,20}\btools\b/i.test(said)) {
    yield* say(describeTools(request));
  } else {
    yield* say(`You said: "${said}". ${INTRODUCTION}`);
  }
}

const INTRODUCTION =
  "I am Talaria's built-in demo model: I work offline and can only repeat things and show the tools (try `run: ls`). " +
  "For a real model, set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint, and MODEL.";

function* say(text: string): Generator<ModelEvent> {
  yield { type: "text", delta: text };
  yield { type: "finish", reason: "stop", toolCalls: [] };
}

async function* sayWords(words: readonly string[], pauseMs: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  for (const [i, word] of words.entries()) {
    if (pauseMs > 0 && i > 0) await wait(pauseMs, signal);
    signal.throwIfAborted();
    yield { type: "text", delta: i === 0 ? word : ` ${word}` };
  }
  yield { type: "finish", reason: "stop", toolCalls: [] };
}

function numbers(to: number): string[] {
  return Array.from({ length: to }, (_, i) => String(i + 1));
}

function describeTools({ tools }: ModelRequest): string {
  if (tools.length === 0) return "I am the demo model, and no tools are switched on here.";
  const lines = tools.map((tool) => `- \`${tool.name}\`: ${tool.description.split(/(?<=\.)\s|\n/, 1)[0] ?? ""}`);
  return `I am the demo model. These tools are switched on:\n\n${lines.join("\n")}`;
}

/** What the person wrote last, without the name that a shared conversation puts before it. */
function lastUserText(messages: readonly ModelMessage[]): string {
  const last = messages.findLast((message) => message.role === "user");
  if (last?.role !== "user") return "";
  const text =
    typeof last.content === "string"
      ? last.content
      : last.content.map((part) => (part.type === "text" ? part.text : "[a picture]")).join(" ");
  return text.replace(/^\[[^\]\n]{1,80}\] /, "").trim();
}

/** Ids count on through the conversation, so that none is there twice. */
function withIds(calls: readonly Omit<ToolCall, "id">[], messages: readonly ModelMessage[]): readonly ToolCall[] {
  const before = messages.reduce(
    (sum, each) => sum + (each.role === "assistant" ? (each.toolCalls?.length ?? 0) : 0),
    0,
  );
  return calls.map((call, i) => ({ id: `call_${before + i + 1}`, ...call }));
}
